import fc from 'fast-check';
import type { Rule } from '../../../src/domain/earning/rules/index.ts';
import { awardableOf, type GigType } from '../../../src/domain/gigs/gig.ts';
import { createActInbox } from '../../../src/services/earning/acts/receive-acts.ts';
import { openTestStore } from '../../support/database.ts';
import { fault } from '../fakes.ts';
import { Crash, crashing } from './crash.ts';
import { CROWD_ACCOUNT, CROWD_POST, createCrowd } from './crowd.ts';
import { moody } from './deciding.ts';
import { createEngine, type Engine, type SetClock } from './engine.ts';
import { DAY, END, HOUR, MINUTE, openGig, START } from './gigs.ts';

/** What the verifier of a bounty does from then on. */
const MOODS = ['well', 'well', 'silent', 'lying', 'lazy'] as const;

const account = fc.integer({ min: 11, max: 22 }).map(String);

/** One thing that happens to a gig. */
const happening = fc.oneof(
  { weight: 8, arbitrary: fc.record({ what: fc.constant('act' as const), account }) },
  { weight: 2, arbitrary: fc.record({ what: fc.constant('backdated' as const), account }) },
  { weight: 3, arbitrary: fc.record({ what: fc.constant('undo' as const), account }) },
  { weight: 1, arbitrary: fc.record({ what: fc.constantFrom('lose' as const, 'find' as const), account }) },
  {
    weight: 8,
    arbitrary: fc.record({ what: fc.constant('pass' as const), minutes: fc.integer({ min: 1, max: 400 }) }),
  },
  // Small steps back, as clocks make them; larger ones end waits, as the watch over the clock does.
  { weight: 1, arbitrary: fc.record({ what: fc.constant('back' as const), minutes: fc.integer({ min: 1, max: 90 }) }) },
  { weight: 2, arbitrary: fc.record({ what: fc.constant('fail' as const), times: fc.integer({ min: 1, max: 6 }) }) },
  {
    weight: 2,
    arbitrary: fc.record({
      what: fc.constant('crash' as const),
      at: fc.integer({ min: 1, max: 12 }),
      when: fc.constantFrom('before' as const, 'after' as const),
    }),
  },
  { weight: 2, arbitrary: fc.record({ what: fc.constant('tip' as const), account, amount: fc.bigInt(1n, 40n) }) },
  { weight: 2, arbitrary: fc.record({ what: fc.constant('two' as const) }) },
  { weight: 2, arbitrary: fc.record({ what: fc.constant('verifier' as const), mood: fc.constantFrom(...MOODS) }) },
  // A webhook of anything that was ever done: most are lost, some come twice, late or in another order.
  { weight: 6, arbitrary: fc.record({ what: fc.constant('deliver' as const), which: fc.nat({ max: 60 }) }) },
);

/** Rules with rounds, by which a gig for 100 units is divided. */
const roundRule = fc.oneof(
  fc.record({
    type: fc.constant('split' as const),
    roundMs: fc.constantFrom(5 * HOUR, 12 * HOUR, DAY),
    maxAmount: fc.bigInt(1n, 100n),
  }),
  fc.record({
    type: fc.constant('weighted' as const),
    by: fc.constantFrom('score' as const, 'score_reach' as const),
    roundMs: fc.constantFrom(5 * HOUR, 12 * HOUR, DAY),
    maxAmount: fc.bigInt(1n, 100n),
  }),
);

const verifierRule = fc.record({ type: fc.constant('verifier' as const), maxAmount: fc.bigInt(5n, 60n) });

type Kind = 'like' | 'reply' | 'follow' | 'submission';

const fixedRule = fc.record({ type: fc.constant('fixed' as const), amount: fc.bigInt(7n, 60n) });

/** What happens to a gig for 100 units, from its start on. */
const historyBy = <R extends Rule, K extends Kind>(rule: fc.Arbitrary<R>, ...kinds: K[]) =>
  fc.record({
    kind: fc.constantFrom(...kinds),
    rule,
    holdHours: fc.constantFrom(0, 1, 6),
    pageSize: fc.integer({ min: 1, max: 4 }),
    bulk: fc.integer({ min: 1, max: 4 }),
    happenings: fc.array(happening, { minLength: 5, maxLength: 40 }),
  });
export const history = historyBy(fixedRule, 'like', 'reply', 'follow');
export const roundsHistory = historyBy(roundRule, 'like', 'reply', 'follow');
export const bountyHistory = historyBy(verifierRule, 'submission');
const raffleRule = fc.record({ type: fc.constant('raffle' as const), winners: fc.integer({ min: 1, max: 15 }) });
export const raffleHistory = historyBy(raffleRule, 'like', 'reply', 'follow');

type HistoryOf<R extends Rule, K extends Kind> =
  ReturnType<typeof historyBy<R, K>> extends fc.Arbitrary<infer T> ? T : never;
export type History = HistoryOf<Rule, Kind>;
type Happening = History['happenings'][number];

const SAYINGS = ['rate_limited', 'payment_required', 'timeout', 'rejected'] as const;

/** Lives through a history, and until the gig is over and everything is well. @returns what the store holds then */
export async function liveThrough({ kind, rule, holdHours, pageSize, bulk, happenings }: History) {
  const { store, close } = await openTestStore();
  const clock: SetClock = { now: START };
  const crowd = createCrowd(clock, { pageSize, bulk });
  const target = kind === 'follow' ? CROWD_ACCOUNT : CROWD_POST;
  const gigType: GigType = kind === 'submission' ? 'custom_bounty' : kind;
  const terms = { gigType, verifier: 'asked', target, rewardAmount: 100n, rule, holdMs: holdHours * HOUR };
  const gig = await openGig(store, { ...terms, gates: { minLetters: 5 } });
  const { reader } = crowd;
  const { verifiers, asked, be } = moody(rule.type === 'verifier' ? rule.maxAmount : 0n);
  let engine: Engine = createEngine({ store, clock, reader, verifiers });
  const { storeActs: receive } = createActInbox(engine.deps);
  const undone = new Set<string>();
  const lost = new Set<string>();

  /** Works with the engine; one that dies is followed by another one. */
  async function survive(work: (engine: Engine) => Promise<unknown>): Promise<void> {
    try {
      await work(engine);
    } catch (error) {
      if (!(error instanceof Crash)) throw error;
      engine = createEngine({ store, clock, reader, verifiers });
    }
  }

  async function tip(platformUserId: string, wanted: bigint): Promise<void> {
    await store.transaction(async (tx) => {
      const now = await tx.gig(gig.id);
      const left = now === null ? 0n : awardableOf(now);
      if (left === 0n) return;
      const given = { gigId: gig.id, tokenId: gig.token.id, platform: 'farcaster', platformUserId } as const;
      await tx.insertTips([{ ...given, amount: wanted < left ? wanted : left, userAddress: null }], clock.now);
    });
  }

  async function happen(each: Happening): Promise<void> {
    switch (each.what) {
      case 'act':
        return crowd.act(kind, each.account);
      case 'backdated':
        return crowd.act(kind, each.account, Math.max(START, clock.now - 5 * HOUR));
      case 'undo':
        undone.add(each.account);
        return crowd.undo(kind, each.account);
      case 'lose':
      case 'find':
        lost.add(each.account);
        return crowd.lose(each.account, each.what === 'lose');
      case 'pass':
        return await survive((living) => living.until(clock.now + each.minutes * MINUTE));
      case 'back':
        clock.now = Math.max(START, clock.now - each.minutes * MINUTE);
        return void (await store.transaction((tx) => tx.endWaits({ now: clock.now, leaseMs: 2 * MINUTE })));
      case 'fail':
        return void crowd.fail(fault(SAYINGS[each.times % SAYINGS.length] ?? 'timeout', 'never'), each.times);
      case 'crash':
        engine = createEngine({ store: crashing(store, each), clock, reader, verifiers });
        return await survive((living) => living.until(clock.now + HOUR));
      case 'tip':
        return void (await Promise.all([survive((living) => living.work()), tip(each.account, each.amount)]));
      case 'deliver': {
        const event = crowd.events().at(-1 - each.which);
        return void (await receive(event === undefined ? [] : [event]));
      }
      case 'verifier':
        return be(each.mood);
      case 'two': {
        const other = createEngine({ store, clock, reader, verifiers });
        const early = other.step();
        clock.now += 3 * MINUTE;
        return void (await Promise.all([early, survive((living) => living.work()), other.work()]));
      }
    }
  }

  try {
    for (const each of happenings) await happen(each);
    crowd.recover();
    be('well');
    engine = createEngine({ store, clock, reader, verifiers });
    await engine.until(Math.max(clock.now, END) + (kind === 'submission' ? 8 * DAY : 3 * DAY));
    const ids = Array.from({ length: 30 }, (_, index) => String(index + 1));
    const accounts = await Promise.all(
      ids.map(async (platformUserId) => {
        const key = { platform: 'farcaster', platformUserId } as const;
        const { tips } = await store.pendingTips([key]);
        const [earning, observations] = await Promise.all([
          store.earning(gig.id, key),
          store.observations(gig.id, key),
        ]);
        return { id: platformUserId, tips, earning, observations };
      }),
    );
    const [after, earned, watch] = await Promise.all([
      store.gig(gig.id),
      store.earnedAmount(gig.id),
      store.watch(gig.id),
    ]);
    const [last, reserved] = [await store.lastRound(gig.id), after?.reservedAmount];
    const [open, draw] = [await store.openBatch(gig.id), await store.draw(gig.id)];
    return {
      accounts,
      open,
      draw,
      asked: asked(),
      awarded: after?.awardedAmount ?? 0n,
      reserved,
      last,
      earned,
      watch,
      undone,
      lost,
    };
  } finally {
    await close();
  }
}

/** What the store holds of a gig that was lived through. */
export type Lived = Awaited<ReturnType<typeof liveThrough>>;
