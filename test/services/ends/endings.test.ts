import { describe, expect, test } from 'vitest';
import { EVENT_TYPES } from '../../../src/domain/events/event.ts';
import type { Gig } from '../../../src/domain/gigs/gig.ts';
import { COMMAND_LINE } from '../../../src/domain/operators/actor.ts';
import { prepareEnd, previewEnd } from '../../../src/services/ends/end-gig.ts';
import { ENDING_NAMES, type Ending, endingsOf } from '../../../src/services/ends/endings.ts';
import { findGig } from '../../../src/services/gigs/find-gigs.ts';
import type { StoreTx } from '../../../src/store/port/index.ts';
import { DAY, gig, NOW } from '../../bot/samples.ts';
import { sampleAccount, sampleAct, seedActs, seedGigWithRules } from '../../support/earning.ts';
import { storePerCase } from '../../support/per-case.ts';
import { type GigSeed, SEEDED_AT, seedAddress, seedGig } from '../../support/store.ts';

const live = { status: 'live', startTime: NOW, endTime: NOW + DAY, wentLiveAt: NOW } as const;

test.each([
  ['was created', {}, ['cancel']],
  ['is cancelled', { cancelledAt: NOW }, []],
  ['is to begin', { ...live, startTime: NOW + 1 }, ['stop']],
  ['is live', live, ['stop']],
  ['was stopped', { ...live, stoppedAt: NOW }, ['settle']],
  ['has ended', { ...live, endTime: NOW }, ['settle']],
  ['is settled', { ...live, endTime: NOW, settledAt: NOW }, []],
])('behavior: a gig that %s may be ended so', (_what, terms, endings) => {
  expect(endingsOf(gig(terms), NOW)).toEqual(endings);
});

describe('an end by request', () => {
  const { store } = storePerCase();
  /** In the middle of the window of seeded gigs. */
  const MIDDAY = SEEDED_AT + DAY / 2;
  const BACK = seedAddress(0xbac);

  const asked = ({ id: gigId }: Gig, ending: Ending) => ({ gigId, ending, actor: COMMAND_LINE });
  const preview = (of: Gig, ending: Ending, now: number) => previewEnd({ store, clock: () => now }, asked(of, ending));
  const end = (of: Gig, ending: Ending, now: number, changed: Partial<StoreTx> = {}) =>
    store.transaction((tx) =>
      prepareEnd({ ...asked(of, ending), holder: 'attempt' }).commit(Object.assign(Object.create(tx), changed), now),
    );

  async function told({ id: gigId }: Gig) {
    await store.transaction((tx) => tx.releaseEvents({ holder: 'a', now: 1, until: 2, limit: 100 }));
    const events = await store.eventsAfter({ after: 0, client: null, types: EVENT_TYPES, gigId, limit: 9 });
    return events.map(({ type, at, facts }) => [type, at, facts]);
  }

  test.each<[string, Ending, GigSeed, number, Partial<Gig>, [string, object], [string, object][]]>([
    [
      'stops a live gig',
      'stop',
      { live: true },
      MIDDAY,
      { stoppedAt: MIDDAY, endTime: MIDDAY },
      ['gig.stop', { planned_end: SEEDED_AT + DAY }],
      [['gig.stopped', { status: 'ended', title: null }]],
    ],
    [
      'stops a gig before it begins',
      'stop',
      { live: true, startTime: MIDDAY + 1 },
      MIDDAY,
      { startTime: MIDDAY, stoppedAt: MIDDAY, endTime: MIDDAY },
      ['gig.stop', { planned_end: MIDDAY + 1 + DAY }],
      [['gig.stopped', { status: 'ended', title: null }]],
    ],
    [
      'settles a gig that is over',
      'settle',
      { live: true },
      SEEDED_AT + DAY,
      { settledAt: SEEDED_AT + DAY },
      ['gig.close', { reward: '100000000000000000000', awarded: '0' }],
      [
        ['gig.ended', {}],
        ['gig.settled', { status: 'ended', title: null }],
      ],
    ],
    [
      'cancels a gig that never started',
      'cancel',
      { refundAddress: BACK },
      MIDDAY,
      { cancelledAt: MIDDAY },
      ['gig.cancel', { refund_address: BACK }],
      [['gig.cancelled', { status: 'cancelled', title: null }]],
    ],
  ])(
    'behavior: %s as its preview says, with an audit entry and its events',
    async (_, ending, seed, at, change, done, events) => {
      const seeded = await seedGig(store, seed);
      expect(await preview(seeded, ending, at)).toEqual({ ...seeded, ...change });
      expect(await store.gig(seeded.id)).toEqual(seeded);
      expect(await end(seeded, ending, at)).toEqual({ ...seeded, ...change });
      const [entry] = await store.auditEvents({ gigId: seeded.id, limit: 1 });
      const subject = { subject: 'gig', subjectId: String(seeded.id), actor: 'operator', at };
      expect(entry).toMatchObject({ action: done[0], ...subject });
      expect(JSON.parse(entry?.detail ?? '')).toEqual(done[1]);
      expect(await told(seeded)).toEqual(events.map(([type, facts]) => [type, at, facts]));
    },
  );

  test('behavior: of a clock that was set back since the start is at the start', async () => {
    const { id, token } = await seedGig(store, { live: true });
    const paid = { gigId: id, tokenId: token.id, chainId: token.chainId, amount: 1n, commissionAmount: 0n };
    const seeded = await store.transaction(async (tx) => {
      await tx.recordGigTransaction({ ...paid, blockNumber: 1n, checkBlock: null }, SEEDED_AT);
      return await findGig({ store: tx }, { gigId: id });
    });
    const startTime = SEEDED_AT;
    const change = { startTime, stoppedAt: startTime, endTime: startTime };
    expect(await preview(seeded, 'stop', SEEDED_AT - DAY)).toEqual({ ...seeded, ...change });
    expect(await end(seeded, 'stop', SEEDED_AT - DAY)).toEqual({ ...seeded, ...change });
  });

  test('behavior: a stop has held accounts decided on when their hold from then on is over', async () => {
    const seeded = await seedGigWithRules(store, { rules: { holdMs: 7_000 } });
    await seedActs(store, seeded, [sampleAct(11)], { dueAt: SEEDED_AT + DAY });
    await end(seeded, 'stop', MIDDAY);
    expect(await store.earning(seeded.id, sampleAccount(11))).toMatchObject({ dueAt: MIDDAY + 7_000 });
  });

  test('behavior: a second cancellation changes nothing, and is not in the audit', async () => {
    const seeded = await seedGig(store);
    const cancelled = await end(seeded, 'cancel', MIDDAY);
    expect(await preview(seeded, 'cancel', MIDDAY + 1)).toEqual(cancelled);
    expect(await end(seeded, 'cancel', MIDDAY + 1)).toEqual(cancelled);
    expect(await store.auditEvents({ gigId: seeded.id, limit: 9 })).toHaveLength(1);
  });

  test.each<[Ending, string, GigSeed, number, object]>([
    ['stop', 'was created', {}, MIDDAY, { code: 'gig_not_stoppable', phase: 'created' }],
    ['stop', 'is over', { live: true }, SEEDED_AT + DAY, { code: 'gig_not_stoppable', phase: 'ended' }],
    ['settle', 'was created', {}, MIDDAY, { code: 'gig_not_settleable', why: 'created' }],
    ['settle', 'is live', { live: true }, MIDDAY, { code: 'gig_not_settleable', why: 'running' }],
    ['settle', 'is to begin', { live: true }, SEEDED_AT - 1, { code: 'gig_not_settleable', why: 'running' }],
    ['cancel', 'is live', { live: true }, MIDDAY, { code: 'gig_already_live' }],
    ['cancel', 'is over', { live: true }, SEEDED_AT + DAY, { code: 'gig_ended' }],
  ])('error: %s is refused for a gig that %s', async (ending, _, seed, at, refusal) => {
    const seeded = await seedGig(store, seed);
    await expect(preview(seeded, ending, at)).rejects.toMatchObject({ refusal: { ...refusal, gigId: seeded.id } });
    await expect(end(seeded, ending, at)).rejects.toMatchObject({ refusal: { ...refusal, gigId: seeded.id } });
    expect(await store.gig(seeded.id)).toEqual(seeded);
  });

  test('error: a cancelled gig is neither stopped nor settled, and a settled one is settled once', async () => {
    const [never, over] = [await seedGig(store), await seedGig(store, { live: true })];
    await end(never, 'cancel', MIDDAY);
    await expect(end(never, 'stop', MIDDAY)).rejects.toMatchObject({ refusal: { phase: 'cancelled' } });
    await expect(end(never, 'settle', MIDDAY)).rejects.toMatchObject({ refusal: { why: 'cancelled' } });
    await end(over, 'settle', SEEDED_AT + DAY);
    await expect(preview(over, 'settle', SEEDED_AT + DAY)).rejects.toMatchObject({ refusal: { why: 'settled' } });
  });

  test('security: a gig that is being started is not cancelled while the start may hold it', async () => {
    const seeded = await seedGig(store);
    const lock = { holder: 'start', now: MIDDAY, until: MIDDAY + 60_000 };
    await store.transaction((tx) => tx.lockGig(seeded.id, lock));
    const refusal = { code: 'gig_in_progress', gigId: seeded.id };
    await expect(end(seeded, 'cancel', MIDDAY + 59_999)).rejects.toMatchObject({ refusal });
    expect(await end(seeded, 'cancel', MIDDAY + 60_000)).toMatchObject({ cancelledAt: MIDDAY + 60_000 });
  });

  test('security: an end that another process makes in between is refused', async () => {
    const [running, never] = [await seedGig(store, { live: true }), await seedGig(store)];
    const refusal = { code: 'gig_not_stoppable', gigId: running.id, phase: 'ended' };
    await expect(end(running, 'stop', MIDDAY, { stopGig: async () => false })).rejects.toMatchObject({ refusal });
    const cancelling = end(never, 'cancel', MIDDAY, { cancelGig: async () => false });
    await expect(cancelling).rejects.toMatchObject({ refusal: { code: 'gig_in_progress', gigId: never.id } });
    expect([await store.gig(running.id), await store.gig(never.id)]).toEqual([running, never]);
    expect(await store.auditEvents({ limit: 9 })).toEqual([]);
  });

  test('behavior: all of them are listed', () => {
    expect(ENDING_NAMES).toEqual(['stop', 'settle', 'cancel']);
  });
});
