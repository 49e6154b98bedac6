import { type Account, type AccountKey, type AccountName, accountKeyText } from '../../../domain/account.ts';
import { claimOutcome } from '../../../domain/claims/claim.ts';
import type { Piece, Told } from '../../../domain/facts/fact.ts';
import { gigPhase } from '../../../domain/gigs/gig.ts';
import { MAX_TITLE } from '../../../domain/gigs/terms.ts';
import type { Address } from '../../../domain/gigs/token.ts';
import { cleanText } from '../../../domain/gigs/token-text.ts';
import { authorOf } from '../../../domain/mentions/mention.ts';
import { type FoundRecord, readSearch, type Sought, type SoughtPost } from '../../../domain/operators/search.ts';
import { ownerClient, ownerText } from '../../../domain/owners/owner.ts';
import type { Payment } from '../../../domain/payments/payment.ts';
import { statusOf } from '../../claims/list-claims.ts';
import type { TimedReads } from '../../context.ts';

/** A record that was found, by what names it. */
export type HitRecord =
  | { readonly kind: Exclude<FoundRecord, 'tip'>; readonly id: number }
  | { readonly kind: 'tip'; readonly id: number; readonly account: AccountKey }
  | { readonly kind: 'account'; readonly account: AccountKey }
  /** `delivery` is the place of a delivery of the event; null when there was none. */
  | { readonly kind: 'event'; readonly uid: string; readonly gigId: number; readonly delivery: number | null }
  | { readonly kind: 'audit'; readonly id: number }
  | { readonly kind: 'gas tank' };

export interface Hit {
  readonly record: HitRecord;
  readonly told: Told;
}

const SHOWN_TEXT = 80;
/** No text of more UTF-16 units is looked for as a title. */
const MAX_TITLE_UNITS = 200;
/** Of one owner. */
const GIGS_SHOWN = 10;

type Find<By extends Sought['by']> = (
  deps: TimedReads,
  sought: Extract<Sought, { by: By }>,
) => Promise<readonly (Hit | null)[]>;

function accountHit(account: Account, ...more: readonly Piece[]): Hit {
  const { platform, platformUserId } = account;
  return { record: { kind: 'account', account: { platform, platformUserId } }, told: [{ account }, ...more] };
}

/** Earnings need no account that is known by more than its id. */
async function findAccount({ store }: TimedReads, name: AccountName): Promise<Hit | null> {
  if ('handle' in name) {
    const holder = await store.accountByHandle(name.platform, name.handle);
    return holder && accountHit(holder, ' holds this handle now.');
  }
  const known = await store.account(name);
  if (known !== null) return accountHit(known, ' is an account that is known.');
  const earned = await store.earningsOf(name, { limit: 1 });
  return earned.length === 0 ? null : accountHit({ ...name, username: null }, ' has taken part in a gig.');
}

async function findGig({ store, clock }: TimedReads, id: number): Promise<Hit | null> {
  const gig = await store.gig(id);
  if (gig === null) return null;
  const phase = gigPhase(gig, clock());
  const { rewardAmount: amount, token: of, platform } = gig;
  const told: Piece[] = [`Gig ${id} is ${phase}: `, { amount, of }, ' on ', { platform }, '.'];
  return { record: { kind: 'gig', id }, told };
}

async function findClaim({ store }: TimedReads, id: number): Promise<Hit | null> {
  const claim = await store.claim(id);
  if (claim === null) return null;
  const outcome = claimOutcome(await statusOf(store, claim));
  const account = (await store.account(claim)) ?? { ...claim, username: null };
  const told: Piece[] = [`Claim ${id} of `, { account }, ` to `, { address: claim.recipient }, ` is ${outcome}.`];
  return { record: { kind: 'claim', id }, told };
}

async function findTip({ store }: TimedReads, id: number): Promise<Hit | null> {
  const tip = await store.tip(id);
  const gig = tip && (await store.gig(tip.gigId));
  if (tip === null || gig === null) return null;
  const { platform, platformUserId, amount, gigId, status, voidedAt } = tip;
  const state = voidedAt !== null ? 'void' : status === 'claimed' ? 'paid' : 'pending';
  return {
    record: { kind: 'tip', id, account: { platform, platformUserId } },
    told: [
      `Tip ${id} of `,
      { account: tip },
      ' is ',
      { amount, of: gig.token },
      ' from ',
      { record: 'gig', id: gigId },
      `, ${state}.`,
    ],
  };
}

function paymentHit({ id, kind, amount, token: of, gigId, state }: Payment): Hit {
  const told: Piece[] = [
    `Payment ${id} is a ${kind} of `,
    { amount, of },
    ' from ',
    { record: 'gig', id: gigId },
    `, ${state}.`,
  ];
  return { record: { kind: 'payment', id }, told };
}

async function findPayment({ store }: TimedReads, id: number): Promise<Hit | null> {
  const payment = await store.payment(id);
  return payment && paymentHit(payment);
}

async function findMention({ store }: TimedReads, id: number): Promise<Hit | null> {
  const mention = await store.mention(id);
  if (mention === null) return null;
  const account = { ...authorOf(mention), username: mention.authorUsername };
  const state = mention.state === 'answered' ? 'handled' : mention.state;
  const text = Array.from(mention.text).slice(0, SHOWN_TEXT).join('');
  const told: Piece[] = [`Mention ${id} by `, { account }, ` is ${state}: `, { foreign: text }];
  return { record: { kind: 'mention', id }, told };
}

async function findReply({ store }: TimedReads, id: number): Promise<Hit | null> {
  const reply = await store.reply(id);
  if (reply === null) return null;
  const told: Piece[] = [`Reply ${id} to `, { record: 'mention', id: reply.mentionId }, ` is ${reply.state}.`];
  return { record: { kind: 'reply', id }, told };
}

const RECORDS: Readonly<Record<FoundRecord, (deps: TimedReads, id: number) => Promise<Hit | null>>> = {
  gig: findGig,
  claim: findClaim,
  tip: findTip,
  payment: findPayment,
  mention: findMention,
  reply: findReply,
};

async function findEach(deps: TimedReads, record: FoundRecord, ids: readonly number[]): Promise<(Hit | null)[]> {
  return await Promise.all(ids.map((id) => RECORDS[record](deps, id)));
}

async function findPost(deps: TimedReads, post: SoughtPost): Promise<(Hit | null)[]> {
  const { store } = deps;
  const found = await store.findPosts(post);
  const actors = found.acts.map(async ({ gigId, kind, platform, platformUserId }) => {
    const key = { platform, platformUserId };
    const account = (await store.account(key)) ?? { ...key, username: null };
    return accountHit(account, ` posted it: a ${kind} in `, { record: 'gig', id: gigId }, '.');
  });
  return [
    ...(await findEach(deps, 'mention', found.mentions)),
    ...(await findEach(deps, 'claim', found.claims)),
    ...(await findEach(deps, 'reply', found.replies)),
    ...(await findEach(deps, 'gig', found.gigs)),
    ...(await Promise.all(actors)),
  ];
}

/** The accounts that are linked to a wallet, and the latest gigs that it has created in the console. */
async function findOwner(deps: TimedReads, address: Address): Promise<(Hit | null)[]> {
  const { store } = deps;
  const client = ownerClient(ownerText({ kind: 'wallet', address, chainId: null }));
  const gigs = await store.gigsOfOwner({ client, accounts: [] }, { limit: GIGS_SHOWN });
  const links = await store.linksTo(address);
  const labels = await store.accountLabels(links);
  return [
    ...links.map(({ platform, platformUserId, validFrom }) => {
      const username = labels.get(accountKeyText({ platform, platformUserId })) ?? null;
      const state = validFrom === null ? ' has asked to link this wallet.' : ' has linked this wallet.';
      return accountHit({ platform, platformUserId, username }, state);
    }),
    ...(await findEach(
      deps,
      'gig',
      gigs.map(({ id }) => id),
    )),
  ];
}

async function findAddress(deps: TimedReads, address: Address): Promise<(Hit | null)[]> {
  const { store } = deps;
  const { gigId, claims, payments } = await store.findAddress(address);
  const isTank = (await store.gasTank()) === address;
  return [
    isTank ? { record: { kind: 'gas tank' }, told: 'This is the gas tank.' } : null,
    ...(await findEach(deps, 'gig', gigId === null ? [] : [gigId])),
    ...(await findEach(deps, 'claim', claims)),
    ...payments.map(paymentHit),
    ...(await findOwner(deps, address)),
  ];
}

async function findEvent({ store }: TimedReads, uid: string): Promise<(Hit | null)[]> {
  const found = await store.eventNamed(uid);
  if (found === null) return [];
  const { event, delivery } = found;
  const { gigId, at, seq, type } = event;
  const told: Piece[] = [`Event ${seq} is ${type} of `, { record: 'gig', id: gigId }, ' at ', { moment: at }, '.'];
  return [{ record: { kind: 'event', uid, gigId, delivery }, told }];
}

/** A claim's public id has the form of a request's. */
async function findRequest(deps: TimedReads, requestId: string): Promise<(Hit | null)[]> {
  const { store } = deps;
  const claim = await store.claimByPublicId(requestId);
  const events = await store.auditEventsOf(requestId);
  const hits = events.map(({ id, action, subject, subjectId, actorName, at }): Hit => {
    const told: Piece[] = [`${action} of ${subject} `, { foreign: subjectId }, ' by '];
    return { record: { kind: 'audit', id }, told: [...told, { foreign: actorName }, ' at ', { moment: at }, '.'] };
  });
  return [...(await findEach(deps, 'claim', claim === null ? [] : [claim.id])), ...hits];
}

const FINDS: { readonly [By in Sought['by']]: Find<By> } = {
  record: async (deps, { record, id }) => [await RECORDS[record](deps, id)],
  account: async (deps, { name }) => [await findAccount(deps, name)],
  post: (deps, { post }) => findPost(deps, post),
  transaction: async ({ store }, { hash }) => (await store.paymentsByHash(hash)).map(paymentHit),
  address: (deps, { address }) => findAddress(deps, address),
  event: (deps, { uid }) => findEvent(deps, uid),
  request: (deps, { requestId }) => findRequest(deps, requestId),
};

async function findOne<By extends Sought['by']>(deps: TimedReads, sought: Extract<Sought, { by: By }>) {
  const find: Find<By> = FINDS[sought.by];
  return await find(deps, sought);
}

function keyOf(record: HitRecord): string {
  if ('id' in record) return `${record.kind} ${record.id}`;
  if ('account' in record) return `account ${record.account.platform}:${record.account.platformUserId}`;
  return 'uid' in record ? record.uid : record.kind;
}

/** The gigs that are called so; a title may be any text, so it is looked for last. */
async function findTitle(deps: TimedReads, text: string): Promise<(Hit | null)[]> {
  const title = text.length > MAX_TITLE_UNITS ? '' : cleanText(text, MAX_TITLE);
  return title === '' ? [] : await findEach(deps, 'gig', await deps.store.gigsTitled(title));
}

/**
 * Finds a person, a post, a payment or a gig by what an operator was given: a handle, an account, a post, a hash, an address, a
 * record's number, a page, an event or a request; else gigs by their title. Each record once; nothing for a text that names none.
 */
export async function find(deps: TimedReads, text: string): Promise<Hit[]> {
  const hits = new Map<string, Hit>();
  const add = (found: readonly (Hit | null)[]) => {
    for (const hit of found) if (hit !== null && !hits.has(keyOf(hit.record))) hits.set(keyOf(hit.record), hit);
  };
  for (const sought of readSearch(text)) add(await findOne(deps, sought));
  if (hits.size === 0) add(await findTitle(deps, text));
  return [...hits.values()];
}
