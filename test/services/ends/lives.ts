import fc from 'fast-check';
import { DomainError } from '../../../src/domain/errors.ts';
import type { Gig } from '../../../src/domain/gigs/gig.ts';
import type { Address } from '../../../src/domain/gigs/token.ts';
import { COMMAND_LINE } from '../../../src/domain/operators/actor.ts';
import { voidTips } from '../../../src/services/gigs/tips/void-tip.ts';
import type { Store } from '../../../src/store/port/index.ts';
import { account, addressOf, TREASURY } from '../payments/sender/bank.ts';
import { BACK, DAY, type Ends, FEE, HOUR, openEnds } from './world.ts';

const ACCOUNTS = [1, 2, 3] as const;
/** Base units. Awards are powers of two, so that a sum tells its parts; those of a whole life may be more than this. */
const REWARD = 4_000n;
const MOST_AWARDS = 12;

const gig = fc.nat({ max: 1 });
const who = fc.nat({ max: 2 });

/** What happens to two gigs, the second of which does not say where its money returns to. */
const happening = fc.oneof(
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('fund' as const), gig, isExact: fc.boolean() }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('start' as const), gig }) },
  { weight: 6, arbitrary: fc.record({ kind: fc.constant('award' as const), gig, who }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('claim' as const), who }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constantFrom('stop', 'settle', 'cancel'), gig }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('void' as const), gig, who }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('work' as const), blocks: fc.nat({ max: 4 }) }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('pass' as const), hours: fc.constantFrom(1, 30, 80) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('copy' as const) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('restore' as const) }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('reorganise' as const),
      depth: fc.integer({ min: 1, max: 9 }),
      keeps: fc.boolean(),
    }),
  },
);

/** Two gigs are funded and one is started before the rest, so that most lives come to something. */
export const life = fc.array(happening, { minLength: 10, maxLength: 45 });
export type Happening = (typeof life extends fc.Arbitrary<infer T> ? T : never) extends readonly (infer E)[]
  ? E
  : never;

/** An award of a ledger that may be lost. */
interface Award {
  readonly gigId: number;
  readonly to: Address;
  readonly amount: bigint;
}

interface Sums {
  readonly awarded: bigint;
  readonly voided: bigint;
  readonly paid: bigint;
}

async function readKept(store: Store, gigId: number): Promise<Sums> {
  const sums = await store.gigSums(gigId);
  if (sums === null) throw new Error(`there is no gig ${gigId}`);
  return { awarded: sums.gig.awardedAmount, voided: sums.voided, paid: sums.paid };
}

/** What was paid for tips that the ledger has lost counts as awarded. */
async function sumRows(store: Store, gigId: number): Promise<Sums> {
  const sum = (rows: readonly { amount: bigint }[]) => rows.reduce((total, { amount }) => total + amount, 0n);
  const tips = await store.tipsOfGig(gigId, { limit: 1_000 });
  const payments = await store.paymentsOfGig(gigId);
  const payouts = payments.filter(({ kind, state }) => kind === 'payout' && state === 'confirmed');
  const ofTips = await Promise.all(payouts.map(({ id }) => store.tipsOfPayment(id)));
  const lost = payouts.filter((_, index) => ofTips[index]?.length === 0);
  return {
    awarded: sum(tips.filter(({ voidedAt }) => voidedAt === null)) + sum(lost),
    voided: sum(tips.filter(({ voidedAt }) => voidedAt !== null)),
    paid: sum(payouts),
  };
}

/** What has come of a life. */
export interface Ended {
  readonly gigs: readonly {
    readonly id: number;
    readonly given: bigint;
    readonly held: bigint;
    readonly paid: Readonly<Record<Address, bigint>>;
    /** Its sums as the ledger keeps them, and as its rows add up. */
    readonly kept: Sums;
    readonly summed: Sums;
  }[];
  readonly awards: readonly Award[];
  /** The least that a wallet has held at any time. */
  readonly least: bigint;
  /** Tips that are still to be paid, and payments that are under way. */
  readonly open: number;
}

async function unlessRefused(run: () => Promise<unknown>): Promise<boolean> {
  try {
    await run();
    return true;
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    return false;
  }
}

/** The wallets of a life, and what its operator remembers when its ledger is put back. */
async function openLife(ends: Ends) {
  const { store, bank, model, clock } = ends;
  const gigs: readonly [Gig, Gig] = [
    await ends.create({ rewardAmount: REWARD }),
    await ends.create({ rewardAmount: REWARD, refundAddress: null, awardDays: 1 }),
  ];
  const given = new Map<number, bigint>();
  const awards: Award[] = [];
  const voided = new Set<bigint>();
  let copy = await bank.copy();
  let least = 0n;

  function fund(index: number, amount: bigint): void {
    const { id, walletAddress } = gigs[index] ?? gigs[0];
    ends.fund({ walletAddress }, amount);
    given.set(id, (given.get(id) ?? 0n) + amount);
  }

  async function start(of: Gig): Promise<void> {
    if (!(await unlessRefused(() => ends.start(of)))) return;
    await ends.pass(4);
    await store.transaction((tx) => tx.markFundingChecked(of.id));
  }

  async function award({ id }: Gig, index: number): Promise<void> {
    const amount = 2n ** BigInt(awards.length);
    const to = account(ACCOUNTS[index] ?? 1);
    if (awards.length >= MOST_AWARDS) return;
    if (await unlessRefused(() => ends.award({ ...gigs[0], id }, to.platformUserId, amount))) {
      awards.push({ gigId: id, to: addressOf(to), amount });
    }
  }

  async function voidAll(isMeant: (tip: { gigId: number; amount: bigint }) => boolean, index?: number): Promise<void> {
    const of = index === undefined ? ACCOUNTS.map(account) : [account(ACCOUNTS[index] ?? 1)];
    for (const tip of (await store.pendingTips(of)).tips.filter(isMeant)) {
      const request = { tipIds: [tip.id], reason: 'by mistake', actor: COMMAND_LINE };
      if (await unlessRefused(() => voidTips({ store, clock }, request))) voided.add(tip.amount);
    }
  }

  async function audit(): Promise<void> {
    for (const { id } of gigs) {
      if ((await store.gig(id))?.status === 'live') await ends.reconcile({ id });
    }
  }

  /** What was on its way is in the chain when the ledger is put back; an operator voids again what was voided. */
  async function restore(): Promise<void> {
    await ends.pass(8);
    await bank.restore(copy);
    await ends.pass(4);
    await audit();
    await voidAll(({ amount }) => voided.has(amount));
  }

  async function happen(what: Happening): Promise<void> {
    const of = 'gig' in what ? (gigs[what.gig] ?? gigs[0]) : gigs[0];
    if (what.kind === 'fund') fund(what.gig, what.isExact ? REWARD + FEE : 7n);
    else if (what.kind === 'start') await start(of);
    else if (what.kind === 'award') await award(of, what.who);
    else if (what.kind === 'claim') await bank.claim(account(ACCOUNTS[what.who] ?? 1));
    else if (what.kind === 'void') await voidAll(({ gigId }) => gigId === of.id, what.who);
    else if (what.kind === 'pass') ends.advance(what.hours * HOUR);
    else if (what.kind === 'copy') copy = await bank.copy();
    else if (what.kind === 'restore') await restore();
    else if (what.kind === 'reorganise') model.reorganise(what.depth, { keeps: what.keeps });
    else if (what.kind === 'work') {
      await ends.work();
      await ends.pass(what.blocks);
    } else await unlessRefused(() => ends.end(of, what.kind));
    for (const { walletAddress } of gigs) {
      const held = ends.heldBy(walletAddress);
      if (held < least) least = held;
    }
  }

  /** Everything is ended, claimed and returned, by the operator where the service waits for one. */
  async function end(): Promise<void> {
    await ends.finish();
    await ends.pass(10);
    await audit();
    for (const each of gigs) {
      for (const ending of ['cancel', 'stop'] as const) await unlessRefused(() => ends.end(each, ending));
      await store.transaction((tx) => tx.nameRefundAddress(each.id, BACK));
    }
    for (const number of ACCOUNTS) await bank.claim(account(number));
    await ends.finish();
    ends.advance(100 * DAY);
    await ends.workAndFinish();
    ends.advance(4 * DAY);
    for (const each of gigs) await unlessRefused(() => ends.refund(each, true));
    await ends.finish();
    await ends.pass(4);
    for (const each of gigs) await unlessRefused(() => ends.returnAll(each, true));
    await ends.finish();
    await ends.pass(4);
  }

  async function conclude(): Promise<Ended> {
    const left = await Promise.all(gigs.map(({ id }) => store.paymentsOfGig(id)));
    const { tips } = await store.pendingTips(ACCOUNTS.map(account));
    const ended = gigs.map(async ({ id, walletAddress }) => ({
      id,
      given: given.get(id) ?? 0n,
      held: ends.heldBy(walletAddress),
      paid: ends.paidBy({ walletAddress }),
      kept: await readKept(store, id),
      summed: await sumRows(store, id),
    }));
    return {
      gigs: await Promise.all(ended),
      awards,
      least,
      open: tips.length + left.flat().filter(({ state }) => state === 'planned' || state === 'sent').length,
    };
  }
  return { happen, end, conclude };
}

/** Everybody who may be paid besides those who earned. */
export const OTHERS: readonly Address[] = [TREASURY, BACK];

/** Lets all this happen, and then ends it; `inspect` sees the ledger then. */
export async function live(
  happenings: readonly Happening[],
  inspect: (ends: Ends) => Promise<void> = async () => undefined,
): Promise<Ended> {
  const ends = await openEnds();
  try {
    const lived = await openLife(ends);
    for (const what of happenings) await lived.happen(what);
    await lived.end();
    await inspect(ends);
    return await lived.conclude();
  } finally {
    await ends.close();
  }
}
