import { randomBytes } from 'node:crypto';
import { expect } from 'vitest';
import { createLocalChain } from '../../sandbox/chain.ts';
import { MNEMONIC, NETWORK_CREDENTIALS, TREASURY } from '../../sandbox/people.ts';
import { COMMAND_LINE } from '../../src/domain/operators/actor.ts';
import { createApiKey } from '../../src/services/operators/api-keys.ts';
import { anvilClients, deployToken, freshAddress, mined, startAnvil } from './anvil.ts';
import { openWorld } from './world.ts';

const DAY_MS = 24 * 60 * 60 * 1000;
const PATIENCE_MS = 30_000;

/** Somebody on Farcaster who passes the default gates unless said otherwise. */
export interface NewPerson {
  readonly score?: number;
  readonly age?: number;
  readonly followers?: number;
}

interface Created {
  gig_id: number;
  gig_token_address: `0x${string}`;
  tx_data: `0x${string}`;
}

interface Claimable {
  data: Record<string, { totalValue: number }>;
}

/** A service that watches gigs for one client, on a chain of its own; the time of both can be moved on. */
export async function openWatchedWorld({
  env = {},
  elapsed,
}: {
  env?: Record<string, string>;
  elapsed?: () => number;
} = {}) {
  const anvil = await startAnvil();
  await createLocalChain({ url: anvil.url, mnemonic: MNEMONIC }).deployPayer();
  const chain = anvilClients(anvil.url);
  const token = await deployToken({ decimals: 6, symbol: 'USDC' }, anvil.url);
  let ahead = 0;
  const clock = () => Date.now() + ahead;
  const world = await openWorld({
    clock,
    ...(elapsed && { elapsed }),
    env: { EARNING_LOOK_SECONDS: '1', RPC_URL_31337: anvil.url, ...env },
  });
  const { store } = world.runtime;
  const { key } = await createApiKey(
    { store, clock, randomBytes, actor: COMMAND_LINE },
    { name: 'flow', expiresAt: null },
  );
  const addresses = new Map<string, `0x${string}`>();
  const ids = new Map<string, string>();

  async function send<T>(method: string, path: string, body?: unknown, headers: Record<string, string> = {}) {
    const response = await fetch(`${world.url}${path}`, {
      method,
      headers: { 'x-api-key': key, 'content-type': 'application/json', ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    // The tests of each route hold the shapes.
    return { status: response.status, body: (await response.json()) as T };
  }

  /** The terms of a gig of 10 USDC over a week from now on. */
  function terms(more: object) {
    const start_time = new Date(clock()).toISOString();
    return { chain: 'anvil', token_address: token.address, amount: 10, duration: '1week', start_time, ...more };
  }

  async function balanceOf(owner: string): Promise<bigint> {
    const data = `0x70a08231${owner.slice(2).toLowerCase().padStart(64, '0')}` as const;
    return BigInt((await chain.public.call({ to: token.address, data })).data ?? '0x0');
  }

  return {
    world,
    store,
    chain,
    token,
    rpcUrl: anvil.url,
    send,
    terms,
    /** A gig of 10 USDC over a week, funded and live. */
    async startGig(more: object): Promise<number> {
      const created = await send<Created>('POST', '/api/gigs/create', terms(more));
      expect(created).toMatchObject({ status: 201 });
      const { gig_id: gigId, gig_token_address: to, tx_data: data } = created.body;
      await mined(await chain.wallet.sendTransaction({ account: token.holder, to, data }), anvil.url);
      expect(await send('POST', '/api/gigs/start', { gig_id: gigId })).toMatchObject({ status: 200 });
      return gigId;
    },
    /** @returns the id of the account */
    addPerson(name: string, { score = 0.9, age = 400 * DAY_MS, followers = 0 }: NewPerson = {}): string {
      const id = String(5_000 + world.farcaster.users().length);
      const address = freshAddress();
      const registeredAt = Date.now() - age;
      world.farcaster.addUser({ id, username: name, score, followers, registeredAt, verifiedAddresses: [address] });
      addresses.set(name, address);
      ids.set(name, id);
      return id;
    },
    /** How many accounts of the gig are in each state. */
    counts: async (gigId: number) => (await store.earningCounts(gigId)).map((each) => `${each.count} ${each.state}`),
    /** What each person can claim, in USDC. */
    async claimable(names: readonly string[]): Promise<number[]> {
      const answers = await Promise.all(
        names.map((name) => send<Claimable>('GET', `/api/claim?identifiers=${ids.get(name)}`)),
      );
      return answers.map(({ body }) => Object.values(body.data).reduce((sum, { totalValue }) => sum + totalValue, 0));
    },
    /** Says it to the bot. @returns what the bot answers */
    async tell(who: string, text: string): Promise<string> {
      const cast = world.farcaster.post({ author: who, text: `@${NETWORK_CREDENTIALS.farcaster.botUsername} ${text}` });
      return (await world.farcaster.waitForReply(cast.id, PATIENCE_MS))?.text ?? '';
    },
    /** What each person, the treasury and the wallet of a gig hold, in base units. */
    async holdings(gigId: number, names: readonly string[]): Promise<Record<string, bigint>> {
      const wallet = (await store.gig(gigId))?.walletAddress ?? '';
      const people = names.map((name) => [name, addresses.get(name) ?? ''] as const);
      const owners = [...people, ['treasury', TREASURY] as const, ['wallet', wallet] as const];
      const held = await Promise.all(owners.map(async ([name, owner]) => [name, await balanceOf(owner)] as const));
      return Object.fromEntries(held);
    },
    /** Moves the time of the service and the chain on, and has the chain make blocks. */
    async later(ms: number): Promise<void> {
      ahead += ms;
      await chain.test.increaseTime({ seconds: ms / 1_000 });
      await chain.test.mine({ blocks: 3, interval: 1 });
    },
    async close() {
      await world.close();
      await anvil.stop();
    },
  };
}

export type WatchedWorld = Awaited<ReturnType<typeof openWatchedWorld>>;
