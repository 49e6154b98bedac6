import { randomBytes } from 'node:crypto';
import type { NetworkPost, SocialNetwork } from '../../sandbox/networks/network.ts';
import { BOT } from '../../sandbox/people.ts';
import { COMMAND_LINE } from '../../src/domain/operators/actor.ts';
import { type ApiKeyRequest, createApiKey } from '../../src/services/operators/api-keys.ts';
import type { Store } from '../../src/store/port/index.ts';

const PATIENCE_MS = 30_000;

/** What the bot answers to a post. @throws Error when it does not answer within half a minute */
export async function answerTo(network: SocialNetwork, { id }: Pick<NetworkPost, 'id'>): Promise<string> {
  const reply = await network.waitForReply(id, PATIENCE_MS);
  if (reply === null) throw new Error(`the bot has not answered ${id}`);
  return reply.text;
}

/** Says it to the bot, and waits for the answer. */
export async function ask(network: SocialNetwork, author: string, text: string): Promise<string> {
  return await answerTo(network, network.post({ author, text: `@${BOT.username} ${text}` }));
}

/** A new key of the API, an operator's unless said otherwise. */
export async function newApiKey(store: Store, overrides: Partial<ApiKeyRequest> = {}): Promise<string> {
  const request: ApiKeyRequest = { name: 'test', expiresAt: null, scopes: ['operator'], ...overrides };
  return (await createApiKey({ store, clock: Date.now, randomBytes, actor: COMMAND_LINE }, request)).key;
}

/** A client of the API at `url()` with a key. */
export function createApiClient(url: () => string, key: string) {
  // The tests of each route hold the shapes.
  return async <T>(method: string, path: string, body?: unknown, headers: Record<string, string> = {}) => {
    const response = await fetch(`${url()}${path}`, {
      method,
      headers: { 'x-api-key': key, 'content-type': 'application/json', ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return { status: response.status, body: (await response.json()) as T };
  };
}

/** What `/ready` answers, as far as flows look at it; its own tests hold the shape. */
export interface Ready {
  readonly status: string;
  readonly reasons: readonly {
    readonly kind: string;
    readonly subject: string;
    readonly text: string;
    readonly remedy: string;
  }[];
  readonly platforms: readonly {
    readonly platform: string;
    readonly paused: { readonly reason: string; readonly until: string } | null;
  }[];
  readonly gas_tank: { readonly address: string; readonly balances: readonly object[] };
}

export async function readReady({ url }: { readonly url: string }): Promise<Ready> {
  return (await (await fetch(`${url}/ready`)).json()) as Ready;
}
