/** An answer as it was sent, which is kept to be sent again: what it says is for who asked. */
export interface KeptAnswer {
  readonly status: number;
  readonly body: string;
}

/** The answer to a request that carried an idempotency key. */
export interface IdempotentResponse extends KeptAnswer {
  /** A hash of the request body, to tell requests apart. */
  readonly fingerprint: string;
}
