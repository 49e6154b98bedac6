import { type AccountKey, accountKeyText } from '../account.ts';

/** The permissions of an API key. `operator` includes all others, for every client. */
export const SCOPES = [
  'gigs:read',
  'gigs:write',
  'tips:write',
  'claims:read',
  'events:read',
  'webhooks:write',
  'operator',
] as const;
export type Scope = (typeof SCOPES)[number];

/** The scopes of a key that is created without any: all but `operator`. */
export const USUAL_SCOPES: readonly Scope[] = SCOPES.filter((scope) => scope !== 'operator');

/** An API client, identified by the key it presented. */
export interface KeyActor {
  readonly kind: 'api_key';
  readonly id: number;
  readonly name: string;
  readonly scopes: readonly Scope[];
  /** The client that the key belongs to; gigs and idempotency keys belong to the client, not to the key. */
  readonly client: string;
  readonly requestId: string | null;
}

/** An account of a platform, identified by its own post. */
export interface AccountActor extends AccountKey {
  readonly kind: 'account';
  /** The request or mention that brought the post. */
  readonly requestId: string | null;
}

/** The operator, at the command line or logged in to the pages. */
export interface OperatorActor {
  readonly kind: 'operator';
  /** `command line`, the name of the key that logged in, or the log-in link. */
  readonly name: string;
  /** The key that logged in; null for the command line and for a log-in link. */
  readonly apiKeyId: number | null;
  readonly requestId: string | null;
}

/** An owner of gigs who signed in with a browser. */
export interface OwnerActor {
  readonly kind: 'owner';
  /** As `domain/owners/owner.ts` writes it: `farcaster:1003`, `wallet:0x…`. */
  readonly owner: string;
  readonly client: string;
  /** Whether the session is so new that it may not do what {@link waitsForSession} names. */
  readonly isNew: boolean;
  /** When the session was looked up for this request. Epoch milliseconds. */
  readonly at: number;
  readonly requestId: string | null;
}

/** The service's own background work. */
export interface JobActor {
  readonly kind: 'job';
  readonly name: string;
}

/** The party behind a change: every service that writes gets it and records it in the audit trail. */
export type Actor = KeyActor | AccountActor | OwnerActor | OperatorActor | JobActor;

/** The party behind what a person or a program asks for. */
export type AskingActor = Exclude<Actor, JobActor>;

export const COMMAND_LINE: OperatorActor = {
  kind: 'operator',
  name: 'command line',
  apiKeyId: null,
  requestId: null,
};

/** Whether these scopes allow what `needed` names. */
export function allows(scopes: readonly Scope[], needed: Scope): boolean {
  return scopes.includes('operator') || scopes.includes(needed);
}

/** What may be done with a gig, as sentences say it: `Only an owner of gig 5 may award tips of it`. */
export const GIG_ACTS = [
  'start',
  'change',
  'stop',
  'settle',
  'cancel',
  'refund',
  'award tips of',
  'void tips of',
  'decide on',
  'retry payments of',
  'add owners to',
  'remove owners from',
  'freeze',
  'unfreeze',
  'assign',
  'get updates on',
] as const;
export type GigAct = (typeof GIG_ACTS)[number];

export function keyIdOf(actor: Actor): number | null {
  switch (actor.kind) {
    case 'api_key':
      return actor.id;
    case 'operator':
      return actor.apiKeyId;
    case 'account':
    case 'owner':
    case 'job':
      return null;
  }
}

/** The client on whose behalf an actor acts, to which what it creates belongs; null for the others. */
export function actorClient(actor: Actor): string | null {
  return actor.kind === 'api_key' || actor.kind === 'owner' ? actor.client : null;
}

/** What an owner may do with every gig that it reaches, as by mentioning the bot. */
const OWNERS_MAY: ReadonlySet<GigAct> = new Set<GigAct>(['start', 'stop', 'settle', 'cancel', 'get updates on']);
/** What an owner may do with its own gigs, and with a client's that lets its owners award. */
const OWNERS_MAY_WHERE_ALLOWED: ReadonlySet<GigAct> = new Set<GigAct>([
  'change',
  'award tips of',
  'decide on',
  'add owners to',
  'remove owners from',
]);
/** What a new session of an account may not do: its owner may have scanned the code of an attacker, and needs time to end it. */
const NOT_AT_ONCE: ReadonlySet<GigAct> = new Set<GigAct>([
  'cancel',
  'award tips of',
  'decide on',
  'add owners to',
  'remove owners from',
]);

/** Whether an owner who signed in may do this with a gig. `isAllowed`: it is the owner's own, or its terms let owners award. */
export function ownerMay(act: GigAct, { isAllowed }: { isAllowed: boolean }): boolean {
  return OWNERS_MAY.has(act) || (isAllowed && OWNERS_MAY_WHERE_ALLOWED.has(act));
}

/** Whether a new session has to wait until it may do this. */
export function waitsForSession(act: GigAct): boolean {
  return NOT_AT_ONCE.has(act);
}

/** The actor's name in the audit trail: that of its key, its account, the owner or its job. */
export function actorName(actor: Actor): string {
  if (actor.kind === 'account') return accountKeyText(actor);
  return actor.kind === 'owner' ? actor.owner : actor.name;
}
