/** The answer to a request that carried an idempotency key. */
export interface IdempotentResponse {
  /** A hash of the request body, to tell requests apart. */
  readonly fingerprint: string;
  /** The response as it was sent: its HTTP status and its body. */
  readonly status: number;
  readonly body: string;
}
