import { MAX_AMOUNT, parseAmount } from '../../../domain/amount.ts';
import { type Chains, chainByKey } from '../../../domain/chains/chain.ts';
import { readStoredRules } from '../../../domain/earning/terms/rules-json.ts';
import { DomainError } from '../../../domain/errors.ts';
import { feeOn, type NewGig } from '../../../domain/gigs/gig.ts';
import { defaultAwardDays } from '../../../domain/gigs/gig-end.ts';
import {
  canonicalUrl,
  problemsByTerm,
  REFUND_ADDRESS_LOSES,
  storedTerms,
  type Terms,
} from '../../../domain/gigs/terms.ts';
import type { Address, Token, TokenUnit } from '../../../domain/gigs/token.ts';
import type { Actor } from '../../../domain/operators/actor.ts';
import { problemsWith, refuseFields } from '../../../domain/validation.ts';
import { isLostRecipient, losesMoney } from '../../recipients.ts';
import type { GigContext } from '../context.ts';
import { type FilledRules, fillGigRules } from './earning-terms.ts';
import { resolveRefund } from './resolve-refund.ts';
import { findOrAddToken } from './tokens.ts';

function enabledChain(chains: Chains, key: string) {
  const chain = chainByKey(key);
  const enabled = chain !== undefined && chains.list().some((reader) => reader.chain.id === chain.id);
  if (!enabled) throw new DomainError({ code: 'chain_not_found' });
  return chain;
}

/** Parses amounts of a token: the valid ones in base units, and a problem for each other, by its field name. */
export function readAmounts(
  texts: readonly { field: string; text: string }[],
  token: TokenUnit,
): { amounts: bigint[]; problems: string[] } {
  const amounts: bigint[] = [];
  const problems: string[] = [];
  for (const { field, text } of texts) {
    const amount = parseAmount(text, token.decimals);
    if (typeof amount === 'bigint') amounts.push(amount);
    else if (amount === 'too_large') problems.push(`${field} is more than a token can count`);
    else problems.push(`${field} has more decimals than ${token.symbol}, which has ${token.decimals}`);
  }
  return { amounts, problems };
}

/** A reward with its fee, in base units. */
export interface Reward {
  readonly rewardAmount: bigint;
  readonly feeAmount: bigint;
}

/**
 * The reward of a text and its fee, rounded down, in base units.
 * @throws DomainError `validation_failed` when the token cannot count them
 */
export function readReward(text: string, token: TokenUnit, feeBps: number): Reward {
  const { amounts, problems } = readAmounts([{ field: 'amount', text }], token);
  refuseFields(problemsWith('amount', ...problems));
  const [rewardAmount = 0n] = amounts;
  const feeAmount = feeOn(rewardAmount, feeBps);
  const tooMuch = rewardAmount + feeAmount > MAX_AMOUNT;
  refuseFields(problemsWith('amount', tooMuch ? 'amount and its fee together are more than a token can count' : null));
  return { rewardAmount, feeAmount };
}

/** Where the funds of a gig returned to before its terms are changed. */
interface RefundBefore {
  readonly refundAddress: Address | null;
  readonly refundName: string | null;
  /** Whether its chain was asked about the address. */
  readonly isChecked: boolean;
}

/**
 * Turns terms into those of a gig: checks them, finds the chain and the token, and converts reward and fee to base
 * units, the fee rounded down; a name is resolved, and the chain is asked about a refund address that was not checked before; rules are filled in, and their target is looked up. A new token is stored, and stays stored if the terms are refused later.
 * @throws DomainError `chain_not_found`, `token_not_found`, `validation_failed`
 * @throws AdapterError when the chain or the platform must be asked and does not answer
 */
export async function fillTerms(
  deps: GigContext,
  { terms, actor, before = null }: { terms: Terms; actor: Actor; before?: RefundBefore | null },
): Promise<{ gig: NewGig; token: Token; earning: FilledRules['stored'] }> {
  refuseFields(problemsByTerm(terms, { now: deps.clock(), earningOnX: deps.earningOnX }));
  const chain = enabledChain(deps.chains, terms.chain);
  const { refundAddress: recipient, refundName } = await resolveRefund(deps, terms.refundAddress);
  const isAsBefore = recipient !== null && recipient === before?.refundAddress;
  // One that the chain was asked about may be a token's by now, which a gig has added.
  const isLost =
    recipient !== null &&
    (isAsBefore && before.isChecked
      ? await isLostRecipient(deps, recipient)
      : await losesMoney(deps, { chainId: chain.id, recipient }));
  refuseFields(problemsWith('refund_address', isLost ? REFUND_ADDRESS_LOSES : null));
  const token = await findOrAddToken(deps, { chain, address: terms.tokenAddress, actor });
  const gig: NewGig = {
    ...storedTerms({ ...terms, refundAddress: recipient }),
    ...readReward(terms.amount, token, deps.feeBps),
    tokenId: token.id,
    endTime: terms.startTime + terms.duration,
    externalUrl: terms.url && canonicalUrl(terms.url, terms.platform, terms.gigType),
    earningCriteria: null,
    awardDays: 0,
    // The same address goes on with the name that it was given by.
    refundName: refundName ?? (isAsBefore ? before.refundName : null),
  };
  const { criteria, stored } = await fillGigRules(deps, { terms, gig, token });
  const rules = stored && readStoredRules(stored.rules);
  const awardDays = terms.awardDays ?? defaultAwardDays({ gigType: gig.gigType, rules });
  return { gig: { ...gig, earningCriteria: criteria, awardDays }, token, earning: stored };
}
