import { type Hex, keccak256 } from 'viem';
import { AdapterError, type FaultKind } from '../../domain/errors.ts';
import { BroadcastRefused, type Objection } from '../../domain/payments/payer-chain.ts';
import type { RpcSession } from '../rpc/endpoint.ts';
import { isLimit, isOfWay, RpcFault } from '../rpc/fault.ts';

interface Verdict {
  readonly retry: FaultKind['retry'];
  readonly objection: Objection;
  readonly what: string;
}

/** How nodes report a transaction that they already have; no standard defines it. */
const KNOWN =
  /\balready ?known\b|\bknown transaction\b|\balready imported\b|\bwith same hash\b|\b(tx|transaction) already (exists|in (the )?(mem)?pool)\b/i;

/**
 * How nodes refuse bytes; the first match counts. Sending the same bytes again is safe, but a spent nonce may have been
 * spent by these very bytes.
 */
const REFUSALS: readonly { readonly words: RegExp; readonly verdict: Verdict }[] = [
  {
    // A node takes few transactions of an account that delegates, and none that touch an account with some of its own.
    words:
      /authority nonce|already reserved|in-?flight transaction limit|delegated account|delegat\w{1,8}\b.{0,100}pending/i,
    verdict: { retry: 'safe', objection: 'other', what: 'a wallet in it has transactions of its own that wait' },
  },
  {
    words: /nonce (is )?too low|nonce has already been used|old ?nonce|below current nonce/i,
    verdict: { retry: 'unknown', objection: 'not_now', what: 'its nonce is spent' },
  },
  {
    words: /nonce (is )?too (high|distant|far)|nonce ?gap|future transaction/i,
    verdict: { retry: 'safe', objection: 'not_now', what: 'its nonce is ahead of the chain' },
  },
  {
    words:
      /replacement transaction underpriced|replacement ?not ?allowed|could not replace|to replace existing|(existing|newer) transaction had higher priority/i,
    verdict: {
      retry: 'safe',
      objection: 'too_cheap',
      what: 'it does not outbid the one with its nonce that waits already',
    },
  },
  {
    words: /insufficient ?(funds|balance)|exceeds account balance|overdraws/i,
    verdict: { retry: 'safe', objection: 'not_now', what: 'its wallet does not hold amount and gas' },
  },
  {
    words: /pool is full|pool ?full|pool size|too many (pending|transactions)|account limit exceeded|spammer/i,
    verdict: { retry: 'safe', objection: 'too_cheap', what: 'too many others wait already' },
  },
  {
    // Half of its payments cost half as much.
    words: /exceeds the configured cap|fee ?cap exceeded|exceeds.{0,100}\bfee cap\b/i,
    verdict: { retry: 'safe', objection: 'too_large', what: 'it costs more than the endpoint allows' },
  },
  {
    words: /base ?fee|fee ?cap|gas ?price|fee ?too ?low|under ?priced|\btip\b|priority fee/i,
    verdict: { retry: 'safe', objection: 'too_cheap', what: 'it offers less than the chain charges now' },
  },
  {
    words: /intrinsic ?gas(?! too high)|gas floor|floor (data )?gas|call gas cost|gas too low/i,
    verdict: { retry: 'safe', objection: 'other', what: 'it allows too little gas' },
  },
  {
    words: /gas ?limit|gas too high|max\w{0,20} gas|over ?sized?|too ?(large|long|big)\b|\bsize\b|size ?exceeded/i,
    verdict: { retry: 'safe', objection: 'too_large', what: 'it is too large' },
  },
];

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
function verdictOf({ code, reason, text }: RpcFault): (Verdict & FaultKind) | null {
  const known = REFUSALS.find(({ words }) => words.test(text))?.verdict;
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
