import { describe, expect, test } from 'vitest';
import { loadConfig } from '../../src/config.ts';
import { problemsOf } from '../support/config.ts';

const URL = 'https://api.neynar.com/f/app/1/event';
const BOT = {
  NEYNAR_API_KEY: 'fake-key',
  NEYNAR_SIGNER_UUID: '00000000-0000-4000-8000-000000000001',
  NEYNAR_WEBHOOK_SECRETS: 'fake-secret',
  FARCASTER_BOT_FID: '9001',
  FARCASTER_BOT_USERNAME: 'gigclaim',
};

describe('the settings of notifications', () => {
  test('behavior: they are off, also with a URL alone', () => {
    expect(loadConfig({}).notifications).toBeNull();
    expect(loadConfig({ NOTIFICATIONS_WEBHOOK_URL: URL }).notifications).toBeNull();
    expect(loadConfig({ ...BOT, NOTIFICATIONS: 'true', NOTIFICATIONS_WEBHOOK_URL: URL }).notifications).toBe(URL);
  });

  test.each([
    [{ NOTIFICATIONS: 'yes' }, 'NOTIFICATIONS must be true or false'],
    [
      { ...BOT, NOTIFICATIONS: 'true' },
      'NOTIFICATIONS_WEBHOOK_URL must be set where NOTIFICATIONS is true: dev.neynar.com shows it for your app',
    ],
    [
      { NOTIFICATIONS: 'true', NOTIFICATIONS_WEBHOOK_URL: URL },
      'NOTIFICATIONS needs Farcaster: set NEYNAR_API_KEY and the other settings of the bot',
    ],
    [
      { NOTIFICATIONS_WEBHOOK_URL: 'http://api.neynar.com/f/app/1/event' },
      'NOTIFICATIONS_WEBHOOK_URL must be the https URL that dev.neynar.com shows for your app: https://api.neynar.com/f/app/…/event',
    ],
  ])('error: %j', (env, problem) => {
    expect(problemsOf(env)).toEqual([problem]);
  });
});
