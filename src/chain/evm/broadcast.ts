import { type Hex, keccak256 } from 'viem';
import { AdapterError, type FaultKind } from '../../domain/errors.ts';
import { BroadcastRefused } from '../../domain/payments/payer-chain.ts';
import type { RpcSession } from '../rpc/endpoint.ts';
import { isLimit, isOfWay, RpcFault } from '../rpc/fault.ts';
import { BROADCAST_REFUSALS, type BroadcastVerdict, KNOWN } from './node-words.ts';

/** Errors that an endpoint gives without reading the bytes. */
const NOT_READ: readonly string[] = ['rate_limited', 'unauthorized', 'payment_required', 'forbidden', 'rejected'];
/** JSON-RPC's code for a method that an endpoint does not have: of these bytes that says nothing. */
const NO_SUCH_METHOD = -32601;
/** How endpoints say that they are asked too often. Some codes for that are others' for a refusal. */
const TOO_OFTEN = /\brate\b|requests|per second|capacity|limit exceeded/i;

/** Whether the words may be those of a node that has read the bytes. Some nodes refuse with a limit's code. */
function isAboutBytes({ code, text, status }: RpcFault): boolean {
  return !isOfWay(status) && !(isLimit(code) && TOO_OFTEN.test(text));
}

function isKnownAlready(error: unknown): boolean {
  return error instanceof RpcFault && isAboutBytes(error) && KNOWN.test(error.text);
}

/** Null when the endpoint has not read the bytes, or does not say. */
function verdictOf({ code, reason, text }: RpcFault): (BroadcastVerdict & FaultKind) | null {
  const known = BROADCAST_REFUSALS.find(({ words }) => words.test(text))?.verdict;
  if (known !== undefined) return { ...known, reason: 'rejected' };
  if (code === NO_SUCH_METHOD || (reason === 'rate_limited' && TOO_OFTEN.test(text))) return null;
  return { retry: 'unknown', objection: 'other', reason, what: 'it refuses it' };
}

/**
 * The error of a failed broadcast. Unless the endpoint said why it refused the bytes, it may have accepted them.
 */
function broadcastFault(error: AdapterError, chainKey: string): AdapterError {
  const { retryAfterMs, cause } = error;
  const verdict = error instanceof RpcFault && isAboutBytes(error) ? verdictOf(error) : null;
  if (verdict !== null && error instanceof RpcFault) {
    const { what, objection, ...kind } = verdict;
    const words = error.words ?? what;
    const message = `chain ${chainKey}: the endpoint did not take the transaction, because ${what}; it answered: ${words}`;
    return new BroadcastRefused({ ...kind, message, retryAfterMs, cause }, { objection, words });
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
