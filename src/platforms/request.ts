import type { z } from 'zod';
import type { CallGate } from '../domain/platforms/call-gate.ts';

/** Dependencies of an adapter that the process injects. */
export interface AdapterOptions {
  /** Epoch ms. */
  readonly clock: () => number;
  /** For one answer, in milliseconds; 10 s when absent. */
  readonly timeoutMs?: number | undefined;
  /** The gate of every call; no gate when absent. */
  readonly gate?: CallGate | undefined;
}

/** One call of a platform's SDK. */
export interface SdkRequest<T> {
  /** The purpose of the call, in our words. */
  readonly what: string;
  /** Whether it posts something; false when absent. */
  readonly sends?: boolean;
  /** Epoch ms after which nothing may be written; no limit when absent. */
  readonly notAfter?: number;
  readonly answer: z.ZodType<T>;
}

/** Makes a call through the gate, where there is one. */
export function throughGate<T>({ gate }: AdapterOptions, call: () => Promise<T>): Promise<T> {
  return gate === undefined ? call() : gate.pass(call);
}
