import { beforeEach, expect, test } from 'vitest';
import { createUrlClaims } from '../../../src/services/claims/claims-by-url.ts';
import { createClockStatus } from '../../../src/services/operators/clock/clock-status.ts';
import type { TestToken } from '../../support/anvil.ts';
import { perCase } from '../../support/per-case.ts';
import { seedAddress } from '../../support/store.ts';
import { BOB_ON_X, openCashier } from '../cashier.ts';
import { fault } from '../fakes.ts';

const MINUTE = 60_000;
const NAMED = seedAddress(0xaa);
const url = (id: number) => `https://x.com/bob/status/${id}`;

const cashier = perCase(openCashier);
/** The posts of the account on X that can be looked up, and what was asked. */
let there: Set<string>;
let asked: string[];
let failures: Error[];
let claims: ReturnType<typeof createUrlClaims>;

beforeEach(() => {
  [there, asked, failures] = [new Set(), [], []];
  const network = cashier.platforms.get('twitter');
  if (network === undefined) throw new Error('X is off');
  const lookUpPost: typeof network.lookUpPost = async (from) => {
    asked.push(from);
    const failure = failures.shift();
    if (failure !== undefined) throw failure;
    const postId = /\d+$/.exec(from)?.[0] ?? '';
    if (!there.has(postId)) return null;
    const { platform, platformUserId: authorId } = BOB_ON_X;
    const text = `claim my rewards ${NAMED}`;
    return { platform, postId, authorId, authorUsername: 'bob', text, plainText: text, postedAt: cashier.clock() };
  };
  const platforms = new Map([['twitter', { ...network, lookUpPost }]]);
  claims = createUrlClaims({ ...cashier.claiming, platforms, clocks: createClockStatus({ clock: cashier.clock }) });
});

async function gig(): Promise<void> {
  const asset = { address: seedAddress(0xc0de), decimals: 6, name: 'T', symbol: 'T' } as TestToken;
  await cashier.gig({ asset, tips: [{ account: BOB_ON_X, amount: 5n }], funds: 0n });
}
const missing = { refusal: { code: 'post_not_found', platform: 'twitter' } };

test('behavior: requests for one post at once, by any form of its URL, share a look-up and the first one’s id', async () => {
  await gig();
  there.add('7');
  const forms = [url(7), 'https://twitter.com/i/status/7', `${url(7)}?s=20`];
  const all = await Promise.all(forms.map((form, index) => claims(form, `req-${index}`)));
  expect(asked).toEqual([url(7)]);
  expect(new Set(all.map(({ claim }) => claim.id)).size).toBe(1);
  const [opened] = await cashier.store.auditEvents({ limit: 1 });
  expect(opened).toMatchObject({ action: 'claim.open', requestId: 'req-0', actorName: 'twitter:1002' });
});

test('behavior: a missing post is looked up again after a minute, and a failure at once', async () => {
  await gig();
  for (const _time of [1, 2]) await expect(claims(url(7), 'r')).rejects.toMatchObject(missing);
  await expect(claims(url(8), 'r')).rejects.toMatchObject(missing);
  expect(asked).toEqual([url(7), url(8)]);
  cashier.advance(MINUTE - 1);
  await expect(claims(url(7), 'r')).rejects.toMatchObject(missing);
  expect(asked).toHaveLength(2);
  cashier.advance(1);
  there.add('7');
  failures.push(fault('timeout', 'safe'));
  await expect(claims(url(7), 'r')).rejects.toMatchObject({ reason: 'timeout' });
  expect((await claims(url(7), 'r')).payments).toHaveLength(1);
  expect(asked).toEqual([url(7), url(8), url(7), url(7)]);
});

test('behavior: a missing post that has claimed as a mention since is found without its platform', async () => {
  await gig();
  await expect(claims(url(7), 'r')).rejects.toMatchObject(missing);
  const made = await cashier.claim(cashier.post(BOB_ON_X, `claim my rewards ${NAMED}`, { postId: '7' }));
  expect((await claims(url(7), 'r')).claim).toEqual(made.claim);
  expect(asked).toHaveLength(1);
});

test('security: no more than a thousand missing posts are remembered, the oldest are forgotten first', async () => {
  for (let id = 1; id <= 1_001; id += 1) await expect(claims(url(id), 'r')).rejects.toMatchObject(missing);
  asked.length = 0;
  for (const id of [1_001, 2, 1, 3]) await expect(claims(url(id), 'r')).rejects.toMatchObject(missing);
  expect(asked).toEqual([url(1)]);
});

test('error: what is no URL of a post is refused, and asks nobody', async () => {
  await expect(claims('https://example.com/7', 'r')).rejects.toMatchObject({ refusal: { code: 'invalid_request' } });
  expect(asked).toEqual([]);
});
