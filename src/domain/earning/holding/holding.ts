import { z } from 'zod';
import { formatAmount, parseAmount } from '../../amount.ts';
import type { TokenOddity } from '../../chains/chain.ts';
import { addressField, amountField } from '../../fields.ts';
import { type Address, checksummed } from '../../gigs/token.ts';
import { HOUR_MS } from '../../time.ts';
import { shownAmount, storedAmount } from '../amounts.ts';

/** A token that accounts are to hold, as its contract reports it. */
export interface HeldToken {
  readonly address: Address;
  readonly symbol: string;
  readonly decimals: number;
}

/** What accounts are to hold: so much of a token of the gig's chain, in base units. */
export interface Holding {
  readonly token: HeldToken;
  readonly amount: bigint;
}

/** A holding as clients give it and see it; the amount is decimal text in whole tokens. */
export interface HoldingJson {
  readonly token: string;
  readonly amount: string;
}

/** The fields of a holding as clients give them. */
export const givenHolding = { token: addressField('token'), amount: amountField('amount') };

const storedAddress = z
  .string()
  .regex(/^0x[0-9a-f]{40}$/)
  .transform((text): Address => `0x${text.slice(2)}`);

/** These fields as they are stored. */
export const storedHolding = {
  token: z.strictObject({ address: storedAddress, symbol: z.string(), decimals: z.int().nonnegative() }),
  amount: storedAmount,
};

/** These fields as clients see them. */
export const shownHolding = {
  token: z.string().meta({ description: 'The contract of the token that is held.' }),
  amount: shownAmount,
};

/** What is known of a token that rules name; null when it is not known yet. */
export type FindHeldToken = (address: Address) => HeldToken | null;

/** A holding in base units. @param check notes a problem, unless it is fine */
export function fillHolding(
  { token: address, amount: text }: { readonly token: Address; readonly amount: string },
  { heldToken, check }: { heldToken: FindHeldToken | undefined; check(isFine: boolean, problem: string): void },
): Holding {
  const token = heldToken?.(address) ?? { address, symbol: '', decimals: text.split('.')[1]?.length ?? 0 };
  const amount = parseAmount(text, token.decimals);
  check(amount !== 'too_many_decimals', `amount has more decimals than ${token.symbol}, which has ${token.decimals}`);
  check(amount !== 'too_large', 'amount is more than a token can count');
  return { token, amount: typeof amount === 'bigint' ? amount : 0n };
}

/** A holding as clients see it. */
export function writeHolding({ token, amount }: Holding): HoldingJson {
  return { token: checksummed(token.address), amount: formatAmount(amount, token.decimals) };
}

/** How much of which token, in words: `100 DEGEN`. */
export function holdingWords({ token, amount }: Holding): string {
  return `${formatAmount(amount, token.decimals)} ${token.symbol === '' ? 'of the token' : token.symbol}`;
}

/** What an account held in a block; texts, because facts are kept as JSON. */
export interface HeldInBlock {
  /** Base units. */
  readonly amount: string;
  readonly block: string;
  readonly hash: `0x${string}`;
}

/** What was known of an account's holding when it was decided on. */
export interface HoldingFacts {
  readonly token: HeldToken;
  /** What the gig asks for, in base units. */
  readonly needed: string;
  /** At the entry; absent where nobody enters, or it is not known. */
  readonly entry?: HeldInBlock | undefined;
  /** In the block that was drawn, or at the decision where nobody enters; absent before. */
  readonly last?: HeldInBlock | undefined;
  /** How many of its addresses count for another account; absent without any. */
  readonly counted?: number | undefined;
  /** Whether the token did not tell; absent when it did. */
  readonly isUnknown?: boolean | undefined;
}

/** How an account stands to what it is to hold. */
export type HoldingStanding =
  /** It is known in time: nothing is decided before. Epoch milliseconds. */
  | { readonly state: 'waits'; readonly dueAt: number; readonly facts: HoldingFacts }
  | { readonly state: 'enough' | 'too_little' | 'never_known'; readonly facts: HoldingFacts };

/** How long a token that does not tell is asked before its accounts are refused. */
export const UNKNOWN_PATIENCE_MS = 7 * 24 * HOUR_MS;
/** How long it is not asked again. */
export const UNKNOWN_PAUSE_MS = HOUR_MS;

const ODDITY_WORDS: Readonly<Record<TokenOddity, string>> = {
  reverts: 'does not tell balances within 200,000 gas',
  lies: 'tells balances that cannot be',
  rebases: 'changes balances by itself',
};

/** Why a token cannot be held for a gig, in words that follow its name. */
export function oddityWords(oddity: TokenOddity): string {
  return ODDITY_WORDS[oddity];
}
