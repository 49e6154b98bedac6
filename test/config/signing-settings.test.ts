import { describe, expect, test } from 'vitest';
import { loadConfig, secretsOf } from '../../src/config.ts';
import { newSigningKey } from '../services/events/world.ts';
import { problemsOf } from '../support/config.ts';

describe('the key that signs', () => {
  const key = newSigningKey();
  const other = newSigningKey();
  const ORIGINS = { VERIFIER_ORIGINS: 'https://verifier.example' };

  test.each([
    [{}, null, null],
    [{ SIGNING_KEY: key }, key, null],
    [{ SIGNING_KEY: key, ...ORIGINS }, key, key],
    [{ VERIFIER_SIGNING_KEY: key, ...ORIGINS }, key, key],
    [{ SIGNING_KEY: key, VERIFIER_SIGNING_KEY: key, ...ORIGINS }, key, key],
  ])('behavior: %#: signs events and questions', (env, signing, verifiers) => {
    const config = loadConfig(env);
    expect([config.signingKey, config.verifiers?.signingKey ?? null]).toEqual([signing, verifiers]);
    if (signing !== null) expect(secretsOf(config)).toContain(signing);
  });

  test.each([
    [
      { SIGNING_KEY: key, VERIFIER_SIGNING_KEY: other, ...ORIGINS },
      'SIGNING_KEY and VERIFIER_SIGNING_KEY must be the same key: unset VERIFIER_SIGNING_KEY',
    ],
    [{ SIGNING_KEY: 'x' }, expect.stringMatching(/^SIGNING_KEY must be an Ed25519 private key, /)],
    [
      { WEBHOOK_ALLOW_PRIVATE: 'true', PUBLIC_URL: 'https://tips.example' },
      'WEBHOOK_ALLOW_PRIVATE must not be true where PUBLIC_URL is https: clients could reach your network',
    ],
    [{ WEBHOOK_ALLOW_PRIVATE: 'yes' }, 'WEBHOOK_ALLOW_PRIVATE must be true or false'],
  ])('error: %# is refused by name', (env, problem) => {
    expect(problemsOf(env)).toEqual([problem]);
  });

  test('behavior: endpoints may be private where the service is on this machine', () => {
    for (const PUBLIC_URL of ['http://tips.example', 'https://localhost', 'https://127.0.0.1:8443']) {
      expect(loadConfig({ WEBHOOK_ALLOW_PRIVATE: 'true', PUBLIC_URL }).webhookAllowPrivate).toBe(true);
    }
  });
});
