import { createHash, timingSafeEqual } from 'node:crypto';
import { type Actor, allows, type OperatorActor } from '../../domain/actor.ts';
import { isOperatorKey } from '../../domain/api-key.ts';
import { DomainError } from '../../domain/errors.ts';
import type { Store, StoreTx } from '../../store/port/index.ts';
import { authenticateApiKey, hashOf } from './api-keys.ts';
import { recordEvent } from './audit-events.ts';

/** How long a log-in lasts at most, whatever is done meanwhile. Milliseconds. */
const SESSION_MS = 12 * 60 * 60 * 1000;
/** How long a log-in link can be used. Milliseconds. */
export const LINK_MS = 10 * 60 * 1000;

/** An operator who is logged in. */
export interface LoggedIn {
  /** The name of the key that was typed, or `log-in link 3`. */
  readonly name: string;
  /** The key that was typed; null for a log-in link. */
  readonly apiKeyId: number | null;
  /** The link that was used; null for a key. */
  readonly loginLinkId: number | null;
  /** Epoch milliseconds. */
  readonly expiresAt: number;
  /** What every form of theirs must carry, which no other page can know. It follows from the cookie and does not reveal it. */
  readonly formToken: string;
}

/** What a new session puts into the cookie, and until when; the token is nowhere else. */
export interface NewSession {
  readonly token: string;
  /** Epoch milliseconds. */
  readonly expiresAt: number;
}

interface SessionDeps {
  readonly store: Pick<Store, 'transaction' | 'apiKeyByHash' | 'apiKey' | 'sessionByHash'>;
  readonly clock: () => number;
}

type OpeningDeps = SessionDeps & { readonly randomBytes: (size: number) => Uint8Array };

interface OpeningRequest {
  /** The token of a session that ends with it. */
  readonly replaces?: string | undefined;
  readonly requestId: string | null;
}

function formTokenOf(token: string): string {
  return createHash('sha256').update(`form:${token}`).digest('base64url');
}

function linkName(id: number): string {
  return `log-in link ${id}`;
}

/** An operator of the pages as the actor behind a request. */
export function operatorActor({ name, apiKeyId }: Pick<LoggedIn, 'name' | 'apiKeyId'>, requestId: string | null) {
  return { kind: 'operator', name, apiKeyId, requestId } as const satisfies OperatorActor;
}

/** What logged in: a key or a link. */
type LogIn = Pick<LoggedIn, 'apiKeyId' | 'loginLinkId'>;

function subjectOf({ apiKeyId, loginLinkId }: LogIn) {
  const subject = apiKeyId === null ? 'link' : 'key';
  return { subject, subjectId: String(apiKeyId ?? loginLinkId), gigId: null } as const;
}

interface NewLogIn extends LogIn {
  readonly name: string;
  readonly now: number;
  readonly expiresAt: number;
}

/** Keeps a new session and writes it down. Its token is always new, so that one planted in a browser opens nothing. */
async function keepSession(
  { randomBytes }: Pick<OpeningDeps, 'randomBytes'>,
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
 * Logs an operator in who presents a usable API key with the scope `operator`. The store keeps the SHA-256 of the
 * session's token.
 * @throws DomainError `invalid_api_key`, `scope_missing`
 */
export async function openSession(
  deps: OpeningDeps,
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
 * Makes a token that logs in once, within {@link LINK_MS}; the store keeps its SHA-256.
 * @returns the token, which is nowhere else, and when it ends, in epoch milliseconds
 */
export async function createLoginLink(
  { store, clock, randomBytes }: Pick<OpeningDeps, 'clock' | 'randomBytes'> & { store: Pick<Store, 'transaction'> },
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
 * Logs an operator in who presents the token of a log-in link, and uses the link up: of simultaneous tries one succeeds.
 * @returns null when the link is unknown, used or over
 */
export async function openSessionByLink(
  deps: OpeningDeps,
  request: OpeningRequest & { readonly link: string },
): Promise<NewSession | null> {
  const now = deps.clock();
  return await deps.store.transaction(async (tx) => {
    const id = await tx.takeLoginLink(hashOf(request.link), now);
    if (id === null) return null;
    const logIn = { apiKeyId: null, loginLinkId: id, name: linkName(id), now, expiresAt: now + SESSION_MS };
    return await keepSession(deps, tx, request, logIn);
  });
}

/**
 * Who holds this token; null when nobody does, the session is over, or its API key was revoked or has expired.
 * The look-up goes by the token's hash, so its timing tells nothing about the tokens that exist.
 */
export async function findSession({ store, clock }: SessionDeps, token: string | undefined): Promise<LoggedIn | null> {
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

/** Whether a form came from a page that this operator was shown. Constant time. */
export function isOwnForm({ formToken }: LoggedIn, presented: string): boolean {
  const [wanted, got] = [Buffer.from(formToken), Buffer.from(presented)];
  return wanted.length === got.length && timingSafeEqual(wanted, got);
}

/** Ends the session of this token, if there is one. */
export async function closeSession(
  { store, clock }: Pick<SessionDeps, 'store' | 'clock'>,
  { token, operator, requestId }: { token: string; operator: LoggedIn; requestId: string | null },
): Promise<void> {
  await store.transaction(async (tx) => {
    if (!(await tx.deleteSession(hashOf(token)))) return;
    const deed = { actor: operatorActor(operator, requestId), now: clock() };
    await recordEvent(tx, deed, { ...subjectOf(operator), action: 'login.close', detail: {} });
  });
}
