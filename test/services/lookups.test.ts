import { expect, test } from 'vitest';
import { findClaimable } from '../../src/services/claims/find-claimable.ts';
import { createPlatformBreaker } from '../../src/services/mentions/platform-breaker.ts';
import { createClockStatus } from '../../src/services/operators/clock/clock-status.ts';
import { checkReadiness } from '../../src/services/operators/readiness.ts';
import { readAmpleDisk } from '../support/disk.ts';
import { ALONE } from '../support/instances.ts';
import { storePerCase } from '../support/per-case.ts';
import { SEEDED_AT, seedAddress, seedGig, seedTips, seedToken } from '../support/store.ts';
import { createClock, createLedger, fault, keepLog, keepSteps } from './fakes.ts';
import { failingReads } from './operators/looking.ts';

const { store } = storePerCase();

const FID_7 = { platform: 'farcaster', platformUserId: '7' } as const;
const X_9 = { platform: 'twitter', platformUserId: '9' } as const;

test('behavior: the pending tips of all the accounts, grouped by token, oldest first', async () => {
  const gig = await seedGig(store, { live: true });
  const { id: tokenId } = await seedToken(store, { address: seedAddress(99), symbol: 'USDC', decimals: 6 });
  const other = await seedGig(store, { tokenId, live: true });
  await seedTips(store, gig, [
    { ...FID_7, createdAt: SEEDED_AT + 5 },
    { ...X_9, createdAt: SEEDED_AT + 1 },
    { platform: 'farcaster', platformUserId: '8' },
  ]);
  await seedTips(store, other, [{ ...FID_7, amount: 3n, createdAt: SEEDED_AT + 2 }]);
  await store.transaction((tx) => tx.setUsername({ ...X_9, username: 'Bob' }, SEEDED_AT));
  const groups = await findClaimable(
    { store },
    { identifiers: [FID_7, { platform: 'twitter', handle: 'bob' }, { platform: 'twitter', handle: 'nobody' }] },
  );
  expect(
    groups.map(({ token, total, tips, gigCount }) => [
      token.symbol,
      total,
      tips.map((tip) => tip.createdAt - SEEDED_AT),
      gigCount,
    ]),
  ).toEqual([
    ['DEGEN', 2_000_000_000_000_000_000n, [1, 5], 1],
    ['USDC', 3n, [2], 1],
  ]);
});

test('security: a handle stands for who holds it now', async () => {
  const gig = await seedGig(store, { live: true });
  await seedTips(store, gig, [X_9]);
  const label = (platformUserId: string, username: string) =>
    store.transaction((tx) => tx.setUsername({ platform: 'twitter', platformUserId, username }, SEEDED_AT));
  const find = (handle: string) => findClaimable({ store }, { identifiers: [{ platform: 'twitter', handle }] });
  await label('9', 'bob');
  expect(await find('bob')).toHaveLength(1);
  await label('66', 'Bob');
  expect(await find('bob')).toEqual([]);
  await label('9', 'bob_new');
  expect(await find('bob_new')).toHaveLength(1);
});

test('behavior: an account under two names is counted once', async () => {
  const gig = await seedGig(store, { live: true });
  await seedTips(store, gig, [X_9]);
  await store.transaction((tx) => tx.setUsername({ ...X_9, username: 'bob' }, SEEDED_AT));
  const [group] = await findClaimable({ store }, { identifiers: [X_9, { platform: 'twitter', handle: 'bob' }] });
  expect(group?.tips).toHaveLength(1);
});

test('behavior: the service is ready as long as its store takes writes, whatever is down outside', async () => {
  const { log, lines } = keepLog();
  const health = createPlatformBreaker({ platforms: ['twitter'], clock: createClock().clock, log });
  const { chains } = createLedger();
  health.failed('twitter', fault('rate_limited', 'safe'));
  const around = {
    clock: () => SEEDED_AT,
    startedAt: SEEDED_AT,
    instances: ALONE,
    clocks: createClockStatus({ clock: () => SEEDED_AT }),
    heldSteps: keepSteps().heldSteps,
    readDisk: readAmpleDisk,
    refundDelayMs: 0,
  };
  expect(await checkReadiness({ ...around, store, chains, health, gasTank: null, log })).toEqual({
    ready: true,
    reasons: [
      {
        kind: 'platform_paused',
        subject: 'x',
        gigId: null,
        text: 'X is paused: rate limited (429)',
        remedy:
          'Check the keys, the credits and the state of the bot’s account; waiting work continues after the pause.',
      },
    ],
    store: {
      writable: true,
      // What an engine says of itself is told apart.
      standing: { ...(await store.engine()), pools: await store.pools() },
      instances: 1,
      clockAheadMs: 0,
    },
    chains: [{ key: 'base', chainId: 8453, lastSuccess: null }],
    platforms: [
      { platform: 'twitter', lastSuccess: null, paused: { reason: 'rate limited (429)', until: SEEDED_AT + 60_000 } },
    ],
    gigs: { frozen: 0, overdue: 0 },
    gasTank: null,
  });
  const full = () => Promise.reject(new Error('disk is full'));
  const broken = { ...failingReads(store, full), checkWritable: full, engine: full, pools: full };
  expect(await checkReadiness({ ...around, store: broken, chains, health, gasTank: null, log })).toMatchObject({
    ready: false,
    store: { writable: false },
    gigs: { frozen: null, overdue: null },
  });
  expect(lines.at(-1)).toMatchObject({ level: 'error', error: { message: 'disk is full' } });
});
