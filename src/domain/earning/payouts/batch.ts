export const BATCH_STATES = ['open', 'answered', 'dropped'] as const;
/** What became of a batch; `dropped` when everything that it asks about was decided otherwise, or waits. */
export type BatchState = (typeof BATCH_STATES)[number];

/** A question to the verifier of a gig, the same at every try. Times are epoch milliseconds. */
export interface VerifierBatch {
  /** The `webhook-id` of its requests. */
  readonly id: string;
  readonly gigId: number;
  /** The ids of the acts that it asks about. */
  readonly candidates: readonly number[];
  /** How often it was sent, or was about to be. */
  readonly tries: number;
  /** When it is sent again, unless an answer comes before. */
  readonly nextAt: number;
}

/** The most candidates of one batch. */
export const BATCH_SIZE = 50;
