import { isDeepStrictEqual } from 'node:util';
import { formatAmount } from '../../domain/amount.ts';
import { chainById, isFresh } from '../../domain/chains/chain.ts';
import { criteriaText, type EarningCriteria } from '../../domain/earning/terms/given.ts';
import { criteriaField } from '../../domain/earning/terms/rules-field.ts';
import { readStoredRules } from '../../domain/earning/terms/rules-json.ts';
import { DomainError } from '../../domain/errors.ts';
import type { Gig } from '../../domain/gigs/gig.ts';
import { defaultAwardDays } from '../../domain/gigs/gig-end.ts';
import { storedTerms, type Terms, termsProblems } from '../../domain/gigs/terms.ts';
import type { Token } from '../../domain/gigs/token.ts';
import type { Actor } from '../../domain/operators/actor.ts';
import { throwIfInvalid } from '../../domain/validation.ts';
import type { StoredEarningRules } from '../../store/port/index.ts';
import type { TimedReads } from '../context.ts';
import { recordGigEvent } from '../operators/audit-events.ts';
import { commandGig } from './command-gig.ts';
import type { GigContext } from './context.ts';
import { findGig, requireNotLive } from './find-gigs.ts';
import { defaultKeyword } from './terms/find-target.ts';
import { fillTerms } from './terms/terms.ts';

/** A gig without words and rules stays manual until its criteria are changed, whatever it would get as a new one. */
const MANUAL: EarningCriteria = { kind: 'rules', given: { rule: { type: 'manual' } } };

function criteriaOf({ earningCriteria: text }: Gig, rules: StoredEarningRules | null): EarningCriteria {
  if (rules !== null) return criteriaField('earning_criteria').parse(rules.given);
  return text === null ? MANUAL : { kind: 'text', text };
}

/** Null for the default keyword, which goes with the token. */
function keywordOf({ token }: Gig, rules: StoredEarningRules | null): string | null {
  if (rules?.target.kind !== 'keyword') return null;
  const { keyword } = rules.target;
  return keyword === defaultKeyword(token) ? null : keyword;
}

function termsOf(gig: Gig, rules: StoredEarningRules | null = null): Terms {
  const stored = rules && readStoredRules(rules.rules);
  const { awardDays } = gig;
  return {
    ...storedTerms(gig),
    chain: chainById(gig.token.chainId)?.key ?? '',
    tokenAddress: gig.token.address,
    amount: formatAmount(gig.rewardAmount, gig.token.decimals),
    earningCriteria: criteriaOf(gig, rules),
    url: gig.externalUrl,
    keyword: keywordOf(gig, rules),
    // The default goes with the type and the rules.
    awardDays: awardDays === defaultAwardDays({ gigType: gig.gigType, rules: stored }) ? null : awardDays,
  };
}

function differences(before: Terms, after: Terms): Record<string, { from: unknown; to: unknown }> {
  const plain = (terms: Terms) => ({ ...terms, earningCriteria: criteriaText(terms.earningCriteria) });
  const now: Readonly<Record<string, unknown>> = plain(after);
  const changed = Object.entries(plain(before)).filter(([name, value]) => value !== now[name]);
  const apiName = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  return Object.fromEntries(changed.map(([name, from]) => [apiName(name), { from, to: now[name] }]));
}

/** Creating the gig checked only its first token. */
async function requireFreshWallet({ chains }: GigContext, gig: Gig, token: Token): Promise<void> {
  const reader = chains.reader(token.chainId);
  if (isFresh(await reader.useOf({ owner: gig.walletAddress, token }))) return;
  const { key } = reader.chain;
  throwIfInvalid([`The wallet of this gig was used on chain ${key} already: create another gig for ${token.symbol}`]);
}

/** Those who fund a wallet have seen what decides where the money returns to. */
async function requireUnfunded(
  { chains }: GigContext,
  { token, walletAddress: owner }: Gig,
  term: 'refund_address' | 'token_address',
): Promise<void> {
  const { amount } = await chains.reader(token.chainId).balance({ token, owner });
  const held = `${formatAmount(amount, token.decimals)} ${token.symbol}`;
  throwIfInvalid(amount === 0n ? [] : [`${term} cannot be changed: the wallet of this gig holds ${held} already`]);
}

/** The gig whose terms an actor may change now. @throws DomainError as {@link commandGig}, `gig_already_live`, `gig_ended` */
export async function findChangeableGig(
  { store, clock }: TimedReads,
  { gigId, actor }: { gigId: number; actor: Actor },
): Promise<Gig> {
  const gig = await commandGig(store, { gigId, actor, act: 'change' });
  requireNotLive(gig, clock());
  if (gig.cancelledAt !== null) throw new DomainError({ code: 'gig_cancelled', gigId });
  return gig;
}

/** The problems of a gig's terms after these changes; all terms are checked as if the gig were new. */
export function changeProblems({ clock, earningOnX }: GigContext, gig: Gig, changes: Partial<Terms>): string[] {
  return termsProblems({ ...termsOf(gig), ...changes }, { now: clock(), earningOnX });
}

/**
 * Changes these terms of a gig that is not live; all terms are checked as if the gig were new.
 * @returns the changed gig
 * @throws DomainError as {@link commandGig}, `gig_already_live`, `gig_ended`, `gig_in_progress` while another request starts or
 * changes it, and those of createGig
 */
export async function changeGig(
  deps: GigContext,
  { gigId, changes, actor }: { gigId: number; changes: Partial<Terms>; actor: Actor },
): Promise<Gig> {
  const { store, clock } = deps;
  const gig = await findChangeableGig(deps, { gigId, actor });
  const rules = await store.earningRules(gigId);
  const before = termsOf(gig, rules);
  const {
    gig: terms,
    token,
    earning,
  } = await fillTerms(deps, {
    terms: { ...before, ...changes },
    actor,
    // On another chain it may be a token.
    before: { ...gig, isChecked: changes.chain === undefined || changes.chain === before.chain },
  });
  if (token.id !== gig.token.id) {
    await requireFreshWallet(deps, gig, token);
    // Money in the old token would not be returned any more, and its refund address could be changed with the new one.
    await requireUnfunded(deps, gig, 'token_address');
  }
  if (terms.refundAddress !== gig.refundAddress) await requireUnfunded(deps, gig, 'refund_address');
  return await store.transaction(async (tx) => {
    const current = await commandGig(tx, { gigId, actor, act: 'change' });
    const now = clock();
    requireNotLive(current, now);
    // The terms were merged with the gig and its rules as read; a change since would be silently undone.
    const isSame = isDeepStrictEqual(current, gig) && isDeepStrictEqual(await tx.earningRules(gigId), rules);
    const changed = isSame && (await tx.changeTerms(gigId, { terms, now }));
    if (!changed) throw new DomainError({ code: 'gig_in_progress', gigId });
    await tx.storeEarningRules(gigId, earning);
    const after = await findGig({ store: tx }, { gigId });
    const detail = differences(before, termsOf(after, await tx.earningRules(gigId)));
    await recordGigEvent(tx, { actor, now }, { action: 'gig.change', gigId, detail });
    return after;
  });
}
