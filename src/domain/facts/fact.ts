import type { Account, Platform } from '../account.ts';
import { formatAmount } from '../amount.ts';
import { chainById } from '../chains/chain.ts';
import { type Address, checksummed, type Token, type TokenUnit } from '../gigs/token.ts';
import { isoText } from '../time.ts';

/** A part of what a fact says. A string is the service's own words; the rest each printer shows in its own way. */
export type Piece =
  | string
  | { readonly amount: bigint; readonly of: TokenUnit }
  /** Epoch milliseconds. */
  | { readonly moment: number }
  | { readonly platform: Platform }
  | { readonly account: Account }
  | { readonly address: Address }
  /** An id or a hash, in full. */
  | { readonly whole: string }
  | { readonly transaction: string; readonly chainId: number }
  /** A few words from a client, a token or a node. */
  | { readonly foreign: string }
  /** A text of a client, with its lines. */
  | { readonly text: string }
  /** A record that has a page. */
  | { readonly record: 'gig' | 'claim' | 'key' | 'mention' | 'payment'; readonly id: number }
  /** A command line of the operator. */
  | { readonly command: string }
  /** What needs the operator's attention. */
  | { readonly problem: Told };

export type Told = Piece | readonly Piece[];

/** A fact of a record, as the command line and the operator's pages show it. */
export interface Fact<Subject> {
  /** In lower case; the pages begin it with a capital. */
  readonly label: string;
  /** Null when there is nothing to tell. */
  readonly read: (subject: Subject) => Told | null;
  /** What it is in the JSON of the command line. */
  readonly json: (subject: Subject) => Readonly<Record<string, unknown>>;
}

function pieceJson(told: Told | null): unknown {
  if (told === null || typeof told === 'string') return told;
  if ('amount' in told) return formatAmount(told.amount, told.of.decimals);
  if ('moment' in told) return isoText(told.moment);
  if ('platform' in told) return told.platform;
  if ('address' in told) return checksummed(told.address);
  if ('whole' in told) return told.whole;
  if ('transaction' in told) return told.transaction;
  if ('foreign' in told) return told.foreign;
  if ('text' in told) return told.text;
  throw new TypeError('what consists of several pieces has no JSON of its own');
}

/**
 * A fact of the records `Subject`.
 * @param options.json its name in JSON, where the value is the one piece that `read` gives; or names with their values;
 * without it the fact is not in JSON
 */
export function fact<Subject>(
  label: string,
  read: Fact<Subject>['read'],
  { json = () => ({}) }: { readonly json?: string | Fact<Subject>['json'] } = {},
): Fact<Subject> {
  const toJson = typeof json === 'string' ? (subject: Subject) => ({ [json]: pieceJson(read(subject)) }) : json;
  return { label, read, json: toJson };
}

/** An account, in JSON. */
export function accountJson({ platform, platformUserId, username }: Account) {
  return { platform, platform_user_id: platformUserId, username };
}

/** The account of a record. */
export function accountFact<Subject>(accountOf: (subject: Subject) => Account): Fact<Subject> {
  return fact('account', (subject) => ({ account: accountOf(subject) }), {
    json: (subject) => accountJson(accountOf(subject)),
  });
}

/** The JSON of facts. */
export function factsJson<Subject>(facts: readonly Fact<Subject>[], subject: Subject): Record<string, unknown> {
  return Object.assign({}, ...facts.map(({ json }) => json(subject)));
}

/** A time that may not have come. */
export function momentOr(time: number | null): { readonly moment: number } | null {
  return time === null ? null : { moment: time };
}

/** A client's text that may be absent. */
export function textOr(text: string | null): { readonly text: string } | null {
  return text === null ? null : { text };
}

/** A token, and the chain that it is on. */
export function tokenTold({ symbol, address, chainId }: Token): Told {
  const chain = chainById(chainId)?.name ?? 'a chain that is not known';
  return [{ foreign: symbol }, ' ', { address }, ` on ${chain} (chain id ${chainId})`];
}

/** A token and its chain, in JSON. */
export function tokenJson({ symbol, address, chainId, decimals }: Token) {
  const chain = chainById(chainId)?.key ?? String(chainId);
  return { chain, token: { symbol, address: checksummed(address), decimals } };
}
