import { type AccountKey, accountKeyText, readAccountKey } from '../../domain/account.ts';
import type { RefusalReason } from '../../domain/earning/earning.ts';
import { deciderOf } from '../../domain/earning/payouts/verifier.ts';
import type { EventType, StoredEvent } from '../../domain/events/event.ts';
import type { Gig } from '../../domain/gigs/gig.ts';
import type { News, NotificationKind } from '../../domain/notifications/notification.ts';
import type { AuditAction } from '../../domain/operators/audit-event.ts';
import { readOwner } from '../../domain/owners/owner.ts';
import type { StoreReads } from '../../store/port/index.ts';
import { CLAIM_PATIENCE } from '../claims/claim-progress.ts';
import { accountsOf } from '../gigs/owner-accounts.ts';
import type { NewsContext } from './context.ts';

/** Refusals that no one is told: the account caused them itself, is not there, or has not taken part knowingly. */
const UNTOLD: ReadonlySet<RefusalReason> = new Set<RefusalReason>([
  'before_start',
  'own_account',
  'withdrawn',
  'account_gone',
]);

/** How many of the newest acts on a gig are looked at to find the one behind an event, which is seconds old. */
const ACTS_LOOKED_AT = 100;

type FindNews = (deps: NewsContext, event: StoredEvent) => Promise<News[]>;

/** What there is to tell of an event. */
interface Message {
  readonly kind: NotificationKind;
  /** The event's gig when absent. */
  readonly subjectId?: number;
  readonly reason?: string | null;
  readonly amount?: bigint;
  readonly count?: number;
}

function newsFor(event: StoredEvent, { platform, platformUserId }: AccountKey, message: Message): News {
  const { gigId, uid: eventUid } = event;
  const { kind, subjectId = gigId, reason = null, amount = 0n, count = 1 } = message;
  return { platform, platformUserId, kind, gigId, subjectId, reason, amount, count, eventUid };
}

async function tipNews({ store }: NewsContext, event: StoredEvent): Promise<News[]> {
  const { first_tip_id: first, last_tip_id: last } = event.facts;
  if (typeof first !== 'number' || typeof last !== 'number') return [];
  const tips = await store.tipsOfBatch(event.gigId, { first, last });
  return tips.map(({ amount, ...account }) => newsFor(event, account, { kind: 'tips', amount }));
}

/** Whether the answer to a claim has said it: that waits as long for the payments. */
function isAnswered(claim: { readonly createdAt: number }, event: StoredEvent): boolean {
  const after = event.at - claim.createdAt;
  return after >= 0 && after < CLAIM_PATIENCE.patienceMs;
}

async function payoutNews(deps: NewsContext, event: StoredEvent, kind: 'paid' | 'not_paid'): Promise<News[]> {
  const { claim_id: claimId, reason = null } = event.facts;
  if (event.facts.kind !== 'payout' || typeof claimId !== 'number') return [];
  const claim = await deps.store.claim(claimId);
  if (claim === null || isAnswered(claim, event)) return [];
  return [newsFor(event, claim, { kind, subjectId: claimId, reason })];
}

async function refusalNews(_: NewsContext, event: StoredEvent): Promise<News[]> {
  const told = (event.facts.refusals ?? []).filter(({ reason }) => !UNTOLD.has(reason));
  return told.map(({ account, reason }) =>
    newsFor(event, readAccountKey(account), { kind: reason === 'not_drawn' ? 'not_drawn' : 'refused', reason }),
  );
}

/** The accounts that caused an event, by the audit trail: one account, or all that are linked to a wallet. */
async function findDoers(reads: StoreReads, event: StoredEvent, action: AuditAction): Promise<ReadonlySet<string>> {
  const acts = await reads.auditEvents({ gigId: event.gigId, limit: ACTS_LOOKED_AT });
  const act = acts.find((each) => each.action === action && each.at === event.at);
  const owner = act?.actor === 'account' || act?.actor === 'owner' ? readOwner(act.actorName) : null;
  return new Set((owner === null ? [] : await accountsOf(reads, owner, event.at)).map(accountKeyText));
}

/** News for the owners of a gig, but for the one who did it. */
async function ownerNews(
  { store }: NewsContext,
  event: StoredEvent,
  { kind, act, count = 1 }: { kind: NotificationKind; act?: AuditAction; count?: number },
): Promise<News[]> {
  const owners = await store.gigOwners(event.gigId);
  if (owners.length === 0) return [];
  const doers = act === undefined ? null : await findDoers(store, event, act);
  return owners
    .filter((owner) => doers?.has(accountKeyText(owner)) !== true)
    .map((owner) => newsFor(event, owner, { kind, count }));
}

function isWaiting({ status, cancelledAt }: Gig): boolean {
  return status === 'created' && cancelledAt === null;
}

/** One that starts by itself is told when it is live, unless that was refused. */
async function fundedNews(deps: NewsContext, event: StoredEvent): Promise<News[]> {
  const gig = await deps.store.gig(event.gigId);
  if (gig === null || !isWaiting(gig)) return [];
  if (gig.startRefusal !== null) return await ownerNews(deps, event, { kind: 'not_started' });
  return gig.startUntil === null ? await ownerNews(deps, event, { kind: 'funded' }) : [];
}

async function submissionNews(deps: NewsContext, event: StoredEvent): Promise<News[]> {
  const gig = await deps.store.gig(event.gigId);
  if (gig === null || deciderOf(gig.verifier, deps.verifiers) !== 'hand') return [];
  return await ownerNews(deps, event, { kind: 'submissions', count: event.facts.count ?? 1 });
}

const FINDERS: Readonly<Partial<Record<EventType, FindNews>>> = {
  'tips.awarded': tipNews,
  'payment.confirmed': (deps, event) => payoutNews(deps, event, 'paid'),
  'payment.failed': (deps, event) => payoutNews(deps, event, 'not_paid'),
  'accounts.refused': refusalNews,
  'gig.funded': fundedNews,
  'gig.started': (deps, event) => ownerNews(deps, event, { kind: 'live', act: 'gig.start' }),
  'gig.ended': (deps, event) => ownerNews(deps, event, { kind: 'ended', act: 'gig.stop' }),
  'submissions.waiting': submissionNews,
};

/** The types of the events that are news for accounts. */
export const NEWS_TYPES: readonly EventType[] = Object.keys(FINDERS) as EventType[];

/** The news that an event is, for accounts on platforms that send notifications. */
export async function findNews(deps: NewsContext, event: StoredEvent): Promise<News[]> {
  const news = (await FINDERS[event.type]?.(deps, event)) ?? [];
  return news.filter(({ platform }) => deps.platforms.get(platform)?.notify !== undefined);
}
