import { describe, expect, test } from 'vitest';
import { publicUrlProblem, webhookUrl } from '../../../src/cli/operators/public-url.ts';
import { loadConfig } from '../../../src/config.ts';

const FARCASTER = {
  NEYNAR_API_KEY: 'fake-neynar-api-key',
  NEYNAR_SIGNER_UUID: '00000000-0000-4000-8000-000000000001',
  NEYNAR_WEBHOOK_SECRETS: 'fake-webhook-secret',
  FARCASTER_BOT_FID: '9001',
  FARCASTER_BOT_USERNAME: 'gigclaim',
};
const X = {
  X_APP_KEY: 'fake-app-key',
  X_APP_SECRET: 'fake-app-secret',
  X_ACCESS_TOKEN: 'fake-access-token',
  X_ACCESS_SECRET: 'fake-access-secret',
  X_BOT_USER_ID: '1111111111111111111',
  X_BOT_USERNAME: 'gigclaim',
};

function problem(env: Record<string, string>): string | undefined {
  return publicUrlProblem(loadConfig(env))?.detail;
}

describe('PUBLIC_URL', () => {
  test.each([
    'http://localhost:3000',
    'https://gigclaim',
    'https://gigclaim.localhost',
    'https://127.0.0.1',
    'https://10.1.2.3',
    'https://172.31.0.1',
    'https://192.168.1.5',
    'https://[::1]',
    'https://[fd00::1]',
  ])('error: %s cannot be reached by a real platform', (url) => {
    expect(problem({ ...FARCASTER, PUBLIC_URL: url })).toMatch(/, which cannot be reached from outside this network$/);
  });

  test('error: a real platform wants https, and X no port', () => {
    expect(problem({ ...FARCASTER, PUBLIC_URL: 'http://bot.example.com' })).toBe(
      'PUBLIC_URL is http://bot.example.com, which is not https',
    );
    expect(problem({ ...X, PUBLIC_URL: 'https://bot.example.com:8443' })).toBe(
      'PUBLIC_URL is https://bot.example.com:8443, and X accepts no port in the URL of a webhook',
    );
    expect(problem({ ...FARCASTER, PUBLIC_URL: 'https://bot.example.com:8443' })).toBeUndefined();
  });

  test('behavior: an address of the internet is well; below it are the webhooks', () => {
    const config = loadConfig({ ...FARCASTER, ...X, PUBLIC_URL: 'https://bot.example.com/gigs/' });
    expect(publicUrlProblem(config)).toBeNull();
    expect(webhookUrl(config, 'farcaster')).toBe('https://bot.example.com/gigs/webhooks/farcaster');
    expect(webhookUrl(config, 'twitter')).toBe('https://bot.example.com/gigs/webhooks/twitter');
    expect(problem({ ...X, PUBLIC_URL: 'https://172.32.0.1' })).toBeUndefined();
  });

  test('behavior: nothing is asked of it while no real platform is on', () => {
    expect(problem({})).toBeUndefined();
    const local = { NEYNAR_BASE_URL: 'http://127.0.0.1:4001', X_BASE_URL: 'http://127.0.0.1:4002' };
    expect(problem({ ...FARCASTER, ...X, ...local })).toBeUndefined();
    expect(problem({ ...FARCASTER, ...X, NEYNAR_BASE_URL: local.NEYNAR_BASE_URL })).toBeDefined();
  });
});
