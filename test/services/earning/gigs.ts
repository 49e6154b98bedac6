import type { Target } from '../../../src/domain/earning/act.ts';
import { commitmentOf } from '../../../src/domain/earning/payouts/draw.ts';
import { payoutOf, type Rule } from '../../../src/domain/earning/rules/index.ts';
import type { EarningRules, Gates } from '../../../src/domain/earning/terms/rules.ts';
import { storeRules } from '../../../src/domain/earning/terms/rules-json.ts';
import type { Gig } from '../../../src/domain/gigs/gig.ts';
import type { Address } from '../../../src/domain/gigs/token.ts';
import type { Store } from '../../../src/store/port/index.ts';
import { SAMPLE_RULES } from '../../support/earning.ts';
import { type GigSeed, SEEDED_AT, seedGig, seedHash } from '../../support/store.ts';

export const MINUTE = 60_000;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;
export const START = SEEDED_AT;
/** Of the window of seeded gigs. */
export const END = START + DAY;
/** One whole token. */
export const E18 = 10n ** 18n;

/** Of every raffle. */
export const SECRET = '5e'.repeat(32);

export interface EarnedGig extends Omit<GigSeed, 'live'> {
  readonly target: Target;
  /** Base units for each account; 10 whole tokens when absent. */
  readonly each?: bigint;
  /** Instead of the same for each account. */
  readonly rule?: Rule;
  readonly holdMs?: number;
  readonly gates?: Partial<Gates>;
}

let learned = 0;

/** The ledger learns that the gig's wallet has paid a tip that it lost. */
export async function learnPayment(
  store: Store,
  { id: gigId, token }: Gig,
  { now, ...paid }: { recipient: Address; amount: bigint; now: number },
): Promise<void> {
  learned += 1;
  const payment = { kind: 'payout', gigId, claimId: null, tokenId: token.id, chainId: token.chainId } as const;
  const how = { hash: seedHash(learned), blockNumber: 1n, gasUsed: 0n, now, tipIds: [] };
  const numbers = [BigInt(1_000_000 + learned)];
  await store.transaction((tx) => tx.adoptPayment({ ...payment, ...paid, numbers }, how));
}

/** A live gig from START to END, for 100 whole tokens, with the defaults of the gates, unless said otherwise. */
export async function openGig(store: Store, { target, each, rule, holdMs, gates, ...seed }: EarnedGig): Promise<Gig> {
  const gig = await seedGig(store, { gigType: 'like', ...seed });
  const rules: EarningRules = {
    rule: rule ?? { type: 'fixed', amount: each ?? 10n * E18 },
    gates: { ...SAMPLE_RULES.gates, ...gates },
    holdMs: holdMs ?? 12 * HOUR,
    tipsByRequest: true,
  };
  const { id, startTime, endTime } = gig;
  await store.transaction(async (tx) => {
    await tx.storeEarningRules(id, { given: null, rules: storeRules(rules), target });
    await tx.lockGig(id, { holder: 'seed', now: START, until: START + MINUTE });
    await tx.markLive(id, { holder: 'seed', startTime, endTime });
    const payout = payoutOf(rules.rule);
    await tx.openWatch(id, { target, nextAt: startTime, entrySecret: payout.entry === undefined ? null : SECRET });
    if (payout.hasDraw) await tx.openDraw(id, { secret: SECRET, commitment: commitmentOf(SECRET) });
  });
  return gig;
}
