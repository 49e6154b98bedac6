import { type Actor, keyIdOf } from '../../domain/actor.ts';
import { formatAmount } from '../../domain/amount.ts';
import { DomainError } from '../../domain/errors.ts';
import { type Gig, gigPhase } from '../../domain/gig.ts';
import { accountShape, addressField, amountField } from '../../domain/terms.ts';
import type { NewTip, Tip } from '../../domain/tip.ts';
import { complete, type Reading, readFields, refuseProblems } from '../../domain/validation.ts';
import type { Store, StoreTx } from '../../store/port/index.ts';
import { firstAnswer, type IdempotencyKey, withIdempotency } from '../idempotency.ts';
import { type Deed, recordGigEvent } from '../operators/audit-events.ts';
import { findReachedGig } from './find-gigs.ts';
import { readAmounts } from './terms.ts';

export const MAX_TIPS = 500;

/** One tip of a batch, as clients give it; `value` is in whole tokens. */
export const tipShape = {
  ...accountShape,
  value: amountField('value').describe('In whole tokens; as text for more digits than a number holds.'),
  user_address: addressField('user_address').nullish().describe('The address of the account, if it is known.'),
};

type TipReading = Reading<typeof tipShape>;

/** What a batch of tips did. */
export interface AwardedTips {
  readonly gig: Gig;
  readonly tips: readonly Tip[];
  /** Base units of the reward that can still be awarded. */
  readonly left: bigint;
}

function listOf(body: unknown): readonly unknown[] {
  const tips: unknown = typeof body === 'object' && body !== null && 'tips' in body ? body.tips : undefined;
  const isBatch = Array.isArray(tips) && tips.length > 0 && tips.length <= MAX_TIPS;
  refuseProblems(isBatch ? [] : [`tips must be a list of 1 to ${MAX_TIPS} tips`]);
  return Array.isArray(tips) ? tips : [];
}

/** Two tips for one account are more likely a mistake than a wish, so they are refused rather than added up. */
function repeats(readings: readonly TipReading[]): string[] {
  const seen = new Map<string, number>();
  return readings.flatMap(({ fields }, index) => {
    if (fields.platform === undefined || fields.platform_user_id === undefined) return [];
    const account = `${fields.platform}:${fields.platform_user_id}`;
    const first = seen.get(account);
    if (first === undefined) seen.set(account, index);
    return first === undefined
      ? []
      : [`tips[${index}] is for the same account as tips[${first}]: give each account one tip`];
  });
}

/** A handle belongs to one account of a network, so two in one batch cannot both be right. */
function sharedHandles(readings: readonly TipReading[]): string[] {
  const seen = new Map<string, number>();
  return readings.flatMap(({ fields: { platform, username } }, index) => {
    if (platform === undefined || !username) return [];
    const handle = `${platform}:${username.toLowerCase()}`;
    const first = seen.get(handle);
    if (first === undefined) seen.set(handle, index);
    return first === undefined ? [] : [`tips[${index}].username is that of tips[${first}]: a handle has one account`];
  });
}

function readTips(body: unknown) {
  const readings = listOf(body).map((tip, index) => readFields(tipShape, tip, { where: `tips[${index}]` }));
  refuseProblems([...readings.flatMap(({ problems }) => problems), ...repeats(readings), ...sharedHandles(readings)]);
  return readings.map((reading) => complete(reading));
}

function toNewTips(gig: Gig, given: ReturnType<typeof readTips>): NewTip[] {
  const texts = given.map(({ value }, index) => ({ field: `tips[${index}].value`, text: value }));
  const { amounts, problems } = readAmounts(texts, gig.token);
  refuseProblems(problems);
  return given.map((tip, index) => ({
    gigId: gig.id,
    tokenId: gig.token.id,
    platform: tip.platform,
    platformUserId: tip.platform_user_id,
    amount: amounts[index] ?? 0n,
    userAddress: tip.user_address ?? null,
  }));
}

async function award(tx: StoreTx, gig: Gig, given: ReturnType<typeof readTips>, deed: Deed): Promise<AwardedTips> {
  const { actor, now } = deed;
  const phase = gigPhase(gig, now);
  if (phase !== 'live') throw new DomainError({ code: 'gig_not_running', gigId: gig.id, phase });
  const tips = toNewTips(gig, given);
  const left = gig.rewardAmount - gig.awardedAmount;
  const sum = tips.reduce((total, tip) => total + tip.amount, 0n);
  if (sum > left) {
    const { decimals, symbol } = gig.token;
    throw new DomainError({ code: 'reward_exceeded', gigId: gig.id, left: formatAmount(left, decimals), symbol });
  }
  for (const { platform, platform_user_id: platformUserId, username } of given) {
    await tx.suggestUsername({ platform, platformUserId, username }, now);
  }
  const inserted = await tx.insertTips(tips, now, keyIdOf(actor));
  // The ids of one batch follow each other.
  const detail = { count: inserted.length, sum, first_id: inserted[0]?.id, last_id: inserted.at(-1)?.id };
  await recordGigEvent(tx, deed, { action: 'tips.award', gigId: gig.id, detail });
  return { gig, tips: inserted, left: left - sum };
}

/**
 * Awards a batch of tips from a live gig inside its window: all of them or none. The tips of a gig never exceed its
 * reward, however many batches come at once. With `once` it does so only the first time.
 * @returns what `render` makes of it, as JSON; under a known key what it made the first time
 * @throws DomainError `validation_failed` with every problem at once, `gig_not_found`, `gig_not_running`,
 * `reward_exceeded`, `key_reused`
 */
export async function awardTips(
  deps: { store: Pick<Store, 'transaction' | 'findIdempotentResponse' | 'gig'>; clock: () => number },
  request: {
    gigId: number;
    body: unknown;
    once: IdempotencyKey | null;
    render: (awarded: AwardedTips) => object;
    actor: Actor;
  },
): Promise<string> {
  const { store, clock } = deps;
  const { gigId, once, render, actor } = request;
  const known = await firstAnswer(store, once);
  if (known !== null) return known;
  await findReachedGig(deps, { gigId, actor });
  const given = readTips(request.body);
  return await store.transaction((tx) => {
    const now = clock();
    const effect = async () => {
      const gig = await findReachedGig({ store: tx }, { gigId, actor });
      return render(await award(tx, gig, given, { actor, now }));
    };
    return withIdempotency(tx, once, { now, effect });
  });
}
