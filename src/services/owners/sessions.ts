import type { Actor, OwnerActor } from '../../domain/operators/actor.ts';
import { type Owner, ownerClient, readOwner } from '../../domain/owners/owner.ts';
import type { OwnerSession } from '../../domain/owners/sign-in.ts';
import type { StoreTx } from '../../store/port/index.ts';
import type { ServiceContext } from '../context.ts';
import { formTokenOf } from '../form-token.ts';
import { hashOf } from '../operators/api-keys.ts';
import { recordEvent } from '../operators/audit-events.ts';
import type { Chance } from './context.ts';

/** Use of a session does not extend it. Milliseconds. */
const SESSION_MS = 12 * 60 * 60 * 1000;
/**
 * How long a session of an account may not do what cannot be undone: a person who scans an attacker's code signs the attacker
 * in. Milliseconds.
 */
export const NEW_SESSION_MS = 10 * 60 * 1000;

/** The token for the cookie, which is not stored anywhere else, and its expiry. */
export interface NewOwnerSession {
  readonly token: string;
  /** Epoch milliseconds. */
  readonly expiresAt: number;
}

export interface NamedOwner {
  /** The owner as one word. */
  readonly name: string;
  readonly client: string;
}

/** An owner who has signed in. Times are epoch milliseconds. */
export interface SignedIn extends NamedOwner {
  readonly owner: Owner;
  /** Which of the owner's sessions this is. */
  readonly session: string;
  readonly expiresAt: number;
  /** Until when the session may not do what cannot be undone; null when it may at once. */
  readonly newUntil: number | null;
  /** When the session was looked up. */
  readonly at: number;
  /** The CSRF token of the owner's forms. */
  readonly formToken: string;
}

function subjectOf(owner: string) {
  return { subject: 'owner', subjectId: owner, gigId: null } as const;
}

/** A wallet signs for one browser that it sees; an account's app answers whatever code it was shown. */
function newUntilOf(owner: Owner, createdAt: number, now: number): number | null {
  const until = createdAt + NEW_SESSION_MS;
  return owner.kind === 'account' && now < until ? until : null;
}

/** The actor for a request of an owner who has signed in. */
export function ownerActor(
  { name, client, newUntil, at }: NamedOwner & { readonly newUntil: number | null; readonly at: number },
  requestId: string | null,
): OwnerActor {
  return { kind: 'owner', owner: name, client, newUntil, at, requestId };
}

/** Opens a session, within a transaction. Its token is always new, which prevents session fixation. */
export async function openOwnerSession(
  tx: StoreTx,
  { randomBytes }: Chance,
  opening: {
    readonly owner: string;
    readonly label: string;
    /** The token of a session that the new one replaces, also another owner's. */
    readonly replaces: string | undefined;
    readonly requestId: string | null;
    readonly now: number;
  },
): Promise<NewOwnerSession> {
  const { owner, label, replaces, requestId, now } = opening;
  const token = Buffer.from(randomBytes(32)).toString('base64url');
  const expiresAt = now + SESSION_MS;
  const old = replaces === undefined ? null : await tx.ownerSessionByHash(hashOf(replaces));
  if (old !== null) await tx.deleteOwnerSession(old.owner, old.hash);
  await tx.insertOwnerSession({ hash: hashOf(token), owner, label, createdAt: now, expiresAt });
  const actor = ownerActor({ name: owner, client: ownerClient(owner), newUntil: null, at: now }, requestId);
  const detail = { label, expires_at: expiresAt };
  await recordEvent(tx, { actor, now }, { ...subjectOf(owner), action: 'session.open', detail });
  return { token, expiresAt };
}

/**
 * The owner of a session token; null when it is unknown or over. The look-up is by hash, so its timing reveals nothing about
 * existing tokens.
 */
export async function findOwnerSession(
  { store, clock }: ServiceContext,
  token: string | undefined,
): Promise<SignedIn | null> {
  if (!token) return null;
  const session = await store.ownerSessionByHash(hashOf(token));
  const now = clock();
  if (session === null || session.expiresAt <= now) return null;
  const owner = readOwner(session.owner);
  if (owner === null) return null;
  return {
    owner,
    name: session.owner,
    client: ownerClient(session.owner),
    session: session.hash,
    expiresAt: session.expiresAt,
    newUntil: newUntilOf(owner, session.createdAt, now),
    at: now,
    formToken: formTokenOf(token),
  };
}

/** The open sessions of an owner, newest first. */
export async function listOwnerSessions(
  { store, clock }: ServiceContext,
  { name }: NamedOwner,
): Promise<OwnerSession[]> {
  return await store.openOwnerSessions(name, clock());
}

/** Ends one session of an owner, if it is open. */
export async function endOwnerSession(
  { store, clock }: ServiceContext,
  { signedIn, session, requestId }: { signedIn: SignedIn; session: string; requestId: string | null },
): Promise<void> {
  await store.transaction(async (tx) => {
    if (!(await tx.deleteOwnerSession(signedIn.name, session))) return;
    const deed = { actor: ownerActor(signedIn, requestId), now: clock() };
    await recordEvent(tx, deed, { ...subjectOf(signedIn.name), action: 'session.close', detail: { sessions: 1 } });
  });
}

/**
 * Ends all sessions of an owner at once.
 * @param request.owner the owner as one word
 * @returns how many there were
 */
export async function endOwnerSessions(
  { store, clock }: ServiceContext,
  { owner, actor }: { owner: string; actor: Actor },
): Promise<number> {
  return await store.transaction(async (tx) => {
    const sessions = await tx.deleteOwnerSessions(owner);
    if (sessions > 0) {
      await recordEvent(
        tx,
        { actor, now: clock() },
        { ...subjectOf(owner), action: 'session.close', detail: { sessions } },
      );
    }
    return sessions;
  });
}
