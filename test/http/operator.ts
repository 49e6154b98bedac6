import { beforeEach } from 'vitest';
import type { Store } from '../../src/store/port/index.ts';
import { seedMention } from '../support/store.ts';
import { NOW, reopen, type Service, service, useService } from './service.ts';

/** What a browser sends along with a form of one of the service's own pages. */
export const OWN_PAGE = { 'sec-fetch-site': 'same-origin' };

/** Somebody at a browser, with one cookie. */
export interface Operator {
  /** The cookie as it is sent, or empty. */
  cookie: string;
  get(path: string, headers?: Record<string, string>): Promise<Response>;
  /** The page as text. */
  read(path: string): Promise<string>;
  /** What a page says in its main part, without its markup. */
  said(path: string): Promise<string>;
  /** Sends a form; its token is that of the last page read, unless the fields say otherwise. */
  submit(path: string, fields?: Record<string, string>, headers?: Record<string, string>): Promise<Response>;
}

/** The token in the forms of a page. */
export function tokenOf(page: string): string {
  return /name="token" value="([^"]+)"/.exec(page)?.[1] ?? '';
}

/** A browser that has not logged in. */
export function openOperator({ app }: Pick<Service, 'app'>): Operator {
  let token = '';
  const operator: Operator = {
    cookie: '',
    get: async (path, headers = {}) => await app.request(path, { headers: { cookie: operator.cookie, ...headers } }),
    async read(path) {
      const page = await (await operator.get(path)).text();
      token = tokenOf(page) || token;
      return page;
    },
    async said(path) {
      const [, main = ''] = (await operator.read(path)).split('<main');
      return main
        .replace(/<[^>]*>/g, ' ')
        .replaceAll('&quot;', '"')
        .replace(/\s+/g, ' ');
    },
    async submit(path, fields = {}, headers = OWN_PAGE) {
      const response = await app.request(path, {
        method: 'POST',
        headers: { cookie: operator.cookie, 'content-type': 'application/x-www-form-urlencoded', ...headers },
        body: new URLSearchParams({ token, ...fields }).toString(),
      });
      const [, cookie] = /^(gigclaim_admin=[^;]*)/.exec(response.headers.get('set-cookie') ?? '') ?? [];
      if (cookie !== undefined) operator.cookie = cookie;
      return response;
    },
  };
  return operator;
}

/** A browser that has logged in with the service's key and looked at the overview. */
export async function logIn(service: Service): Promise<Operator> {
  const operator = openOperator(service);
  await operator.submit('/admin/session', { key: service.key });
  await operator.read('/admin');
  return operator;
}

/** The operator of the test that runs, in a file that uses {@link useOperator}. */
export let operator: Operator;

/** Gives each test of a file a service, and an operator who has logged in. */
export function useOperator(...open: Parameters<typeof useService>): void {
  useService(...open);
  beforeEach(async () => {
    operator = await logIn(service);
  });
}

/** Puts another service in its place, and logs the operator in there. */
export async function operateOn(...open: Parameters<typeof reopen>): Promise<void> {
  await reopen(...open);
  operator = await logIn(service);
}

/** A mention on Farcaster whose reply has failed; the reply's id. */
export async function seedFailedReply(
  store: Store,
  { text = 'No tips yet.', mention = '@gigclaim claims', error = 'forbidden: Neynar said no', username = 'alice' } = {},
): Promise<number> {
  const before = await store.mentions({ limit: 1 });
  const postId = `0x${String((before[0]?.id ?? 0) + 1).padStart(40, '0')}`;
  await seedMention(store, { postId, text: mention, authorUsername: username }, NOW);
  return await store.transaction(async (tx) => {
    const held = { lease: 'w', now: NOW + 1, until: NOW + 2 };
    const leased = await tx.leaseMention({ ...held, platforms: ['farcaster'] });
    if (leased === null) throw new Error('nothing to lease');
    await tx.markAnswered(leased.id, 'w');
    const id = await tx.queueReply({ mentionId: leased.id, kind: 'answer', text }, NOW);
    await tx.leaseReply('farcaster', held);
    await tx.markSending(id, 'w');
    await tx.putReplyBack(id, { lease: 'w', state: 'failed', retryAt: NOW, error });
    return id;
  });
}
