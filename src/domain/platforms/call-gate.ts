/** That a platform refuses every call of the account for a while. */
export interface PlatformPause {
  /** For operators. */
  readonly reason: string;
  /** Epoch milliseconds. */
  readonly until: number;
}

/** Passes all calls to one platform, and blocks them while it does not answer or refuses all. */
export interface CallGate {
  /**
   * Makes a call, and learns from its outcome.
   * @throws AdapterError `paused` when the call is not made; otherwise what `call` throws
   */
  pass<T>(call: () => Promise<T>): Promise<T>;
}
