/** Stands before every call to one platform, and lets none through while that is silent. */
export interface CallGate {
  /**
   * Makes a call, and learns from how it ends.
   * @throws AdapterError `paused` when the call is not made; whatever `call` throws
   */
  pass<T>(call: () => Promise<T>): Promise<T>;
}
