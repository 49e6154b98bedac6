import { z } from 'zod';
import { AdapterError, type AdapterReason } from '../../domain/errors.ts';
import type { NeynarClient } from './client.ts';

/** Neynar reports a missing object with 404 and, for look-ups, according to its specification, with 400. */
const MISSING: readonly AdapterReason[] = ['not_found', 'rejected'];

export const castAnswer = z.object({ cast: z.unknown().optional() });

/** Whether a call failed as it does for an object that is missing; that alone does not prove that it is. */
export function isRefusal(error: unknown, reasons: readonly AdapterReason[] = MISSING): boolean {
  return error instanceof AdapterError && reasons.includes(error.reason);
}

/** The value, or null when the call failed for one of these reasons. */
export async function orMissing<T>(work: Promise<T>, reasons?: readonly AdapterReason[]): Promise<T | null> {
  try {
    return await work;
  } catch (error) {
    if (isRefusal(error, reasons)) return null;
    throw error;
  }
}

/** A cast by its hash as Neynar shows it, or null when there is none. */
export async function lookUpCast(client: NeynarClient, hash: string): Promise<unknown> {
  const request = { what: 'look up a cast', answer: castAnswer };
  return orMissing(client.call(request, (sdk) => sdk.lookupCastByHashOrUrl({ identifier: hash, type: 'hash' })));
}
