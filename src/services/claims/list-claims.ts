import { setImmediate } from 'node:timers/promises';
import { type Claim, type ClaimOutcome, type ClaimStatus, claimOutcome } from '../../domain/claims/claim.ts';
import { ALL_IDS, type IdSpan, isWithin } from '../../domain/id-span.ts';
import type { StoreReads, TwoWayPage } from '../../store/port/index.ts';
import type { ReadContext } from '../context.ts';

/** A claim with its payments. */
export async function statusOf(reads: StoreReads, claim: Claim): Promise<ClaimStatus> {
  return { claim, payments: await reads.paymentsOfClaim(claim.id) };
}

/** A claim with its payments as they are now. @throws RangeError when there is none */
export async function readClaim({ store }: ReadContext, id: number) {
  const claim = await store.claim(id);
  if (claim === null) throw new RangeError(`there is no claim ${id}`);
  return await statusOf(store, claim);
}

export interface ListedClaim extends ClaimStatus {
  readonly username: string | null;
}

/** Otherwise a rare standing would read the whole store. */
const MAX_LOOKED_AT = 500;
/** After so many the event loop turns. */
const AT_ONCE = 50;

/**
 * A page of claims of one standing or of all; `next` is the next page's `before` or `after`, or null on the last.
 * Standing is computed from payments, so a page of a rare one may hold fewer than `limit` and still have a next.
 * @param query.span the ids that may be listed; all when absent
 */
export async function listClaims(
  { store }: ReadContext,
  query: TwoWayPage & {
    readonly standing?: ClaimOutcome | undefined;
    readonly span?: IdSpan;
  },
): Promise<{ claims: ListedClaim[]; next: number | null }> {
  const { limit, before, after, standing, span = ALL_IDS } = query;
  const atOnce = (standing === undefined ? limit : MAX_LOOKED_AT) + 1;
  const read = await store.claims({ limit: atOnce, before, after });
  const looked = read.filter(({ id }) => isWithin(id, span));
  const found: ListedClaim[] = [];
  for (const [index, claim] of looked.entries()) {
    if (found.length === limit || index === MAX_LOOKED_AT)
      return { claims: found, next: looked[index - 1]?.id ?? null };
    if (index % AT_ONCE === 0) await setImmediate();
    const status = await statusOf(store, claim);
    if (standing !== undefined && claimOutcome(status) !== standing) continue;
    found.push({ ...status, username: (await store.account(claim))?.username ?? null });
  }
  return { claims: found, next: null };
}
