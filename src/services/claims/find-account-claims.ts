import type { Account, AccountKey, AccountName } from '../../domain/account.ts';
import { type ClaimStatus, payoutsOf } from '../../domain/claims/claim.ts';
import { gigName } from '../../domain/earning/words/gig-name.ts';
import type { ClaimableGroup, Tip } from '../../domain/gigs/tip.ts';
import type { ReplyRecord } from '../../domain/mentions/mention.ts';
import type { Obstacle, Obstacles } from '../../domain/payments/obstacle.ts';
import type { Payment } from '../../domain/payments/payment.ts';
import type { ReadContext, ServiceContext } from '../context.ts';
import { isGigFrozen } from '../gigs/find-gigs.ts';
import { findUnawarded, type UnawardedEarning } from '../gigs/show/find-earnings.ts';
import { findObstacles } from './claim-progress.ts';
import { findClaimable } from './find-claimable.ts';

export interface AccountClaims {
  /** The handle's known holder, or the account with the id even if unknown; null for a handle without known holder. */
  readonly account: Account | null;
  readonly known: boolean;
  readonly claimable: readonly ClaimableGroup[];
  /** Why claimable tips cannot be paid now, claimed or not, by tip id. */
  readonly held: ReadonlyMap<number, Obstacle>;
  /** A page of its confirmed payouts, newest first. */
  readonly paid: readonly Payment[];
  /** The `before` of the next page, or null on the last one. */
  readonly next: number | null;
  /** Its newest claims that have payouts, newest first. */
  readonly claims: readonly ClaimProgress[];
  /** What it has not earned from watched gigs, or not yet, newest first. */
  readonly unawarded: readonly UnawardedEarning[];
  /** What the gigs are called that it names, by their ids. */
  readonly names: ReadonlyMap<number, string>;
  /** Replies of the last seven days that were not posted because of a limit or the platform, newest first. */
  readonly unposted: readonly ReplyRecord[];
}

export interface ClaimProgress extends ClaimStatus {
  readonly obstacles: Obstacles;
}

const UNKNOWN_ACCOUNT: AccountClaims = {
  account: null,
  known: false,
  claimable: [],
  held: new Map(),
  paid: [],
  next: null,
  claims: [],
  unawarded: [],
  names: new Map(),
  unposted: [],
};

const CLAIMS_SHOWN = 5;
const UNAWARDED_SHOWN = 20;
const UNPOSTED_SHOWN = 10;
/** Longer than replies are held, so that an abandoned reply can still be read. Milliseconds. */
const UNPOSTED_FOR_MS = 7 * 24 * 60 * 60 * 1000;

async function findProgress(deps: ServiceContext, account: AccountKey): Promise<ClaimProgress[]> {
  const found: ClaimProgress[] = [];
  for (const claim of await deps.store.claims({ account, limit: CLAIMS_SHOWN })) {
    const status = { claim, payments: await deps.store.paymentsOfClaim(claim.id) };
    if (status.payments.length > 0) found.push({ ...status, obstacles: await findObstacles(deps, status) });
  }
  return found;
}

async function findHeldGigs(deps: ServiceContext, publicId: string): Promise<ReadonlyMap<number, Obstacle>> {
  const claim = await deps.store.claimByPublicId(publicId);
  if (claim === null) return new Map();
  const status = { claim, payments: await deps.store.paymentsOfClaim(claim.id) };
  const obstacles = await findObstacles(deps, status);
  return new Map(
    payoutsOf(status).flatMap(({ payment: { id, gigId } }) => {
      const obstacle = obstacles.get(id);
      return obstacle === undefined ? [] : [[gigId, obstacle] as const];
    }),
  );
}

async function findFrozenGigs(deps: ServiceContext, tips: readonly Tip[]): Promise<ReadonlyMap<number, Obstacle>> {
  const frozen = new Map<number, Obstacle>();
  for (const gigId of new Set(tips.map((tip) => tip.gigId))) {
    if (await isGigFrozen(deps, gigId)) frozen.set(gigId, 'gig_frozen');
  }
  return frozen;
}

/** A tip's own claim may be older than the claims that are shown. */
async function findHeld(
  deps: ServiceContext,
  claimable: readonly ClaimableGroup[],
): Promise<ReadonlyMap<number, Obstacle>> {
  const held = new Map<number, Obstacle>();
  const tips = claimable.flatMap((group) => group.tips);
  for (const [nonce, ofClaim] of Map.groupBy(tips, ({ claimNonce }) => claimNonce)) {
    const byGig = nonce === null ? await findFrozenGigs(deps, ofClaim) : await findHeldGigs(deps, nonce);
    for (const { id, gigId } of ofClaim) {
      const obstacle = byGig.get(gigId);
      if (obstacle !== undefined) held.set(id, obstacle);
    }
  }
  return held;
}

async function findAccount({ store }: ReadContext, name: AccountName): Promise<Account | null> {
  if ('handle' in name) return await store.accountByHandle(name.platform, name.handle);
  return await store.account(name);
}

type Shown = Pick<AccountClaims, 'claimable' | 'paid' | 'claims' | 'unawarded'>;

async function findNames({ store }: ReadContext, shown: Shown): Promise<ReadonlyMap<number, string>> {
  const payments = [...shown.paid, ...shown.claims.flatMap((claim) => claim.payments)];
  const tips = shown.claimable.flatMap((group) => group.tips);
  const earnings = shown.unawarded.map(({ earning }) => earning);
  const ids = new Set([...payments, ...tips, ...earnings].map(({ gigId }) => gigId));
  return new Map((await store.gigsNamed([...ids])).map((gig) => [gig.id, gigName(gig, null)]));
}

/** What an account can claim, the status of its latest claims, and what it was paid; an unknown account has nothing. */
export async function findAccountClaims(
  deps: ServiceContext,
  query: { readonly name: AccountName; readonly limit: number; readonly before?: number | undefined },
): Promise<AccountClaims> {
  const { name } = query;
  const found = await findAccount(deps, name);
  const account = found ?? ('handle' in name ? null : { ...name, username: null });
  if (account === null) return UNKNOWN_ACCOUNT;
  const { platform, platformUserId } = account;
  const key: AccountKey = { platform, platformUserId };
  const page = { limit: query.limit + 1, before: query.before };
  const since = deps.clock() - UNPOSTED_FOR_MS;
  const [claimable, payouts, claims, unawarded, unposted] = await Promise.all([
    findClaimable(deps, { identifiers: [key] }),
    deps.store.payoutsTo(key, page),
    findProgress(deps, key),
    findUnawarded(deps, { account: key, limit: UNAWARDED_SHOWN }),
    deps.store.unpostedReplies(key, { since, limit: UNPOSTED_SHOWN }),
  ]);
  const paid = payouts.slice(0, query.limit);
  return {
    account,
    known: found !== null,
    claimable,
    held: await findHeld(deps, claimable),
    paid,
    next: payouts.length > query.limit ? (paid.at(-1)?.id ?? null) : null,
    claims,
    unawarded,
    names: await findNames(deps, { claimable, paid, claims, unawarded }),
    unposted,
  };
}
