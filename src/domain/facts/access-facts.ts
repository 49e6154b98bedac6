import type { ApiKey } from '../operators/api-key.ts';
import type { ListedOwner } from '../owners/owner-gigs.ts';
import { type Fact, fact, momentOr } from './fact.ts';

export const KEY_NAME = fact<ApiKey>('name', ({ name }) => ({ foreign: name }), { json: 'name' });
export const KEY_CLIENT = fact<ApiKey>('client', ({ client }) => ({ foreign: client }), { json: 'client' });
export const KEY_CREATED = fact<ApiKey>('created_at', ({ createdAt }) => ({ moment: createdAt }), {
  json: 'created_at',
});

/** The facts of an API key: never its hash. */
export const KEY_FACTS: readonly Fact<ApiKey>[] = [
  KEY_NAME,
  KEY_CLIENT,
  fact('scopes', ({ scopes }) => scopes.join(','), { json: ({ scopes }) => ({ scopes }) }),
  KEY_CREATED,
  fact('expires_at', ({ expiresAt }) => momentOr(expiresAt), { json: 'expires_at' }),
  fact('revoked_at', ({ revokedAt }) => momentOr(revokedAt), { json: 'revoked_at' }),
  fact('last_used_at', ({ lastUsedAt }) => momentOr(lastUsedAt), { json: 'last_used_at' }),
];

export const OWNER_NAME = fact<ListedOwner>('owner', ({ owner }) => ({ whole: owner }), { json: 'owner' });
export const OWNER_ALLOWED = fact<ListedOwner>('allowed', ({ allowedAt }) => ({ moment: allowedAt }), {
  json: 'allowed_at',
});
export const OWNER_WALLET = fact<ListedOwner>(
  'linked wallet',
  ({ wallet }) => (wallet === null ? null : { address: wallet }),
  { json: 'linked_wallet' },
);

/** The facts of an owner who may create gigs in the console. */
export const OWNER_FACTS: readonly Fact<ListedOwner>[] = [OWNER_NAME, OWNER_ALLOWED, OWNER_WALLET];
