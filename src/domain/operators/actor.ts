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
  /** Until when the session is so new that it may not do what {@link waitsForSession} names; null when it may. Epoch milliseconds. */
  readonly newUntil: number | null;
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

interface ActTerms {
  /** As sentences say it: `Only an owner of gig 5 may award tips of it`. */
  readonly words: string;
  /** Whether an owner who signed in may do it with its own gigs alone, and with a client's that lets its owners award, or with all. */
  readonly owners: 'always' | 'if allowed' | 'never';
  /** A new session of an account may not: its owner may have scanned the code of an attacker, and needs time to end it. */
  readonly waits?: true;
}

const ACT_TERMS = {
  start: { words: 'start', owners: 'always' },
  change: { words: 'change', owners: 'if allowed' },
  stop: { words: 'stop', owners: 'always' },
  settle: { words: 'settle', owners: 'always' },
  cancel: { words: 'cancel', owners: 'always', waits: true },
  refund: { words: 'refund', owners: 'never' },
  award: { words: 'award tips of', owners: 'if allowed', waits: true },
  voidTips: { words: 'void tips of', owners: 'never' },
  decide: { words: 'decide on', owners: 'if allowed', waits: true },
  retryPayments: { words: 'retry payments of', owners: 'never' },
  addOwners: { words: 'add owners to', owners: 'if allowed', waits: true },
  removeOwners: { words: 'remove owners from', owners: 'if allowed', waits: true },
  freeze: { words: 'freeze', owners: 'never' },
  unfreeze: { words: 'unfreeze', owners: 'never' },
  assign: { words: 'assign', owners: 'never' },
  notify: { words: 'get updates on', owners: 'always' },
} as const satisfies Readonly<Record<string, ActTerms>>;

export type GigAct = keyof typeof ACT_TERMS;

/** What may be done with a gig. */
export const GIG_ACTS: Readonly<Record<GigAct, ActTerms>> = ACT_TERMS;

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

/** Whether an owner who signed in may do this with a gig. `isAllowed`: it is the owner's own, or its terms let owners award. */
export function ownerMay(act: GigAct, { isAllowed }: { isAllowed: boolean }): boolean {
  const { owners } = GIG_ACTS[act];
  return owners === 'always' || (isAllowed && owners === 'if allowed');
}

/** Whether a new session has to wait until it may do this. */
export function waitsForSession(act: GigAct): boolean {
  return GIG_ACTS[act].waits === true;
}

/** The actor's name in the audit trail: that of its key, its account, the owner or its job. */
export function actorName(actor: Actor): string {
  if (actor.kind === 'account') return accountKeyText(actor);
  return actor.kind === 'owner' ? actor.owner : actor.name;
}
