import type { Platform } from '../../domain/account.ts';
import type { Mention, MentionRecord } from '../../domain/mentions/mention.ts';
import type { ReplyWorth } from '../../domain/mentions/reply-worth.ts';

/** A lease that begins at `now`, under a unique name. */
export interface LeaseRequest {
  readonly lease: string;
  readonly now: number;
  readonly until: number;
}

export interface ReplyPick {
  /** Authors and threads that are left out. */
  readonly notTo: readonly string[];
  readonly notIn: readonly string[];
  /** Only those to authors to whom a reply was sent before. */
  readonly answeredBefore: boolean;
}

/** Which of the replies that are due is leased: of several picks the first that finds one decides; every reply when absent. */
export interface ReplyChoice {
  /** Leaves out replies worth less. */
  readonly least?: ReplyWorth | undefined;
  readonly picks?: readonly ReplyPick[] | undefined;
}

export interface Arrival {
  /** Epoch milliseconds. */
  readonly now: number;
  readonly source: 'webhook' | 'poll';
}

export interface MentionArrival extends Arrival {
  /** The end of the poll that found them, stored with them. */
  readonly cursor?: { readonly platform: Platform; readonly value: string | null } | undefined;
}

/** A mention that is new, with its id. */
export interface StoredMention {
  readonly id: number;
  readonly mention: Mention;
}

/** A mention that may be leased since `dueAt`, epoch milliseconds. */
export interface DueMention extends MentionRecord {
  readonly dueAt: number;
}
