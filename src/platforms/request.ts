import type { z } from 'zod';
import type { CallGate } from '../domain/platforms/call-gate.ts';
import type { NoteOddAnswer } from '../domain/platforms/odd-answer.ts';
import { limitTime } from '../time-limit.ts';

export interface AdapterOptions {
  /** Epoch ms. */
  readonly clock: () => number;
  /** For one answer, in milliseconds; 10 s when absent. */
  readonly timeoutMs?: number | undefined;
  /** The gate of every call; no gate when absent. */
  readonly gate?: CallGate | undefined;
  /** Takes answers that are not understood. */
  readonly note?: NoteOddAnswer | undefined;
}

export interface SdkRequest<T> {
  /** The purpose of the call, in our words. */
  readonly what: string;
  /** Whether it posts something; false when absent. */
  readonly sends?: boolean;
  /** Epoch ms after which nothing may be written; no limit when absent. */
  readonly notAfter?: number;
  readonly answer: z.ZodType<T>;
  /** Whether it passes no gate, and closes none; false when absent. */
  readonly isApart?: boolean;
}

/** Makes a call through the gate, where there is one. */
export function throughGate<T>({ gate }: AdapterOptions, call: () => Promise<T>): Promise<T> {
  return gate === undefined ? call() : gate.pass(call);
}

/** How long a platform may take for one answer, in milliseconds. Neither SDK has a limit of its own. */
export const DEFAULT_TIMEOUT_MS = 10_000;

/**
 * Rejects after `ms` and aborts the signal. The SDKs' own timeouts only detect a silent socket: a trickling answer, or
 * a connection that closes unnoticed, would block a call for ever.
 */
export async function withDeadline<T>(ms: number, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  using limit = limitTime(ms);
  const expired = new Promise<never>((_, reject) => {
    limit.signal.addEventListener('abort', () =>
      reject(Object.assign(new Error(`no answer after ${ms} ms`), { code: 'DEADLINE' })),
    );
  });
  return await Promise.race([work(limit.signal), expired]);
}
