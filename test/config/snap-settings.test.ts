import { describe, expect, test } from 'vitest';
import { loadConfig } from '../../src/config.ts';
import { problemsOf } from '../support/config.ts';

const RPC = 'https://optimism.test/key';
const BOT = {
  NEYNAR_API_KEY: 'fake-key',
  NEYNAR_SIGNER_UUID: '00000000-0000-4000-8000-000000000001',
  NEYNAR_WEBHOOK_SECRETS: 'fake-secret',
  FARCASTER_BOT_FID: '9001',
  FARCASTER_BOT_USERNAME: 'gigclaim',
};
const ON = { ...BOT, SNAPS: 'true', RPC_URL_10: RPC };

describe('the settings of cards', () => {
  test('behavior: they are off, and on with an endpoint of chain 10 at https or on this machine', () => {
    expect(loadConfig({}).snaps).toBe(false);
    for (const url of ['https://gigclaim.test', 'http://127.0.0.1:3000', undefined]) {
      const { snaps, farcasterRpcUrls } = loadConfig({ ...ON, PUBLIC_URL: url });
      expect([snaps, farcasterRpcUrls]).toEqual([true, [RPC]]);
    }
  });

  test.each([
    [{ SNAPS: 'yes' }, 'SNAPS must be true or false'],
    [{ SNAPS: 'true', RPC_URL_10: RPC }, 'SNAPS needs Farcaster: set NEYNAR_API_KEY and the other settings of the bot'],
    [
      { ...BOT, SNAPS: 'true' },
      'RPC_URL_10 must be set where SNAPS is true: each claim by tap asks Optimism for a key',
    ],
    [{ ...ON, PUBLIC_URL: 'http://gigclaim.test' }, 'PUBLIC_URL must be https where SNAPS is true'],
  ])('error: %j', (env, problem) => {
    expect(problemsOf(env)).toEqual([problem]);
  });
});
