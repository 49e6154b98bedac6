import { createHash } from 'node:crypto';
import { DomainError, invalidRequest } from '../../domain/errors.ts';
import { type Actor, keyIdOf, SCOPES, type Scope, USUAL_SCOPES } from '../../domain/operators/actor.ts';
import { type ApiKey, isUsable, type NewApiKey } from '../../domain/operators/api-key.ts';
import { isOwnersClient } from '../../domain/owners/owner.ts';
import type { StoreTx } from '../../store/port/index.ts';
import type { ServiceContext } from '../context.ts';
import { type Deed, recordEvent } from './audit-events.ts';
import type { AccessContext } from './context.ts';
import { type EndedWebhooks, endWebhooksOf } from './key-webhooks.ts';

const KEY_PREFIX = 'gck_';
const TOUCH_EVERY_MS = 60_000;

/** What the store keeps of a secret: its SHA-256 in lower-case hex. */
export function hashOf(secret: string): string {
  return createHash('sha256').update(secret).digest('hex');
}

function readName(field: string, text: string): string {
  const name = text.trim();
  if (name === '' || name.length > 100) throw invalidRequest(`${field} must have 1 to 100 characters`);
  return name;
}

/** The name of a client. @throws DomainError `invalid_request` when it is empty, too long or kept for owners */
export function readClient(text: string): string {
  const client = readName('client', text);
  if (isOwnersClient(client))
    throw invalidRequest('client must not begin with owner:, which is kept for owners who sign in');
  return client;
}

function newKey(randomBytes: AccessContext['randomBytes']): string {
  return KEY_PREFIX + Buffer.from(randomBytes(32)).toString('base64url');
}

/** Never the key itself. */
function factsOf({ name, client, scopes, expiresAt }: Omit<NewApiKey, 'hash' | 'createdAt'>) {
  return { name, client, scopes, expires_at: expiresAt };
}

/** `operator` stands alone, because it includes the others. */
function withoutIncluded(asked: readonly Scope[]): readonly Scope[] {
  if (asked.length === 0) throw invalidRequest('a key needs at least one scope');
  return asked.includes('operator') ? ['operator'] : SCOPES.filter((scope) => asked.includes(scope));
}

export interface ApiKeyRequest {
  readonly name: string;
  /** Epoch milliseconds, or null for a key that does not expire. */
  readonly expiresAt: number | null;
  /** All but `operator` when absent. */
  readonly scopes?: readonly Scope[] | undefined;
  /** The key's own name when absent. */
  readonly client?: string | undefined;
}

/**
 * Creates an API key. The key itself is only returned here; the store keeps its SHA-256.
 * @throws DomainError `invalid_request` when a name is empty or too long, no scope is left, or the expiry has passed
 */
export async function createApiKey(
  { store, clock, randomBytes, actor }: AccessContext & { readonly actor: Actor },
  request: ApiKeyRequest,
): Promise<{ key: string; record: ApiKey }> {
  const name = readName('name', request.name);
  const client = readClient(request.client ?? name);
  const scopes = withoutIncluded(request.scopes ?? USUAL_SCOPES);
  const { expiresAt } = request;
  const now = clock();
  if (expiresAt !== null && expiresAt <= now) throw invalidRequest('the expiry must be in the future');
  const key = newKey(randomBytes);
  const record = await store.transaction(async (tx) => {
    const made = await tx.insertApiKey({ name, hash: hashOf(key), scopes, client, createdAt: now, expiresAt });
    const subject = { subject: 'key', subjectId: String(made.id), gigId: null } as const;
    await recordEvent(tx, { actor, now }, { ...subject, action: 'key.create', detail: factsOf(made) });
    return made;
  });
  return { key, record };
}

export interface RotationRequest {
  readonly id: number;
  /** Until when the old key still works, epoch milliseconds; null ends it at once. */
  readonly oldUntil: number | null;
  /** Those of the old key when absent. */
  readonly scopes?: readonly Scope[] | undefined;
}

/**
 * Replaces a key by a new one of the same client, so that its gigs and idempotency keys stay usable. The new key has
 * the old one's expiry, and keeps its webhooks while the old one works; without such a time they are paused.
 * @throws DomainError `invalid_request` when there is no such usable key, or the old one would end in the past
 */
export async function rotateApiKey(
  { store, clock, randomBytes, actor }: AccessContext & { readonly actor: Actor },
  { id, oldUntil, scopes }: RotationRequest,
): Promise<{ key: string; record: ApiKey; webhooks: EndedWebhooks }> {
  const now = clock();
  if (oldUntil !== null && oldUntil <= now) throw invalidRequest('the end of the old key must be in the future');
  const key = newKey(randomBytes);
  const made = await store.transaction(async (tx) => {
    const old = await tx.apiKey(id);
    const ends = () => (oldUntil === null ? tx.revokeApiKey(id, now) : tx.endApiKey(id, oldUntil));
    // First, so that of two rotations that end the key at once one makes a new one.
    if (old === null || !isUsable(old, now) || !(await ends())) {
      throw invalidRequest(`There is no key ${id} that still works.`);
    }
    const made = await tx.insertApiKey({
      name: old.name,
      hash: hashOf(key),
      scopes: scopes === undefined ? old.scopes : withoutIncluded(scopes),
      client: old.client,
      createdAt: now,
      expiresAt: old.expiresAt,
    });
    const detail = { ...factsOf(made), replaced_by: made.id, old_until: oldUntil ?? now };
    const subject = { subject: 'key', subjectId: String(id), gigId: null } as const;
    await recordEvent(tx, { actor, now }, { ...subject, action: 'key.rotate', detail });
    const successor = oldUntil === null ? null : made;
    return { record: made, webhooks: await endWebhooksOf(tx, { keyId: id, successor }, { actor, now }) };
  });
  return { key, ...made };
}

/**
 * Revokes a key at once, and with it all sessions that were opened with it; its webhooks are paused.
 * @throws DomainError `invalid_request` when the key is unknown or revoked
 */
export async function revokeApiKey(
  { store, clock, actor }: ServiceContext & { readonly actor: Actor },
  id: number,
): Promise<EndedWebhooks> {
  return await store.transaction(async (tx) => {
    const now = clock();
    const key = await tx.apiKey(id);
    if (key === null || !(await tx.revokeApiKey(id, now)))
      throw invalidRequest(`There is no key ${id} that still works.`);
    const subject = { subject: 'key', subjectId: String(id), gigId: null } as const;
    const detail = { name: key.name, client: key.client };
    await recordEvent(tx, { actor, now }, { ...subject, action: 'key.revoke', detail });
    return await endWebhooksOf(tx, { keyId: id, successor: null }, { actor, now });
  });
}

/**
 * The record of a presented key; its last use is stored once a minute at most. The look-up is by hash, so its timing
 * reveals nothing about existing keys.
 * @throws DomainError `invalid_api_key` when the key is absent, unknown, revoked or expired
 */
export async function authenticateApiKey(
  { store, clock }: ServiceContext,
  presented: string | undefined,
): Promise<ApiKey> {
  const record = presented ? await store.apiKeyByHash(hashOf(presented)) : null;
  const now = clock();
  if (record === null || !isUsable(record, now)) throw new DomainError({ code: 'invalid_api_key' });
  if (record.lastUsedAt === null || now - record.lastUsedAt >= TOUCH_EVERY_MS) {
    await store.transaction((tx) => tx.touchApiKey(record.id, now), { narrow: true });
  }
  return record;
}

/**
 * The key that an endpoint rests on when this actor chooses its URL or resumes it; null for the operator's own commands. It stays
 * locked, so that the key does not end meanwhile and leave the endpoint behind.
 * @throws DomainError `invalid_api_key` when it has ended since the request was let in
 */
export async function keyBehind(tx: StoreTx, { actor, now }: Deed): Promise<number | null> {
  const id = keyIdOf(actor);
  const key = id === null ? null : await tx.apiKey(id);
  if (id !== null && (key === null || !isUsable(key, now))) throw new DomainError({ code: 'invalid_api_key' });
  return id;
}
