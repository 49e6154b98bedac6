/** Passes all calls to one platform, and blocks them while it does not answer. */
export interface CallGate {
  /**
   * Makes a call, and learns from its outcome.
   * @throws AdapterError `paused` when the call is not made; otherwise what `call` throws
   */
  pass<T>(call: () => Promise<T>): Promise<T>;
}
