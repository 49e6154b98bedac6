import type { FaultKind } from '../../domain/errors.ts';
import type { Objection } from '../../domain/payments/payer-chain.ts';

/** What a refusal of a broadcast means. */
export interface BroadcastVerdict {
  readonly retry: FaultKind['retry'];
  readonly objection: Objection;
  readonly what: string;
}

/** How nodes report a transaction that they already have; no standard defines it. */
export const KNOWN =
  /\balready ?known\b|\bknown transaction\b|\balready imported\b|\bwith same hash\b|\b(tx|transaction) already (exists|in (the )?(mem)?pool)\b/i;

/**
 * How nodes refuse bytes; the first match counts. Sending the same bytes again is safe, but a spent nonce may have been
 * spent by these very bytes.
 */
export const BROADCAST_REFUSALS: readonly { readonly words: RegExp; readonly verdict: BroadcastVerdict }[] = [
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

/** How endpoints say that one request covers too many blocks or events; no standard defines it. */
export const TOO_WIDE =
  /\brange\b|\bblocks\b|\bresults\b|\blogs\b|too (large|wide|big)|exceed|more than|smaller than|limited to [\d,]+ block/i;
/** How a node says that it looked for too long. A gateway's time-out is about its node. */
export const TOO_LONG = /timed? ?out/i;

/** How geth and its descendants say that a call used up the gas that it may have. */
export const NEEDS_MORE_GAS = /gas required exceeds|out of gas/i;

/** Whether words that are particular to this method tell the meaning of an error. */
export function areKnown(text: string, method: string): boolean {
  switch (method) {
    case 'eth_sendRawTransaction':
      return KNOWN.test(text) || BROADCAST_REFUSALS.some(({ words }) => words.test(text));
    case 'eth_getLogs':
      return TOO_WIDE.test(text) || TOO_LONG.test(text);
    default:
      return NEEDS_MORE_GAS.test(text);
  }
}
