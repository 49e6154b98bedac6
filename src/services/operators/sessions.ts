import { DomainError } from '../../domain/errors.ts';
import { type Actor, allows, type OperatorActor } from '../../domain/operators/actor.ts';
import { isOperatorKey } from '../../domain/operators/api-key.ts';
import type { StoreTx } from '../../store/port/index.ts';
import type { ServiceContext } from '../context.ts';
import { formTokenOf } from '../form-token.ts';
import { authenticateApiKey, hashOf } from './api-keys.ts';
import { recordEvent } from './audit-events.ts';
import type { AccessContext } from './context.ts';

/** Use of a session does not extend it. Milliseconds. */
const SESSION_MS = 12 * 60 * 60 * 1000;
/** How long a log-in link is valid. Milliseconds. */
export const LINK_MS = 10 * 60 * 1000;

interface LogIn {
  /** The presented key; null for a log-in link. */
  readonly apiKeyId: number | null;
  /** The used link; null for a key. */
  readonly loginLinkId: number | null;
}

export interface LoggedIn extends LogIn {
  /** The name of the presented key, or `log-in link 3`. */
  readonly name: string;
  /** Epoch milliseconds. */
  readonly expiresAt: number;
  /** The CSRF token of the operator's forms, derived from the session token, which it does not reveal. */
  readonly formToken: string;
}

/** The token for the cookie, which is not stored anywhere else, and its expiry. */
export interface NewSession {
  readonly token: string;
  /** Epoch milliseconds. */
  readonly expiresAt: number;
}

interface OpeningRequest {
  /** The token of a session that the new one replaces. */
  readonly replaces?: string | undefined;
  readonly requestId: string | null;
}

function linkName(id: number): string {
  return `log-in link ${id}`;
}

/** The actor for a request of a logged-in operator. */
export function operatorActor(
  { name, apiKeyId }: { readonly name: string; readonly apiKeyId: number | null },
  requestId: string | null,
) {
  return { kind: 'operator', name, apiKeyId, requestId } as const satisfies OperatorActor;
}

function subjectOf({ apiKeyId, loginLinkId }: LogIn) {
  const subject = apiKeyId === null ? 'link' : 'key';
  return { subject, subjectId: String(apiKeyId ?? loginLinkId), gigId: null } as const;
}

interface NewLogIn extends LogIn {
  readonly name: string;
  readonly now: number;
  readonly expiresAt: number;
}

/** The token is always new, which prevents session fixation. */
async function keepSession(
  { randomBytes }: AccessContext,
  tx: StoreTx,
  { replaces, requestId }: OpeningRequest,
  { apiKeyId, loginLinkId, name, now, expiresAt }: NewLogIn,
): Promise<NewSession> {
  const token = Buffer.from(randomBytes(32)).toString('base64url');
  if (replaces !== undefined) await tx.deleteSession(hashOf(replaces));
  await tx.insertSession({ hash: hashOf(token), apiKeyId, loginLinkId, createdAt: now, expiresAt });
  const actor = operatorActor({ name, apiKeyId }, requestId);
  const subject = subjectOf({ apiKeyId, loginLinkId });
  await recordEvent(tx, { actor, now }, { ...subject, action: 'login.open', detail: { expires_at: expiresAt } });
  return { token, expiresAt };
}

/**
 * Opens a session for a usable API key with the scope `operator`; the store keeps the SHA-256 of the session's token.
 * @throws DomainError `invalid_api_key`, `scope_missing`
 */
export async function openSession(
  deps: AccessContext,
  request: OpeningRequest & { readonly key: string },
): Promise<NewSession> {
  const key = await authenticateApiKey(deps, request.key);
  if (!allows(key.scopes, 'operator')) throw new DomainError({ code: 'scope_missing', scope: 'operator' });
  const now = deps.clock();
  const expiresAt = Math.min(now + SESSION_MS, key.expiresAt ?? Number.POSITIVE_INFINITY);
  const logIn = { apiKeyId: key.id, loginLinkId: null, name: key.name, now, expiresAt };
  return await deps.store.transaction((tx) => keepSession(deps, tx, request, logIn));
}

/**
 * Creates a log-in token that works once, within {@link LINK_MS}; the store keeps its SHA-256.
 * @returns the token, which is not stored anywhere else, and its expiry
 */
export async function createLoginLink(
  { store, clock, randomBytes }: AccessContext,
  { actor }: { actor: Actor },
): Promise<NewSession> {
  const token = Buffer.from(randomBytes(32)).toString('base64url');
  const now = clock();
  const expiresAt = now + LINK_MS;
  await store.transaction(async (tx) => {
    const id = await tx.insertLoginLink({ hash: hashOf(token), createdAt: now, expiresAt });
    const subject = { subject: 'link', subjectId: String(id), gigId: null } as const;
    await recordEvent(tx, { actor, now }, { ...subject, action: 'login.link', detail: { expires_at: expiresAt } });
  });
  return { token, expiresAt };
}

/**
 * Opens a session for the token of a log-in link, which works once, also among concurrent requests.
 * @returns null when the link is unknown, used or expired
 */
export async function openSessionByLink(
  deps: AccessContext,
  request: OpeningRequest & { readonly link: string },
): Promise<NewSession | null> {
  const now = deps.clock();
  return await deps.store.transaction(async (tx) => {
    const id = await tx.useLoginLink(hashOf(request.link), now);
    if (id === null) return null;
    const logIn = { apiKeyId: null, loginLinkId: id, name: linkName(id), now, expiresAt: now + SESSION_MS };
    return await keepSession(deps, tx, request, logIn);
  });
}

/**
 * The operator of a session token; null when it is unknown or over, or its API key was revoked or has expired. The
 * look-up is by hash, so its timing reveals nothing about existing tokens.
 */
export async function findSession(
  { store, clock }: ServiceContext,
  token: string | undefined,
): Promise<LoggedIn | null> {
  const session = token ? await store.sessionByHash(hashOf(token)) : null;
  const now = clock();
  if (!token || session === null || session.expiresAt <= now) return null;
  const { apiKeyId, loginLinkId, expiresAt } = session;
  const formToken = formTokenOf(token);
  if (apiKeyId === null) return { name: linkName(loginLinkId ?? 0), apiKeyId, loginLinkId, expiresAt, formToken };
  const key = await store.apiKey(apiKeyId);
  if (key === null || !isOperatorKey(key, now)) return null;
  return { name: key.name, apiKeyId, loginLinkId, expiresAt, formToken };
}

/** Ends the session of this token, if there is one. */
export async function closeSession(
  { store, clock }: ServiceContext,
  { token, operator, requestId }: { token: string; operator: LoggedIn; requestId: string | null },
): Promise<void> {
  await store.transaction(async (tx) => {
    if (!(await tx.deleteSession(hashOf(token)))) return;
    const deed = { actor: operatorActor(operator, requestId), now: clock() };
    await recordEvent(tx, deed, { ...subjectOf(operator), action: 'login.close', detail: {} });
  });
}
