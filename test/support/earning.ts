import type { AccountKey } from '../../src/domain/account.ts';
import type { Target } from '../../src/domain/earning/act.ts';
import type { EarningFacts } from '../../src/domain/earning/earning.ts';
import type { EarningRules } from '../../src/domain/earning/terms/rules.ts';
import { storeRules } from '../../src/domain/earning/terms/rules-json.ts';
import type { Gig } from '../../src/domain/gigs/gig.ts';
import type { EarningDecision, NewObservation, Sight, Store, StoreTx } from '../../src/store/port/index.ts';
import { type GigSeed, SEEDED_AT, seedGig } from './store.ts';

/** The target of watched gigs that are seeded: a post by the account 5. */
export const SAMPLE_TARGET: Target = { kind: 'post', postId: '0xab', authorId: '5' };

/** What is known of an account that passes every gate. */
export const SAMPLE_FACTS: EarningFacts = {
  username: 'alice',
  score: 900_000,
  followers: 12,
  registeredAt: 1,
  label: 'unknown',
  verifiedAddresses: 1,
  letters: 20,
};

/** The Farcaster account with this id. */
export function sampleAccount(id: number | string): AccountKey {
  return { platform: 'farcaster', platformUserId: String(id) };
}

/** A live gig that is watched from SEEDED_AT on, and due then. */
export async function seedWatchedGig(
  store: Store,
  { target = SAMPLE_TARGET, nextAt = SEEDED_AT, ...seed }: GigSeed & { target?: Target; nextAt?: number } = {},
): Promise<Gig> {
  const gig = await seedGig(store, { live: true, ...seed });
  await store.transaction((tx) => tx.openWatch(gig.id, { target, nextAt }));
  return gig;
}

/** Rules by which each account gets 2 whole tokens, with the gates that are usual. */
export const SAMPLE_RULES: EarningRules = {
  rule: { type: 'fixed', amount: 2n * 10n ** 18n },
  gates: {
    minScore: 550_000,
    minAccountAgeDays: 7,
    minFollowers: 0,
    verifiedAddress: true,
    spamLabel: 'not_spam',
    minLetters: 10,
  },
  holdMs: 43_200_000,
  tipsByRequest: true,
};

/** A live like gig with rules, watched from SEEDED_AT on. */
export async function seedGigWithRules(
  store: Store,
  { rules, ...seed }: GigSeed & { rules?: Partial<EarningRules> } = {},
): Promise<Gig> {
  const gig = await seedGig(store, { gigType: 'like', externalUrl: 'https://farcaster.xyz/alice/0xab', ...seed });
  return await store.transaction(async (tx) => {
    const stored = storeRules({ ...SAMPLE_RULES, ...rules });
    await tx.storeEarningRules(gig.id, { given: null, rules: stored, target: SAMPLE_TARGET });
    await tx.lockGig(gig.id, { holder: 'seed', now: SEEDED_AT, until: SEEDED_AT + 60_000 });
    await tx.markLive(gig.id, { holder: 'seed', startTime: gig.startTime, endTime: gig.endTime });
    await tx.openWatch(gig.id, { target: SAMPLE_TARGET, nextAt: SEEDED_AT });
    return (await tx.gig(gig.id)) ?? gig;
  });
}

/** A like by an account, ranked at SEEDED_AT, unless said otherwise; not stored yet. */
export function sampleAct(accountId: number | string, overrides: Partial<NewObservation> = {}): NewObservation {
  return {
    kind: 'like',
    accountId: String(accountId),
    username: null,
    objectId: '',
    actedAt: null,
    text: null,
    rankedAt: SEEDED_AT,
    textHash: null,
    letters: null,
    ...overrides,
  };
}

/** A reply by an account with a text of its own, unless said otherwise; not stored yet. */
export function sampleReply(
  accountId: number | string,
  objectId: string,
  overrides: Partial<NewObservation> = {},
): NewObservation {
  const textHash = Buffer.from(objectId).toString('hex').padStart(64, '0').slice(-64);
  return sampleAct(accountId, { kind: 'reply', objectId, textHash, letters: 20, ...overrides });
}

/** Stores acts that a look saw at SEEDED_AT, due at once, unless said otherwise; answers how many were new. */
export async function seedActs(
  store: Store,
  gig: Pick<Gig, 'id'>,
  acts: readonly NewObservation[],
  sight: Partial<Sight> = {},
): Promise<number> {
  const seen: Sight = { platform: 'farcaster', source: 'look', now: SEEDED_AT, dueAt: SEEDED_AT, ...sight };
  return await store.transaction((tx) => tx.storeActs(gig.id, acts, seen));
}

/** Decides about an account from its present state; eligible with {@link SAMPLE_FACTS} unless said otherwise. */
export async function decideAs(
  tx: StoreTx,
  gig: Pick<Gig, 'id'>,
  account: AccountKey,
  change: Partial<EarningDecision> & { now?: number } = {},
): Promise<boolean> {
  const earning = await tx.earning(gig.id, account);
  if (earning === null) throw new Error(`account ${account.platformUserId} has no earning`);
  const { state, observationId, rankedAt, dueAt } = earning;
  const { now = SEEDED_AT, ...rest } = change;
  const decision: EarningDecision = {
    ...account,
    gigId: gig.id,
    from: state,
    to: 'eligible',
    reason: null,
    facts: SAMPLE_FACTS,
    observationId,
    rankedAt,
    dueAt,
    part: null,
    addresses: [],
    textHash: null,
    ...rest,
  };
  return await tx.decideEarning(decision, now);
}

/** Awards an eligible account a tip of this amount. */
export async function awardAs(
  tx: StoreTx,
  gig: Gig,
  account: AccountKey,
  { amount = 5n, now = SEEDED_AT }: { amount?: bigint; now?: number } = {},
): Promise<void> {
  const tip = { ...account, gigId: gig.id, tokenId: gig.token.id, amount, userAddress: null };
  const [inserted] = await tx.insertTips([tip], now);
  const isAwarded = await tx.awardEarning(gig.id, account, { tipId: inserted?.id ?? 0, amount, now });
  if (!isAwarded) throw new Error(`account ${account.platformUserId} is not eligible`);
}
