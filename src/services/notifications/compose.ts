import { type ClaimStatus, type Payout, payoutsOf } from '../../domain/claims/claim.ts';
import { explainFailure } from '../../domain/claims/payout-failure.ts';
import { payoutOf } from '../../domain/earning/rules/index.ts';
import { readStoredRules } from '../../domain/earning/terms/rules-json.ts';
import { reasonWords } from '../../domain/earning/words/reason-words.ts';
import { type Gig, gigPhase, requiredFunds } from '../../domain/gigs/gig.ts';
import { awardsUntil, type TokenAmount } from '../../domain/gigs/gig-end.ts';
import type { Token } from '../../domain/gigs/token.ts';
import type { Notification, NotificationKind, NotificationText } from '../../domain/notifications/notification.ts';
import {
  endedText,
  fundedText,
  liveText,
  notDrawnText,
  notPaidText,
  notStartedText,
  paidText,
  refusedText,
  submissionsText,
  tipsText,
} from '../../domain/notifications/words.ts';
import { smaller } from '../../domain/payments/payment-step.ts';
import { platformFacts } from '../../domain/platforms/platforms.ts';
import type { StoreReads } from '../../store/port/index.ts';
import type { TimedReads } from '../context.ts';
import { findAwardWays } from '../gigs/tips/award-tips.ts';

interface Told {
  readonly reads: StoreReads;
  readonly gig: Gig;
  readonly notification: Notification;
  readonly now: number;
}

/** Null when it is no longer true. */
type Compose = (told: Told) => Promise<NotificationText | null>;

async function rulesOf(reads: StoreReads, gigId: number) {
  const stored = await reads.earningRules(gigId);
  return stored === null ? null : readStoredRules(stored.rules);
}

/** As many tips of an account as one gig is looked at for. */
const TIPS_LOOKED_AT = 500;

/** The tips of a notification that can still be claimed: some may have become void or been claimed. */
async function leftOf({
  reads,
  gig,
  notification,
}: Told): Promise<{ readonly amount: bigint; readonly count: number }> {
  const { amount, count } = notification;
  const own = await reads.ownTips(gig.id, notification, TIPS_LOOKED_AT);
  if (own.length === TIPS_LOOKED_AT) return { amount, count };
  const open = own.filter(({ status, claimedAt }) => status === 'pending' && claimedAt === null);
  const left = open.reduce((sum, each) => sum + each.amount, 0n);
  return { amount: smaller(left, amount), count: Math.min(count, open.length) };
}

const tips: Compose = async (told) => {
  const { reads, gig } = told;
  const { amount, count } = await leftOf(told);
  if (count === 0) return null;
  const rules = await rulesOf(reads, gig.id);
  const isRaffle = rules !== null && payoutOf(rules.rule).by === 'draw';
  return tipsText(gig, { earned: { amount, token: gig.token }, count, isRaffle });
};

async function findClaim(reads: StoreReads, id: number): Promise<ClaimStatus | null> {
  const claim = await reads.claim(id);
  return claim && { claim, payments: await reads.paymentsOfClaim(id) };
}

/** What payouts with an outcome come to, token by token. */
function sumsOf(status: ClaimStatus, outcome: Payout['outcome']): TokenAmount[] {
  const sums = new Map<number, { token: Token; amount: bigint }>();
  for (const payout of payoutsOf(status)) {
    if (payout.outcome !== outcome) continue;
    const { token, payment } = payout;
    sums.set(token.id, { token, amount: (sums.get(token.id)?.amount ?? 0n) + payment.amount });
  }
  return [...sums.values()];
}

const paid: Compose = async ({ reads, notification: { subjectId } }) => {
  const status = await findClaim(reads, subjectId);
  const sums = status === null ? [] : sumsOf(status, 'success');
  return status === null || sums.length === 0 ? null : paidText(sums, status.claim.recipient);
};

const notPaid: Compose = async ({ reads, notification: { subjectId, reason } }) => {
  const status = await findClaim(reads, subjectId);
  const sums = status === null ? [] : sumsOf(status, 'failed');
  return sums.length === 0 ? null : notPaidText(sums, explainFailure(reason));
};

const refused: Compose = async ({ reads, gig, notification }) => {
  const earning = await reads.earning(gig.id, notification);
  const rules = await rulesOf(reads, gig.id);
  // Another act may count by now.
  if (earning === null || earning.reason === null || rules === null) return null;
  const { facts, note, rankedAt, reason } = earning;
  if (reason !== notification.reason) return null;
  const words = reasonWords(reason, { facts, gates: rules.gates, rankedAt, note, isOwn: true });
  return refusedText(gig, words);
};

function heldBy(gig: Gig): TokenAmount {
  return { amount: requiredFunds(gig), token: gig.token };
}

function waitsForStart({ status, cancelledAt }: Gig): boolean {
  return status === 'created' && cancelledAt === null;
}

const ended: Compose = async ({ reads, gig, now }) => {
  const ways = await findAwardWays(reads, gig, now);
  const canAward = (ways.list || ways.submissions) && gig.awardedAmount < gig.rewardAmount;
  const reward = { amount: gig.rewardAmount, token: gig.token };
  return endedText(gig, { awarded: gig.awardedAmount, reward, awardUntil: canAward ? awardsUntil(gig) : null });
};

const live: Compose = async ({ gig, now }) => {
  const phase = gigPhase(gig, now);
  if (phase === 'ended') return null;
  return liveText(gig, { begins: phase === 'scheduled' ? gig.startTime : null, ends: gig.endTime });
};

const COMPOSERS: Readonly<Record<NotificationKind, Compose>> = {
  tips,
  paid,
  not_paid: notPaid,
  refused,
  not_drawn: async ({ gig }) => notDrawnText(gig),
  funded: async ({ gig }) => (waitsForStart(gig) ? fundedText(gig, heldBy(gig)) : null),
  not_started: async ({ gig }) => (waitsForStart(gig) ? notStartedText(gig, heldBy(gig)) : null),
  live,
  ended,
  submissions: async ({ gig, notification: { count } }) =>
    gig.settledAt === null ? submissionsText(gig, count) : null,
};

/** The kinds that are about a gig's owners alone. */
const FOR_OWNERS: ReadonlySet<NotificationKind> = new Set<NotificationKind>([
  'funded',
  'not_started',
  'live',
  'ended',
  'submissions',
]);

async function isStillFor({ reads, gig, notification }: Told): Promise<boolean> {
  return !FOR_OWNERS.has(notification.kind) || (await reads.isOwnedByAny(gig.id, [notification]));
}

/** The words of a notification by what the ledger says now; null when there is nothing to tell any more. */
export async function composeNotification(
  { store, clock }: TimedReads,
  notification: Notification,
): Promise<NotificationText | null> {
  const gig = await store.gig(notification.gigId);
  if (gig === null) return null;
  const told = { reads: store, gig, notification, now: clock() };
  return (await isStillFor(told)) ? await COMPOSERS[notification.kind](told) : null;
}

/** The kinds that are about what an account can claim or has claimed. */
const ABOUT_CLAIMS: ReadonlySet<NotificationKind> = new Set<NotificationKind>(['tips', 'paid', 'not_paid']);

/** The page that a notification opens, below the public URL. */
export function pageOf({ kind, gigId, platform, platformUserId }: Notification): string {
  return ABOUT_CLAIMS.has(kind) ? `/claim/${platformFacts(platform).slug}/${platformUserId}` : `/gigs/${gigId}`;
}
