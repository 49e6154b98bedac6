import { expect, test } from 'vitest';
import { factFields } from '../../../src/cli/facts.ts';
import type { WebhookEndpoint } from '../../../src/domain/events/endpoint.ts';
import { KEY_FACTS } from '../../../src/domain/facts/access-facts.ts';
import { factsJson } from '../../../src/domain/facts/fact.ts';
import { WEBHOOK_CREATED, WEBHOOK_FACTS, WEBHOOK_PAUSE, webhookJson } from '../../../src/domain/facts/webhook-facts.ts';
import type { ApiKey } from '../../../src/domain/operators/api-key.ts';

const SECRET = 'ab'.repeat(16);

test('security: what the secret of a webhook derives from is no fact of it', () => {
  const endpoint: WebhookEndpoint = {
    id: 1,
    client: 'shop',
    url: 'https://shop.example/hook',
    types: [],
    createdAt: 0,
    apiKeyId: 1,
    fromSeq: 0,
    pausedAt: 1,
    pausedBecause: 'gone',
    salt: SECRET,
    oldSalt: SECRET,
    rotatedAt: 0,
  };
  const told = [factFields([...WEBHOOK_FACTS, WEBHOOK_PAUSE, WEBHOOK_CREATED], endpoint), webhookJson(endpoint)];
  expect(JSON.stringify(told)).toContain('gone');
  expect(JSON.stringify(told)).not.toContain(SECRET);
});

test('security: the hash of an API key is no fact of it', () => {
  const key: ApiKey = {
    id: 1,
    name: 'shop',
    client: 'shop',
    scopes: ['gigs:read'],
    hash: SECRET,
    createdAt: 0,
    expiresAt: null,
    revokedAt: null,
    lastUsedAt: null,
  };
  const told = [factFields(KEY_FACTS, key), factsJson(KEY_FACTS, key)];
  expect(JSON.stringify(told)).toContain('gigs:read');
  expect(JSON.stringify(told)).not.toContain(SECRET);
});
