import { randomBytes } from 'node:crypto';
import { describe, expect, onTestFinished, test } from 'vitest';
import { COMMAND_LINE } from '../../../src/domain/operators/actor.ts';
import { hasPassed } from '../../../src/domain/time.ts';
import { createRateLimiter } from '../../../src/http/middleware/rate-limit.ts';
import { waitForClaim } from '../../../src/services/claims/claim-progress.ts';
import { authenticateApiKey, createApiKey } from '../../../src/services/operators/api-keys.ts';
import { createClockStatus } from '../../../src/services/operators/clock/clock-status.ts';
import { createClockWatch } from '../../../src/services/operators/clock/clock-watch.ts';
import { createLoginLink, findSession, openSessionByLink } from '../../../src/services/operators/sessions.ts';
import { SENDER_TIMING } from '../../../src/services/payments/sender/context.ts';
import { deployToken, freshAddress } from '../../support/anvil.ts';
import { perCase } from '../../support/per-case.ts';
import { stepPayments } from '../../support/steps.ts';
import { sampleMention, seedFee, seedGig, seedMention } from '../../support/store.ts';
import { ALICE, openCashier } from '../cashier.ts';
import { fault, keepLog } from '../fakes.ts';
import { createWorld, HOUR, LEASE_MS } from '../world.ts';

const DAY = 24 * HOUR;

const world = perCase(createWorld);

function watch({ lastBeatAt = null }: { lastBeatAt?: number | null } = {}) {
  const { log, lines } = keepLog();
  const { store, clock } = world;
  const clocks = createClockStatus({ clock });
  const waits = { leaseMs: LEASE_MS, longestWaitMs: 600_000 };
  return { ...createClockWatch({ store, clock, log, clocks, lastBeatAt, ...waits }), clocks, lines };
}

/** Leases the next mention under a name, or answers null. */
function lease(name: string) {
  const now = world.clock();
  const request = { lease: name, now, until: now + LEASE_MS, platforms: ['farcaster'] as const };
  return world.store.transaction((tx) => tx.leaseMention(request));
}

describe('a clock that was set back by a day', () => {
  test('behavior: holds up no mention that waits for its next try, nor one that has just come', async () => {
    const clockWatch = watch();
    const id = await seedMention(world.store, {}, world.clock());
    expect(await clockWatch.look()).toBe(false);
    await lease('a');
    const retryAt = world.clock() + 600_000;
    await world.store.transaction((tx) => tx.putMentionBack(id, { lease: 'a', retryAt, error: 'x' }));
    world.advance(-DAY);
    expect(await lease('b')).toBeNull();
    expect(await clockWatch.look()).toBe(true);
    expect((await lease('c'))?.id).toBe(id);
    expect(clockWatch.lines).toMatchObject([
      { level: 'warn', backMs: DAY, ended: 1, msg: 'system clock was set back; waiting work is due now' },
    ]);
    expect(await clockWatch.look()).toBe(false);
  });

  test('behavior: does so also when it was set back while no process ran', async () => {
    const id = await seedMention(world.store, {}, world.clock());
    world.advance(-DAY);
    expect(await lease('a')).toBeNull();
    expect(await watch().look()).toBe(true);
    expect((await lease('b'))?.id).toBe(id);
  });

  test('behavior: ends a dead worker’s lease within the time of a new one, and not a living one’s at once', async () => {
    const clockWatch = watch();
    const id = await seedMention(world.store, {}, world.clock());
    await clockWatch.look();
    await lease('dead');
    world.advance(-DAY);
    await clockWatch.look();
    expect(await lease('other')).toBeNull();
    world.advance(LEASE_MS);
    expect((await lease('other'))?.id).toBe(id);
  });

  test('behavior: holds up no reply that waits to be sent again', async () => {
    const clockWatch = watch();
    await clockWatch.look();
    const mentionId = await seedMention(world.store, {}, world.clock());
    await world.store.transaction((tx) => tx.queueReply({ mentionId, kind: 'answer', text: 'hello' }, world.clock()));
    world.advance(-DAY);
    const now = world.clock();
    const take = () => world.store.transaction((tx) => tx.leaseReply('farcaster', { lease: 'a', now, until: now + 1 }));
    expect(await take()).toBeNull();
    await clockWatch.look();
    expect(await take()).toMatchObject({ text: 'hello' });
  });

  test('behavior: a correction of less than a second changes nothing', async () => {
    const clockWatch = watch();
    await seedMention(world.store, {}, world.clock());
    await clockWatch.look();
    world.advance(-900);
    expect(await clockWatch.look()).toBe(false);
    expect(clockWatch.lines).toEqual([]);
  });

  test('behavior: holds up no payment that waits', async () => {
    const clockWatch = watch();
    await seedMention(world.store, {}, world.clock());
    await clockWatch.look();
    const { id, chainId } = await seedFee(world.store, await seedGig(world.store, { live: true }));
    const wait = { reason: 'its price', dueAt: world.clock() + 60_000, now: world.clock() };
    await world.store.transaction((tx) => tx.notePayment(id, wait));
    world.advance(-DAY);
    expect(await world.store.paymentCandidates(chainId, { now: world.clock(), limit: 1 })).toEqual([]);
    await clockWatch.look();
    expect(await world.store.paymentCandidates(chainId, { now: world.clock(), limit: 1 })).toMatchObject([{ id }]);
  });

  test('behavior: holds up no start of a gig', async () => {
    const gig = await seedGig(world.store);
    const lock = (holder: string) => {
      const now = world.clock();
      return world.store.transaction((tx) => tx.lockGig(gig.id, { holder, now, until: now + 60_000 }));
    };
    expect([await lock('crashed'), await lock('other')]).toEqual([true, false]);
    world.advance(-DAY);
    expect(await lock('other')).toBe(true);
  });

  test('behavior: replies that were counted at a later time reach no limit', async () => {
    for (let count = 0; count < 10; count += 1) {
      const mentionId = await seedMention(world.store, sampleMention({ postId: `0x${count}` }), world.clock());
      await world.store.transaction((tx) => tx.queueReply({ mentionId, kind: 'answer', text: 'x' }, world.clock()));
    }
    const author = { platform: 'farcaster', platformUserId: '1001' } as const;
    const count = () => {
      const until = world.clock();
      return world.store.countRepliesToAuthor(author, { since: until - HOUR, until });
    };
    expect(await count()).toBe(10);
    world.advance(-2 * HOUR);
    expect(await count()).toBe(0);
  });

  test('behavior: leaves no client limited, and no platform paused', async () => {
    const limiter = createRateLimiter({ limit: 1, clock: world.clock });
    limiter.hit('a');
    expect(limiter.hit('a').exceeded).toBe(true);
    world.health.failed('twitter', fault('rate_limited', 'safe', HOUR));
    expect(world.health.canSend('twitter')).toBe(false);
    world.advance(-DAY);
    expect(limiter.hit('a').exceeded).toBe(false);
    expect(world.health.canSend('twitter')).toBe(true);
  });

  test('behavior: what was offered before is offered again, and nobody waits for a claim until the old time', async () => {
    let offers = 0;
    const cashier = await openCashier({
      wrap: (payer) => ({
        ...payer,
        broadcast: async () => {
          offers += 1;
        },
      }),
    });
    onTestFinished(cashier.close);
    await cashier.fundTank(10n ** 18n);
    const asset = await deployToken({ decimals: 6 });
    await cashier.gig({ asset, tips: [{ account: ALICE, amount: 5n }] });
    const status = await cashier.claim(cashier.post(ALICE, `claim my rewards ${freshAddress()}`));
    await cashier.look();
    expect(offers).toBe(1);
    cashier.advance(SENDER_TIMING.rebroadcastMs - 1);
    await stepPayments(cashier.paying);
    expect(offers).toBe(1);
    cashier.advance(-DAY);
    await stepPayments(cashier.paying);
    expect(offers).toBeGreaterThan(1);

    let naps = 0;
    const sleep = async () => {
      naps += 1;
      cashier.advance(-DAY);
      return true;
    };
    await waitForClaim({ ...cashier, sleep }, status, { patienceMs: 20_000, stepMs: 250 });
    expect(naps).toBe(1);
  });
});

describe('what was used or has expired before the clock was set back', () => {
  const access = () => ({ store: world.store, clock: world.clock, randomBytes });
  const link = async () => (await createLoginLink(access(), { actor: COMMAND_LINE })).token;
  const enter = (token: string) => openSessionByLink(access(), { link: token, requestId: null });
  const session = async (token: string) => await findSession(access(), token);
  const make = (name: string, expiresAt: number) =>
    createApiKey({ ...access(), actor: COMMAND_LINE }, { name, expiresAt });
  const MINUTE = 60_000;

  test('security: a log-in link that was used or has expired does not work again', async () => {
    const clockWatch = watch();
    await clockWatch.look();
    const [used, expired, open] = [await link(), await link(), await link()];
    expect(await enter(used)).not.toBeNull();
    world.advance(11 * MINUTE);
    const late = await link();
    expect(await enter(expired)).toBeNull();
    await clockWatch.look();
    // Within the life of all of them, as the clock tells it.
    world.advance(-10 * MINUTE);
    await clockWatch.look();
    expect([await enter(used), await enter(expired), await enter(open)]).toEqual([null, null, null]);
    // One that was valid keeps the ten minutes that were left to it.
    const last = await link();
    world.advance(10 * MINUTE - 1);
    expect(await enter(late)).not.toBeNull();
    expect(await enter(last)).not.toBeNull();
    expect(await enter(used)).toBeNull();
  });

  test('security: a session that has ended does not begin again, and one that lives does not live longer', async () => {
    const clockWatch = watch();
    await clockWatch.look();
    const [first] = [await enter(await link())];
    world.advance(11 * HOUR);
    const second = await enter(await link());
    world.advance(HOUR);
    expect(await session(first?.token ?? '')).toBeNull();
    await clockWatch.look();
    world.advance(-2 * HOUR);
    await clockWatch.look();
    expect(await session(first?.token ?? '')).toBeNull();
    // Eleven of its twelve hours are left.
    world.advance(11 * HOUR - 1);
    expect(await session(second?.token ?? '')).not.toBeNull();
    world.advance(1);
    expect(await session(second?.token ?? '')).toBeNull();
  });

  test('security: an API key that has expired stays expired, and one that has not keeps its date', async () => {
    const clockWatch = watch();
    await clockWatch.look();
    const [gone, date] = [world.clock() + HOUR, world.clock() + DAY];
    const [a, b] = [await make('a', gone), await make('b', date)];
    world.advance(2 * HOUR);
    await clockWatch.look();
    world.advance(-90 * MINUTE);
    await clockWatch.look();
    await expect(authenticateApiKey(access(), a.key)).rejects.toThrow('invalid_api_key');
    expect(await authenticateApiKey(access(), b.key)).toMatchObject({ expiresAt: date });
  });

  test.each([
    { when: 'while the service runs', lastBeatAgo: 0 },
    { when: 'before it starts', lastBeatAgo: 1_000 },
  ])(
    'error: a clock that jumps ahead by a year $when, and comes back, ends no API key for good',
    async ({ lastBeatAgo }) => {
      const [gone, kept] = [await make('a', world.clock() + HOUR), await make('b', world.clock() + 90 * DAY)];
      world.advance(2 * HOUR);
      const clockWatch = watch({ lastBeatAt: world.clock() - lastBeatAgo });
      if (lastBeatAgo === 0) await clockWatch.look();
      world.advance(365 * DAY);
      await clockWatch.look();
      await expect(authenticateApiKey(access(), kept.key)).rejects.toThrow('invalid_api_key');
      world.advance(5 * MINUTE);
      await clockWatch.look();
      // Half an hour before the jump: what had expired then stays so.
      world.advance(-365 * DAY - 90 * MINUTE);
      await clockWatch.look();
      expect(await authenticateApiKey(access(), kept.key)).toMatchObject({ name: 'b' });
      await expect(authenticateApiKey(access(), gone.key)).rejects.toThrow('invalid_api_key');
    },
  );

  test('error: a mention that a fast clock has dated ends no log-in link at each start from then on', async () => {
    await seedMention(world.store, {}, world.clock() + 365 * DAY);
    const token = await link();
    const clockWatch = watch({ lastBeatAt: world.clock() });
    world.advance(MINUTE);
    await clockWatch.look();
    expect(await enter(token)).not.toBeNull();
    expect(clockWatch.clocks.setBack()).toBeNull();
  });

  test('security: nothing comes back when the clock was set back while no process ran', async () => {
    const token = await link();
    world.advance(11 * MINUTE);
    // The last minute that a service worked; then it ended, and nothing has come since.
    const lastBeatAt = world.clock();
    world.advance(-5 * MINUTE);
    const clockWatch = watch({ lastBeatAt });
    await clockWatch.look();
    expect(await enter(token)).toBeNull();
    expect(clockWatch.clocks.setBack()).toEqual({ at: lastBeatAt, backMs: 5 * MINUTE });
  });
});

test.each([
  { now: 1_000, since: 900, passed: true },
  { now: 1_000, since: 901, passed: false },
  { now: 1_000, since: 1_000, passed: false },
  { now: 1_000, since: 1_001, passed: true },
])('behavior: of 100 ms since $since it is $passed at $now that they have passed', ({ now, since, passed }) => {
  expect(hasPassed(100, { since, now })).toBe(passed);
});
