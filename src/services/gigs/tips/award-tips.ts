import { type Account, accountKeyText } from '../../../domain/account.ts';
import { formatAmount } from '../../../domain/amount.ts';
import { payoutOf } from '../../../domain/earning/rules/index.ts';
import { readStoredRules } from '../../../domain/earning/terms/rules-json.ts';
import { DomainError } from '../../../domain/errors.ts';
import { awardFacts } from '../../../domain/events/event.ts';
import { awardableOf, type Gig } from '../../../domain/gigs/gig.ts';
import { whyClosed } from '../../../domain/gigs/gig-end.ts';
import type { NewTip, Tip } from '../../../domain/gigs/tip.ts';
import type { Address } from '../../../domain/gigs/token.ts';
import { type Actor, keyIdOf } from '../../../domain/operators/actor.ts';
import { throwIfInvalid } from '../../../domain/validation.ts';
import type { StoreReads, StoreTx } from '../../../store/port/index.ts';
import { type Deed, recordGigEvent } from '../../operators/audit-events.ts';
import { type Commanded, commandGig } from '../command-gig.ts';
import { readAmounts } from '../terms/terms.ts';

export const MAX_TIPS = 500;

export interface GivenTip extends Account {
  /** Plain decimal text in whole tokens. */
  readonly value: string;
  readonly userAddress: Address | null;
}

export interface AwardedTips {
  readonly gig: Gig;
  readonly tips: readonly Tip[];
  /** Base units of the reward that can still be awarded. */
  readonly left: bigint;
}

function repeats(keys: readonly (string | null)[], tell: (index: number, first: number) => string): string[] {
  const firsts = new Map<string, number>();
  return keys.flatMap((key, index) => {
    if (key === null) return [];
    const first = firsts.get(key);
    if (first !== undefined) return [tell(index, first)];
    firsts.set(key, index);
    return [];
  });
}

/**
 * The problems of a batch as a whole; malformed fields must be left out. Two tips for one account are probably a
 * mistake, and two accounts of a platform cannot share a handle.
 */
export function batchProblems(tips: readonly Partial<GivenTip>[]): string[] {
  const accounts = tips.map(({ platform, platformUserId }) =>
    platform === undefined || platformUserId === undefined ? null : accountKeyText({ platform, platformUserId }),
  );
  const handles = tips.map(({ platform, username }) =>
    platform === undefined || !username ? null : `${platform}:${username.toLowerCase()}`,
  );
  return [
    ...repeats(
      accounts,
      (index, first) => `tips[${index}] is for the same account as tips[${first}]: give each account one tip`,
    ),
    ...repeats(
      handles,
      (index, first) => `tips[${index}].username repeats tips[${first}].username: a handle has one account`,
    ),
  ];
}

function toNewTips(gig: Gig, given: readonly GivenTip[]): NewTip[] {
  const texts = given.map(({ value }, index) => ({ field: `tips[${index}].value`, text: value }));
  const { amounts, problems } = readAmounts(texts, gig.token);
  throwIfInvalid(problems);
  return given.map(({ platform, platformUserId, userAddress }, index) => ({
    gigId: gig.id,
    tokenId: gig.token.id,
    platform,
    platformUserId,
    amount: amounts[index] ?? 0n,
    userAddress,
  }));
}

async function takesRequests(reads: StoreReads, gigId: number): Promise<boolean> {
  const stored = await reads.earningRules(gigId);
  return stored === null || readStoredRules(stored.rules).tipsByRequest;
}

/** How people award tips of a gig now: from a list, and by decisions about submissions. */
export interface AwardWays {
  readonly list: boolean;
  readonly submissions: boolean;
}

/** The ways that a gig is awarded by people at `now`, epoch milliseconds. */
export async function findAwardWays(reads: StoreReads, gig: Gig, now: number): Promise<AwardWays> {
  const isOpen = whyClosed(gig, now) === null;
  const stored = isOpen ? await reads.earningRules(gig.id) : null;
  const isBounty = stored !== null && payoutOf(readStoredRules(stored.rules).rule).hasSubmissions;
  return { list: isOpen && (await takesRequests(reads, gig.id)), submissions: isBounty };
}

/** Records that a batch of tips was awarded; the ids of one batch are consecutive. */
export async function recordAward(
  tx: StoreTx,
  deed: Deed,
  { gig, tips, sum }: { gig: Gig; tips: readonly Tip[]; sum: bigint },
): Promise<void> {
  const detail = { count: tips.length, sum, first_id: tips[0]?.id, last_id: tips.at(-1)?.id };
  const facts = awardFacts(tips, { sum, token: gig.token });
  await recordGigEvent(tx, deed, { action: 'tips.award', gigId: gig.id, detail, facts });
}

/**
 * The gig with this id, if it takes awards by request now from this actor.
 * @throws DomainError as {@link commandGig}, `gig_not_running`, `tips_by_rules_only`
 */
export async function findAwardable(
  reads: StoreReads,
  { gigId, actor, now }: { gigId: number; actor: Actor; now: number },
): Promise<Commanded> {
  // A server is asked both at once.
  const [gig, isTaken] = await Promise.all([
    commandGig(reads, { gigId, actor, act: 'award' }),
    takesRequests(reads, gigId),
  ]);
  const phase = whyClosed(gig, now);
  if (phase !== null) throw new DomainError({ code: 'gig_not_running', gigId, phase });
  if (!isTaken) throw new DomainError({ code: 'tips_by_rules_only', gigId });
  return gig;
}

/**
 * Awards a batch of tips from a live gig, until its time for awards is over: all or none. A gig's tips never exceed its reward, even
 * with concurrent batches.
 * @throws DomainError as {@link commandGig}, `validation_failed` with every problem at once, `gig_not_running`,
 * `tips_by_rules_only`, `reward_exceeded`
 */
export async function awardTips(
  tx: StoreTx,
  { gigId, tips: given }: { gigId: number; tips: readonly GivenTip[] },
  deed: Deed,
): Promise<AwardedTips> {
  const { actor, now } = deed;
  throwIfInvalid(batchProblems(given));
  const gig: Commanded = await findAwardable(tx, { gigId, actor, now });
  const tips = toNewTips(gig, given);
  const left = awardableOf(gig);
  const sum = tips.reduce((total, tip) => total + tip.amount, 0n);
  if (sum > left) {
    const { decimals, symbol } = gig.token;
    throw new DomainError({ code: 'reward_exceeded', gigId, left: formatAmount(left, decimals), symbol });
  }
  await tx.suggestUsernames(given, now);
  const inserted = await tx.insertTips(tips, now, keyIdOf(actor));
  await recordAward(tx, deed, { gig, tips: inserted, sum });
  return { gig, tips: inserted, left: left - sum };
}
