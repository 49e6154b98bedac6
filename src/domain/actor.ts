import { type AccountKey, accountKeyText } from './account.ts';

/** What a key may be allowed to do. `operator` is everything, for every client. */
export const SCOPES = ['gigs:read', 'gigs:write', 'tips:write', 'claims:read', 'operator'] as const;
export type Scope = (typeof SCOPES)[number];

/** What a key gets when its maker names no scope: all but `operator`. */
export const USUAL_SCOPES: readonly Scope[] = SCOPES.filter((scope) => scope !== 'operator');

/** An API client, by the key that it presented. */
export interface KeyActor {
  readonly kind: 'api_key';
  readonly id: number;
  readonly name: string;
  readonly scopes: readonly Scope[];
  /** Whom the key acts for; gigs and idempotency keys belong to the client, not to the key. */
  readonly client: string;
  /** The request that it came with. */
  readonly requestId: string | null;
}

/** An account of a platform, by a post of its own. */
export interface AccountActor extends AccountKey {
  readonly kind: 'account';
  /** The request or the mention that brought the post. */
  readonly requestId: string | null;
}

/** The operator: at the command line, or logged in to the pages. */
export interface OperatorActor {
  readonly kind: 'operator';
  /** Where: `command line`, the name of the key that logged in, or the log-in link. */
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

/** Who does something: every service that writes is told, and writes it down. */
export type Actor = KeyActor | AccountActor | OperatorActor | JobActor;

/** The operator at the command line. */
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

/** Whether an actor may see and command a gig of this client: a key without `operator` only its own client's. */
export function reachesGig(actor: Actor, gig: { readonly client: string | null }): boolean {
  return actor.kind !== 'api_key' || actor.scopes.includes('operator') || actor.client === gig.client;
}

/** The API key behind an actor, or null. */
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

/** What an actor is called in records: the name of its key, its account, its job. */
export function actorName(actor: Actor): string {
  return actor.kind === 'account' ? accountKeyText(actor) : actor.name;
}
