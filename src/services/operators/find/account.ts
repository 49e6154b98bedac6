import type { Account, AccountKey } from '../../../domain/account.ts';
import { formatAmount } from '../../../domain/amount.ts';
import type { Claim } from '../../../domain/claims/claim.ts';
import { earningSentence } from '../../../domain/earning/words/earning-words.ts';
import {
  claimLine,
  earningLine,
  mentionLine,
  paymentLine,
  type RecordLine,
  tipLine,
} from '../../../domain/facts/record-lines.ts';
import type { Gig } from '../../../domain/gigs/gig.ts';
import type { TipRecord } from '../../../domain/gigs/tip.ts';
import type { MentionRecord } from '../../../domain/mentions/mention.ts';
import type { Payment } from '../../../domain/payments/payment.ts';
import type { StoreReads } from '../../../store/port/index.ts';
import { findObstacles, obstacleOf } from '../../claims/claim-progress.ts';
import { statusOf } from '../../claims/list-claims.ts';
import type { ReadContext, TimedReads } from '../../context.ts';
import { findUnawarded, type UnawardedEarning } from '../../gigs/show/find-earnings.ts';
import { findMissing } from '../../gigs/show/find-held.ts';

/** The lists of an account, in display order. */
export const ACCOUNT_LISTS = ['mentions', 'claims', 'tips', 'earnings', 'payments'] as const;
export type AccountList = (typeof ACCOUNT_LISTS)[number];

export interface AccountPage {
  readonly list: AccountList;
  /** Newest first. */
  readonly lines: readonly RecordLine[];
  /** The `before` of the next page, or null on the last one. */
  readonly next: number | null;
}

interface PageAsked {
  readonly limit: number;
  readonly before?: number | undefined;
}

type ReadLines = (deps: TimedReads, account: AccountKey, page: PageAsked) => Promise<RecordLine[]>;

async function linesOf<Item>(items: readonly Item[], line: (item: Item) => Promise<RecordLine>): Promise<RecordLine[]> {
  return await Promise.all(items.map(line));
}

const readMentions: ReadLines = async ({ store }, account, page) =>
  await linesOf(await store.mentionsBy(account, page), async (mention: MentionRecord) =>
    mentionLine(mention, mention.state === 'answered' ? await store.repliesTo(mention.id) : []),
  );

const readClaims: ReadLines = async ({ store }, account, page) =>
  await linesOf(await store.claims({ account, ...page }), async (claim: Claim) => {
    const status = await statusOf(store, claim);
    return claimLine(status, await findObstacles({ store }, status));
  });

async function linePayment(deps: ReadContext, payment: Payment): Promise<RecordLine> {
  return paymentLine(payment, await obstacleOf(deps, payment));
}

/** Each gig is read once. */
function createGigs(store: StoreReads): (gigId: number) => Promise<Gig> {
  const kept = new Map<number, Promise<Gig | null>>();
  return async (gigId) => {
    const reading = kept.get(gigId) ?? store.gig(gigId);
    kept.set(gigId, reading);
    const gig = await reading;
    if (gig === null) throw new TypeError(`there is no gig ${gigId}`);
    return gig;
  };
}

async function paymentOfTip(deps: ReadContext, { claimNonce, gigId }: TipRecord): Promise<RecordLine | null> {
  const claim = claimNonce === null ? null : await deps.store.claimByPublicId(claimNonce);
  if (claim === null) return null;
  const payment = (await deps.store.paymentsOfClaim(claim.id)).findLast((each) => each.gigId === gigId);
  return payment === undefined ? null : await linePayment(deps, payment);
}

const readTips: ReadLines = async ({ store }, account, page) => {
  const gigOf = createGigs(store);
  return await linesOf(await store.tipsOf(account, page), async (tip) => {
    const { token } = await gigOf(tip.gigId);
    return tipLine(tip, { token, payment: await paymentOfTip({ store }, tip) });
  });
};

const readEarnings: ReadLines = async ({ store, clock }, account, page) => {
  const gigOf = createGigs(store);
  const now = clock();
  return await linesOf(await findUnawarded({ store }, { account, ...page }), async (found: UnawardedEarning) => {
    const { earning, gates, ruleType } = found;
    const gig = await gigOf(earning.gigId);
    const missing = await findMissing(store, gig, earning);
    const amountText = (amount: bigint) => `${formatAmount(amount, gig.token.decimals)} ${gig.token.symbol}`;
    return earningLine(earning, earningSentence(earning, { gates, ruleType, missing, now, amountText }));
  });
};

const readPayments: ReadLines = async ({ store }, account, page) =>
  await linesOf(await store.allPayoutsTo(account, page), (payment: Payment) => linePayment({ store }, payment));

const READS: Readonly<Record<AccountList, ReadLines>> = {
  mentions: readMentions,
  claims: readClaims,
  tips: readTips,
  earnings: readEarnings,
  payments: readPayments,
};

/** A page of one list of an account, newest first. */
export async function readAccountList(
  deps: TimedReads,
  account: AccountKey,
  { list, limit, before }: PageAsked & { readonly list: AccountList },
): Promise<AccountPage> {
  const found = await READS[list](deps, account, { limit: limit + 1, before });
  const lines = found.slice(0, limit);
  return { list, lines, next: found.length > limit ? (lines.at(-1)?.id ?? null) : null };
}

export interface ShownAccount {
  readonly account: Account;
  /** Whether the store knows it by more than its id. */
  readonly known: boolean;
  readonly pages: readonly AccountPage[];
}

/** An account with the newest of each of its lists, or with a page of one; an account that is not known has none. */
export async function readAccount(
  deps: TimedReads,
  key: AccountKey,
  { lists, ...page }: PageAsked & { readonly lists: readonly AccountList[] },
): Promise<ShownAccount> {
  const known = await deps.store.account(key);
  const pages: AccountPage[] = [];
  // One after the other, so that the event loop turns between them.
  for (const list of lists) pages.push(await readAccountList(deps, key, { ...page, list }));
  return { account: known ?? { ...key, username: null }, known: known !== null, pages };
}
