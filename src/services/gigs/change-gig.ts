import { isDeepStrictEqual } from 'node:util';
import type { Actor } from '../../domain/actor.ts';
import { formatAmount } from '../../domain/amount.ts';
import { chainById, isFresh } from '../../domain/chain.ts';
import { DomainError } from '../../domain/errors.ts';
import type { Gig } from '../../domain/gig.ts';
import { type Terms, termsProblems, termsShape } from '../../domain/terms.ts';
import type { Token } from '../../domain/token.ts';
import { complete, readFields } from '../../domain/validation.ts';
import type { Store } from '../../store/port/index.ts';
import { recordGigEvent } from '../operators/audit-events.ts';
import { findGig, findReachedGig } from './find-gigs.ts';
import { settleTerms, type TermsDeps } from './terms.ts';

export interface ChangeGigDeps extends TermsDeps {
  readonly store: Pick<Store, 'transaction' | 'token' | 'gig'>;
}

/** The terms that a gig has now, as a client would give them. */
function termsOf(gig: Gig): Terms {
  return {
    chain: chainById(gig.token.chainId)?.key ?? '',
    token_address: gig.token.address,
    amount: formatAmount(gig.rewardAmount, gig.token.decimals),
    start_time: gig.startTime,
    // The durations that a client can choose are only some of those that a gig may have.
    duration: gig.duration as Terms['duration'],
    gig_type: gig.gigType,
    how_to_earn: gig.howToEarn,
    earning_criteria: gig.earningCriteria,
    url: gig.externalUrl,
    platform: gig.platform,
    verifier: gig.verifier,
  };
}

/** The terms that differ: what each was and what it is. */
function differences(before: Terms, after: Terms): Record<string, { from: unknown; to: unknown }> {
  const now: Readonly<Record<string, unknown>> = { ...after };
  const changed = Object.entries(before).filter(([name, value]) => value !== now[name]);
  return Object.fromEntries(changed.map(([name, from]) => [name, { from, to: now[name] }]));
}

const TERM_NAMES = Object.keys(termsShape).join(', ');

function readChange(body: unknown) {
  const given = typeof body === 'object' && body !== null && !Array.isArray(body) ? body : null;
  if (given === null) return { fields: {}, problems: ['The body must be a JSON object'] };
  const named = Object.entries(termsShape).filter(([name]) => Object.hasOwn(given, name));
  const reading = readFields(Object.fromEntries(named), body);
  const unknown = Object.keys(given).filter((name) => !Object.hasOwn(termsShape, name));
  const problems = [
    ...reading.problems,
    ...unknown.map((name) => `${JSON.stringify(name.slice(0, 40))} is no term of a gig; they are ${TERM_NAMES}`),
    ...(Object.keys(given).length === 0 ? [`name at least one term to change: ${TERM_NAMES}`] : []),
  ];
  // Only fields of `termsShape` were read, each by its own schema.
  return { fields: reading.fields as Partial<Terms>, problems };
}

/**
 * What the wallet holds of another token, or on another chain, is not this gig's: it was not looked at there when the gig
 * was created.
 */
async function requireFreshWallet({ chains }: ChangeGigDeps, gig: Gig, token: Token): Promise<void> {
  const reader = chains.reader(token.chainId);
  if (isFresh(await reader.useOf({ owner: gig.walletAddress, token }))) return;
  const problem = `The wallet of this gig was used on chain ${reader.chain.key} already: create another gig for ${token.symbol}`;
  throw new DomainError({ code: 'validation_failed', details: [problem] });
}

/**
 * Changes those terms of a gig that the body names, while it is not live. Everything is checked again as if it were new.
 * @returns the gig as it now is
 * @throws DomainError `gig_not_found`, `gig_already_live`, `gig_in_progress` while it is being started or changed by
 * somebody else, and those of createGig
 */
export async function changeGig(
  deps: ChangeGigDeps,
  request: { gigId: number; body: unknown; actor: Actor },
): Promise<Gig> {
  const { store, clock, earningOnX } = deps;
  const { gigId, actor } = request;
  const gig = await findReachedGig(deps, { gigId, actor });
  if (gig.status === 'live') throw new DomainError({ code: 'gig_already_live', gigId });
  const change = readChange(request.body);
  const merged = { ...termsOf(gig), ...change.fields };
  const problems = termsProblems(merged, { now: clock(), earningOnX });
  complete({ fields: {}, problems: change.problems }, problems);
  const { gig: terms, token } = await settleTerms(deps, { terms: merged, actor });
  if (token.id !== gig.token.id) await requireFreshWallet(deps, gig, token);
  return await store.transaction(async (tx) => {
    const current = await findGig({ store: tx }, { gigId });
    if (current.status === 'live') throw new DomainError({ code: 'gig_already_live', gigId });
    // What was merged and checked is what was read; a change in between would be undone without a word.
    const now = clock();
    const changed = isDeepStrictEqual(current, gig) && (await tx.changeTerms(gigId, { terms, now }));
    if (!changed) throw new DomainError({ code: 'gig_in_progress', gigId });
    const after = await findGig({ store: tx }, { gigId });
    const detail = differences(termsOf(gig), termsOf(after));
    await recordGigEvent(tx, { actor, now }, { action: 'gig.change', gigId, detail });
    return after;
  });
}
