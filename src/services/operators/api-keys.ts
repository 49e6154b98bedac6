import { createHash } from 'node:crypto';
import { type Actor, SCOPES, type Scope, USUAL_SCOPES } from '../../domain/actor.ts';
import { type ApiKey, isUsable } from '../../domain/api-key.ts';
import { DomainError } from '../../domain/errors.ts';
import type { Store } from '../../store/port/index.ts';
import { recordEvent } from './audit-events.ts';

const KEY_PREFIX = 'gck_';
const TOUCH_EVERY_MS = 60_000;

interface ApiKeyDeps {
  readonly store: Pick<Store, 'transaction' | 'apiKeyByHash'>;
  readonly clock: () => number;
}

type MakingDeps = ApiKeyDeps & { readonly randomBytes: (size: number) => Uint8Array };

/** What the store keeps of a secret: its SHA-256 in lower-case hex. */
export function hashOf(secret: string): string {
  return createHash('sha256').update(secret).digest('hex');
}

function refuse(message: string): DomainError {
  return new DomainError({ code: 'invalid_request', message });
}

function readName(field: string, text: string): string {
  const name = text.trim();
  if (name === '' || name.length > 100) throw refuse(`${field} must have 1 to 100 characters`);
  return name;
}

/** The name of a client. @throws DomainError `invalid_request` when it is empty or too long */
export function readClient(text: string): string {
  return readName('client', text);
}

function newKey(randomBytes: MakingDeps['randomBytes']): string {
  return KEY_PREFIX + Buffer.from(randomBytes(32)).toString('base64url');
}

/** What the audit trail says of a key, which is never the key. */
function factsOf({ name, client, scopes, expiresAt }: Pick<ApiKey, 'name' | 'client' | 'scopes' | 'expiresAt'>) {
  return { name, client, scopes, expires_at: expiresAt };
}

/** Scopes without repetition, in the order in which they are documented; `operator` alone, because it is everything. */
function settleScopes(asked: readonly Scope[]): readonly Scope[] {
  if (asked.length === 0) throw refuse('a key needs at least one scope');
  return asked.includes('operator') ? ['operator'] : SCOPES.filter((scope) => asked.includes(scope));
}

/** What a new key is to be. */
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
 * Makes a key for an API client. The key itself is returned here and nowhere else; the store keeps its SHA-256.
 * @throws DomainError `invalid_request` when a name is empty or too long, no scope is left, or the expiry has passed
 */
export async function createApiKey(
  { store, clock, randomBytes, actor }: MakingDeps & { readonly actor: Actor },
  request: ApiKeyRequest,
): Promise<{ key: string; record: ApiKey }> {
  const name = readName('name', request.name);
  const client = readClient(request.client ?? name);
  const scopes = settleScopes(request.scopes ?? USUAL_SCOPES);
  const { expiresAt } = request;
  const now = clock();
  if (expiresAt !== null && expiresAt <= now) throw refuse('the expiry must lie in the future');
  const key = newKey(randomBytes);
  const record = await store.transaction(async (tx) => {
    const made = await tx.insertApiKey({ name, hash: hashOf(key), scopes, client, createdAt: now, expiresAt });
    const subject = { subject: 'key', subjectId: String(made.id), gigId: null } as const;
    await recordEvent(tx, { actor, now }, { ...subject, action: 'key.create', detail: factsOf(made) });
    return made;
  });
  return { key, record };
}

/** How a key is replaced by another. */
export interface RotationRequest {
  readonly id: number;
  /** Until when the old one works as well, epoch milliseconds; null ends it at once. */
  readonly oldUntil: number | null;
  /** Those of the old one when absent. */
  readonly scopes?: readonly Scope[] | undefined;
}

/**
 * Makes a key that does what another one does, for the same client, and ends the other: its gigs and its idempotency keys
 * go on. The new one expires when the old one would have.
 * @throws DomainError `invalid_request` when there is no such key that still works, or the old one would end in the past
 */
export async function rotateApiKey(
  { store, clock, randomBytes, actor }: MakingDeps & { readonly actor: Actor },
  { id, oldUntil, scopes }: RotationRequest,
): Promise<{ key: string; record: ApiKey }> {
  const now = clock();
  if (oldUntil !== null && oldUntil <= now) throw refuse('the end of the old key must lie in the future');
  const key = newKey(randomBytes);
  const record = await store.transaction(async (tx) => {
    const old = await tx.apiKey(id);
    if (old === null || !isUsable(old, now)) throw refuse(`There is no key ${id} that still works.`);
    const made = await tx.insertApiKey({
      name: old.name,
      hash: hashOf(key),
      scopes: scopes === undefined ? old.scopes : settleScopes(scopes),
      client: old.client,
      createdAt: now,
      expiresAt: old.expiresAt,
    });
    if (oldUntil === null) await tx.revokeApiKey(id, now);
    else await tx.endApiKey(id, oldUntil);
    const detail = { ...factsOf(made), replaced_by: made.id, old_until: oldUntil ?? now };
    const subject = { subject: 'key', subjectId: String(id), gigId: null } as const;
    await recordEvent(tx, { actor, now }, { ...subject, action: 'key.rotate', detail });
    return made;
  });
  return { key, record };
}

/**
 * Makes a key stop working at once, and with it every log-in that was made with it.
 * @throws DomainError `invalid_request` when there is no such key that was not revoked before
 */
export async function revokeApiKey(
  { store, clock, actor }: ApiKeyDeps & { readonly actor: Actor },
  id: number,
): Promise<void> {
  await store.transaction(async (tx) => {
    const now = clock();
    const key = await tx.apiKey(id);
    if (key === null || !(await tx.revokeApiKey(id, now))) throw refuse(`There is no key ${id} that still works.`);
    const subject = { subject: 'key', subjectId: String(id), gigId: null } as const;
    const detail = { name: key.name, client: key.client };
    await recordEvent(tx, { actor, now }, { ...subject, action: 'key.revoke', detail });
  });
}

/**
 * The record of a presented key. Its last use is noted once a minute at most.
 * The look-up goes by the key's hash, so its timing tells nothing about the keys that exist.
 * @throws DomainError `invalid_api_key` when the key is absent, unknown, revoked or expired
 */
export async function authenticateApiKey({ store, clock }: ApiKeyDeps, presented: string | undefined): Promise<ApiKey> {
  const record = presented ? await store.apiKeyByHash(hashOf(presented)) : null;
  const now = clock();
  if (record === null || !isUsable(record, now)) throw new DomainError({ code: 'invalid_api_key' });
  if (record.lastUsedAt === null || now - record.lastUsedAt >= TOUCH_EVERY_MS) {
    await store.transaction((tx) => tx.touchApiKey(record.id, now));
  }
  return record;
}
