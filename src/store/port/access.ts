/** The answer to a request that carried an idempotency key. */
export interface IdempotentResponse {
  /** A hash of the request body, to tell requests apart. */
  readonly fingerprint: string;
  /** The response body, as it was sent. */
  readonly body: string;
}
