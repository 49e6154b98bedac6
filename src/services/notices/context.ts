import type { Platform } from '../../domain/account.ts';
import type { Chains } from '../../domain/chains/chain.ts';
import type { Gig } from '../../domain/gigs/gig.ts';
import type { GigEvent } from '../../domain/gigs/notice.ts';
import type { MentionRecord, Platforms, SocialPlatform } from '../../domain/mentions/mention.ts';
import type { Payment } from '../../domain/payments/payment.ts';
import type { JobContext } from '../context.ts';

export interface ToldEvent {
  readonly event: GigEvent;
  readonly gig: Gig;
  /** The gig's refund when it is confirmed; null before. */
  readonly refund: Payment | null;
}

export type NoticeWords = (told: ToldEvent, mention: MentionRecord, platform: SocialPlatform) => string;

export interface NoticeContext extends JobContext {
  readonly chains: Chains;
  readonly platforms: Platforms;
  readonly noticeWords: NoticeWords;
  /** Tells a platform's sending job that there is work. */
  readonly wake: (platform: Platform) => void;
}
