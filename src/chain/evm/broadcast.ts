import { type Hex, keccak256 } from 'viem';
import { AdapterError, type AdapterFault } from '../../domain/errors.ts';
import type { RpcSession } from '../rpc/endpoint.ts';
import { RpcFault } from '../rpc/fault.ts';

type Verdict = Pick<AdapterFault, 'retry' | 'reason'> & { readonly what: string };

/** How nodes report a transaction that they already have; no standard defines it. */
const KNOWN =
  /\balready ?known\b|\bknown transaction\b|\balready imported\b|\btransaction already (exists|in (the )?(mem)?pool)\b/i;

/**
 * How nodes refuse bytes; the first match counts. Sending the same bytes again is safe, but a spent nonce may have been
 * spent by these very bytes.
 */
const REFUSALS: readonly { readonly words: RegExp; readonly verdict: Verdict }[] = [
  {
    words: /nonce (is )?too low|nonce has already been used|old ?nonce/i,
    verdict: { retry: 'unknown', reason: 'rejected', what: 'its nonce is spent' },
  },
  {
    words: /nonce (is )?too high|nonce ?gap/i,
    verdict: { retry: 'safe', reason: 'rejected', what: 'its nonce is ahead of the chain' },
  },
  {
    words: /replacement transaction underpriced|replacement ?not ?allowed|could not replace/i,
    verdict: {
      retry: 'safe',
      reason: 'rejected',
      what: 'it does not outbid the one with its nonce that waits already',
    },
  },
  {
    // A node takes few transactions of an account that delegates, and none that touch an account with some of its own.
    words: /authority already reserved|in-?flight transaction limit|delegated account/i,
    verdict: { retry: 'safe', reason: 'rejected', what: 'a wallet in it has transactions of its own that wait' },
  },
  {
    words: /insufficient (funds|balance)/i,
    verdict: { retry: 'safe', reason: 'rejected', what: 'its wallet does not hold amount and gas' },
  },
  {
    words: /less than block base fee|fee cap (is )?(too low|less)|fee ?too ?low|underpriced/i,
    verdict: { retry: 'safe', reason: 'rejected', what: 'it offers less than the chain charges now' },
  },
  {
    words: /intrinsic gas|gas floor/i,
    verdict: { retry: 'safe', reason: 'rejected', what: 'it allows too little gas' },
  },
  {
    words: /pool is full|pool ?full|too many pending/i,
    verdict: { retry: 'safe', reason: 'rejected', what: 'too many others wait already' },
  },
];

/** Errors that an endpoint gives without reading the bytes. */
const NOT_READ: readonly string[] = ['rate_limited', 'unauthorized', 'payment_required', 'forbidden', 'rejected'];

/** Whether an endpoint refused signed bytes because it has them already. */
function isKnownAlready(error: unknown): boolean {
  return error instanceof RpcFault && KNOWN.test(error.text);
}

/**
 * The error of a failed broadcast. Unless the endpoint said why it refused the bytes, it may have accepted them.
 */
function broadcastFault(error: AdapterError, chainKey: string): AdapterError {
  const { retryAfterMs, cause } = error;
  const refusal = error instanceof RpcFault ? REFUSALS.find(({ words }) => words.test(error.text)) : undefined;
  if (refusal !== undefined) {
    const { what, ...kind } = refusal.verdict;
    const message = `chain ${chainKey}: the endpoint did not take the transaction, because ${what}`;
    return new AdapterError({ ...kind, message, retryAfterMs, cause });
  }
  if (NOT_READ.includes(error.reason)) return error;
  return new AdapterError({ retry: 'unknown', reason: error.reason, message: error.message, retryAfterMs, cause });
}

/** Broadcasts signed bytes; returns when the endpoint accepts or already has them. */
export async function offerBytes(rpc: RpcSession, { raw, chainKey }: { raw: Hex; chainKey: string }): Promise<void> {
  let answer: unknown;
  try {
    answer = await rpc.send(raw);
  } catch (error) {
    if (isKnownAlready(error)) return;
    throw error instanceof AdapterError ? broadcastFault(error, chainKey) : error;
  }
  if (typeof answer === 'string' && answer.toLowerCase() === keccak256(raw)) return;
  const message = `chain ${chainKey}: the endpoint did not answer a broadcast with the hash of its transaction`;
  throw new AdapterError({ retry: 'unknown', reason: 'bad_response', message });
}
