import { type Chain, chainById } from '../../domain/chains/chain.ts';
import { invalidRequest } from '../../domain/errors.ts';
import type { Gig } from '../../domain/gigs/gig.ts';
import type { Terms } from '../../domain/gigs/terms.ts';
import { type Address, NATIVE_TOKEN_ADDRESS } from '../../domain/gigs/token.ts';
import type { Post } from '../../domain/mentions/mention.ts';
import type { OwnerActor } from '../../domain/operators/actor.ts';
import type { Owner } from '../../domain/owners/owner.ts';
import { MOST_UNFUNDED, MOST_WATCHED } from '../../domain/owners/owner-gigs.ts';
import type { StoreReads } from '../../store/port/index.ts';
import type { ReadContext } from '../context.ts';
import { changeGig } from '../gigs/change-gig.ts';
import { prepareGig } from '../gigs/create-gig.ts';
import { countsOn } from '../gigs/owner-accounts.ts';
import { previewRules } from '../gigs/terms/earning-terms.ts';
import { describedTarget } from '../gigs/terms/find-target.ts';
import { type Reward, readReward } from '../gigs/terms/terms.ts';
import type { Prepared } from '../prepared.ts';
import type { CreationContext, OwnerLimits } from './context.ts';
import { type NamedOwner, ownerActor, type SignedIn } from './sessions.ts';
import type { ShownPosts } from './shown-posts.ts';

export interface OfferedToken {
  readonly chain: Chain;
  /** In lower case. */
  readonly address: Address;
  readonly symbol: string;
  readonly decimals: number;
}

/** The native assets of the enabled chains, then the tokens that the operator offers there. */
export async function listOfferedTokens({ store, chains }: CreationContext, owner: Owner): Promise<OfferedToken[]> {
  const enabled = chains.list().flatMap(({ chain }) => (countsOn(owner, chain.id) ? [chain] : []));
  const native = enabled.map((chain) => ({ chain, address: NATIVE_TOKEN_ADDRESS, ...chain.nativeCurrency }));
  const offered = (await store.offeredTokens()).flatMap(({ chainId, address, symbol, decimals }) => {
    const chain = enabled.some(({ id }) => id === chainId) ? chainById(chainId) : undefined;
    return chain === undefined ? [] : [{ chain, address, symbol, decimals }];
  });
  return [...native, ...offered];
}

async function mayCreate({ store }: ReadContext, { ownerCreate }: OwnerLimits, name: string): Promise<boolean> {
  if (ownerCreate === 'listed') return await store.isOwnerAllowed(name);
  return ownerCreate === 'anybody';
}

/** Why an owner cannot create a gig now, as a sentence; null when it can. `now` is epoch milliseconds. */
export async function whyNotCreate(
  store: StoreReads,
  limits: OwnerLimits,
  { name, client, now }: NamedOwner & { readonly now: number },
): Promise<string | null> {
  if (!(await mayCreate({ store }, limits, name))) {
    return `The operator of this service has not allowed you to create gigs. You are ${name}.`;
  }
  const { own, waiting, watched } = await store.openOwnerGigs(client, now);
  const most = limits.ownerOpenGigs;
  if (own >= most) {
    return `You have ${own} open gigs, and may have ${most}: end one, or cancel one that is not started.`;
  }
  if (waiting >= MOST_UNFUNDED) return 'Too many gigs on this service wait for their funds. Try again later.';
  return watched < MOST_WATCHED ? null : 'Too many gigs run on this service. Try again later.';
}

/** The token of terms. @throws DomainError `invalid_request` when it is none of these */
export function findOffered(tokens: readonly OfferedToken[], terms: Terms): OfferedToken {
  const token = tokens.find(({ chain, address }) => chain.key === terms.chain && address === terms.tokenAddress);
  if (token === undefined) throw invalidRequest('This token is not offered here: choose one of the list.');
  return token;
}

/** What runs before a platform is asked for an owner: who signs in may send a form again and again, and each question is paid for. */
async function askingWithin({ store, targetBudgets }: CreationContext, owner: string): Promise<() => void> {
  const whyNotAsk = (await store.isOwnerAllowed(owner)) ? targetBudgets.allowed : targetBudgets.strangers;
  return () => {
    const why = whyNotAsk(owner, 1);
    if (why !== null) throw invalidRequest(`${why}: try again later, or award by hand.`);
  };
}

/** A gig as its owner sees it before it is created. Amounts are base units. */
export interface GigPreview extends Reward {
  /** Who earns, as the page of the gig will say it; null when the organizer decides. */
  readonly criteria: string | null;
  /** What the reward comes to, in a sentence; null when nothing can be said. */
  readonly sum: string | null;
  /** The most that one account gets at a time, in base units; null when nothing says it. */
  readonly most: bigint | null;
  readonly token: OfferedToken;
  /** As {@link ShownPosts} has it, of a gig whose post is watched. */
  readonly post: Post | null | undefined;
}

/**
 * What a gig with these terms would be. Its platform is asked about its post alone.
 * @param tokens that the owner may choose
 * @throws DomainError `validation_failed`, and `invalid_request` for another token
 */
export async function previewOwnGig(
  deps: CreationContext & { readonly posts: ShownPosts },
  { terms, tokens, owner }: { terms: Terms; tokens: readonly OfferedToken[]; owner: NamedOwner },
): Promise<GigPreview> {
  const token = findOffered(tokens, terms);
  const amounts = readReward(terms.amount, token, deps.feeBps);
  const gig = { ...amounts, duration: terms.duration, gigType: terms.gigType };
  const rules = await previewRules(deps, { terms, gig, token });
  const isAboutPost = rules.criteria !== null && describedTarget(terms, token).kind === 'post';
  return {
    ...amounts,
    ...rules,
    token,
    post: isAboutPost ? await deps.posts.of(owner.name, terms) : undefined,
  };
}

/**
 * As {@link prepareGig}, for an owner who signed in. The gig lists an owner who is an account.
 * @throws DomainError as {@link prepareGig}, and `invalid_request` for {@link whyNotCreate} or a token that is not offered
 */
export async function prepareOwnGig(
  deps: CreationContext,
  { terms, owner, requestId }: { terms: Terms; owner: SignedIn; requestId: string | null },
): Promise<Prepared<Gig>> {
  async function requireRoom(store: StoreReads, now: number): Promise<void> {
    const why = await whyNotCreate(store, deps.config, { name: owner.name, client: owner.client, now });
    if (why !== null) throw invalidRequest(why);
  }
  await requireRoom(deps.store, deps.clock());
  findOffered(await listOfferedTokens(deps, owner.owner), terms);
  const { owner: who } = owner;
  const owners =
    who.kind === 'account' ? [{ platform: who.platform, platformUserId: who.platformUserId, username: null }] : [];
  const request = { terms, owners, actor: ownerActor(owner, requestId) };
  const beforeAsking = await askingWithin(deps, owner.name);
  const prepared = await prepareGig({ ...deps, beforeAsking }, request);
  return {
    ...prepared,
    async commit(tx, now) {
      await requireRoom(tx, now);
      return await prepared.commit(tx, now);
    },
  };
}

/**
 * As {@link changeGig}, for an owner who signed in.
 * @throws DomainError as {@link changeGig}, and `invalid_request` when the owner has asked platforms too often
 */
export async function changeOwnGig(
  deps: CreationContext,
  { owner, ...change }: { gigId: number; changes: Partial<Terms>; owner: SignedIn; actor: OwnerActor },
): Promise<Gig> {
  return await changeGig({ ...deps, beforeAsking: await askingWithin(deps, owner.name) }, change);
}
