import { formatAmount } from '../domain/amount.ts';
import { type Gig, requiredFunds } from '../domain/gigs/gig.ts';
import type { GigEvent } from '../domain/gigs/notice.ts';
import { amountOf } from '../domain/mentions/reply-text.ts';
import { minuteText } from '../domain/time.ts';
import type { NoticeWords, ToldEvent } from '../services/notices/context.ts';
import { finishReply } from './replies.ts';

function awardedOf({ awardedAmount, rewardAmount, token }: Gig): string {
  return `${formatAmount(awardedAmount, token.decimals)} of ${amountOf(rewardAmount, token)}`;
}

function percentOf({ awardedAmount, rewardAmount }: Gig): bigint {
  return (awardedAmount * 100n) / rewardAmount;
}

function refunded({ gig, refund }: ToldEvent): string {
  if (refund === null) return `Gig ${gig.id} is refunded.`;
  return `Gig ${gig.id} is refunded: ${amountOf(refund.amount, gig.token)} (tx ${refund.hash?.slice(0, 12)}…).`;
}

const NOTICES: Readonly<Record<GigEvent, (told: ToldEvent) => string>> = {
  funded: ({ gig }) =>
    `Gig ${gig.id} is funded: its wallet holds exactly ${amountOf(requiredFunds(gig), gig.token)}. Mention me with "start gig ${gig.id}" to start it.`,
  not_started: ({ gig }) =>
    `Gig ${gig.id} did not start: its wallet did not hold exactly ${amountOf(requiredFunds(gig), gig.token)} within 30 days. When it does, mention me with "start gig ${gig.id}".`,
  live: ({ gig }) => `Gig ${gig.id} is live until ${minuteText(gig.endTime)}.`,
  mostly_awarded: ({ gig }) => `Gig ${gig.id} has awarded ${percentOf(gig)} % of its reward: ${awardedOf(gig)}.`,
  ended: ({ gig }) => `Gig ${gig.id} ended at ${minuteText(gig.endTime)}. Awarded: ${awardedOf(gig)}.`,
  cancelled: ({ gig }) => `Gig ${gig.id} is cancelled and will not start.`,
  settled: ({ gig }) => `Gig ${gig.id} is settled: no more tips are awarded. Awarded: ${awardedOf(gig)}.`,
  refunded,
};

/** The notice of an event of a gig for an owner. */
export function noticeText(told: ToldEvent): string {
  return NOTICES[told.event](told);
}

export const NOTICE_WORDS: NoticeWords = (told, mention, platform) => finishReply(noticeText(told), mention, platform);
