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

/** The service's own background work. */
export interface JobActor {
  readonly kind: 'job';
  readonly name: string;
}

/** The party behind a change: every service that writes gets it and records it in the audit trail. */
export type Actor = KeyActor | AccountActor | OperatorActor | JobActor;

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

/** What is done with a gig, in words that stand before it. */
export const GIG_ACTS = [
  'start',
  'change',
  'stop',
  'settle',
  'cancel',
  'refund',
  'award tips of',
  'void tips of',
  'decide about',
  'retry payments of',
  'add owners to',
  'remove owners from',
  'freeze',
  'unfreeze',
  'assign',
  'be told of',
] as const;
export type GigAct = (typeof GIG_ACTS)[number];

export function keyIdOf(actor: Actor): number | null {
  switch (actor.kind) {
    case 'api_key':
      return actor.id;
    case 'operator':
      return actor.apiKeyId;
    case 'account':
    case 'job':
      return null;
  }
}

/** The actor's name in the audit trail: that of its key, its account or its job. */
export function actorName(actor: Actor): string {
  return actor.kind === 'account' ? accountKeyText(actor) : actor.name;
}
