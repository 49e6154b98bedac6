import type { Objection } from '../payments/payer-chain.ts';

/** Why payments that are sent, or could be, stand still because of their chain's endpoint. */
export type EndpointTrouble =
  | Objection
  /** It does not answer a broadcast, or not about the bytes. */
  | 'unanswered'
  /** It takes the bytes, and no block does. */
  | 'not_included'
  /** Several endpoints tell different things, or not all tell, of what has paid its number. */
  | 'endpoints_differ'
  /** A step of the chain's payments as a whole fails. */
  | 'step_fails';

/** How the reason of a payment begins that stands still; the endpoint's words, or those of an error, follow. */
const BEGINNINGS: Readonly<Record<EndpointTrouble, string>> = {
  too_large: 'the endpoint finds its transaction too large: ',
  too_cheap: 'the endpoint asks for higher fees for its transaction: ',
  not_now: 'the endpoint does not take its transaction now: ',
  other: 'the endpoint refuses its transaction: ',
  unanswered: 'the endpoint does not confirm that it has its transaction: ',
  not_included: 'the endpoint takes its transaction, and no block does: ',
  endpoints_differ: 'it waits until all endpoints of its chain tell the same of what has paid its number: ',
  step_fails: 'no payment of its chain can be made now: ',
};
const TROUBLES = Object.keys(BEGINNINGS) as readonly EndpointTrouble[];

const OBJECTIONS: readonly Objection[] = ['too_large', 'too_cheap', 'not_now', 'other'];

const REFUSED_ALONE = 'the endpoint refuses a transaction with it alone: ';

/** The reason of a payment that stands still. */
export function troubleReason(trouble: EndpointTrouble, words: string): string {
  return `${BEGINNINGS[trouble]}${words}`;
}

/** What the reason of a payment says about its endpoint; null when it says nothing of it. */
export function readTrouble(reason: string | null): { trouble: EndpointTrouble; words: string } | null {
  const trouble = TROUBLES.find((each) => reason?.startsWith(BEGINNINGS[each]));
  return trouble === undefined || reason === null ? null : { trouble, words: reason.slice(BEGINNINGS[trouble].length) };
}

/** The objection that the reason of a sent payment names; null when its bytes were not refused. */
export function readObjection(reason: string | null): Objection | null {
  const trouble = readTrouble(reason)?.trouble;
  return OBJECTIONS.find((objection) => objection === trouble) ?? null;
}

/** The reason of a payment that the endpoint refuses when nothing shares its transaction. */
export function aloneReason(words: string): string {
  return `${REFUSED_ALONE}${words}`;
}

/** Whether a payment was refused when nothing shared its transaction: it would take others with it. */
export function wasRefusedAlone({ reason }: { readonly reason: string | null }): boolean {
  return reason?.startsWith(REFUSED_ALONE) ?? false;
}

/** What an error of a chain says about its endpoint, without naming both again: a clause that begins with `it`. */
export function whyUnreachable({ key }: { readonly key: string }, { message }: { readonly message: string }): string {
  return message.replace(`chain ${key}: the endpoint`, 'it').replace(`chain ${key}: `, '');
}
