import { describe, expect, test } from 'vitest';
import { loadConfig, settingWarnings, VARIABLES } from '../../src/config.ts';

describe('warnings', () => {
  const UNKNOWN = [
    ...['NEYNER_API_KEY', 'NEYNAR_KEY', 'FARCASTER_FID', 'X_BEARER_TOKEN', 'TWITTER_APP_KEY', 'MENTION_POL_SECONDS'],
    ...['TREASURY_ADRESS', 'REFUND_DELAY_HOUR', 'EARNING_LOOK_MINUTES', 'SPAM_LABEL_FILE', 'VERIFIER_ORIGIN'],
    ...['ALLOW_X_EARNINGS', 'TRUST_PROXIES', 'GIG_WALET_MNEMONIC'],
  ];

  test.each([
    ['RPC_URL_BASE', 'is not a setting; the endpoint of base is RPC_URL_8453'],
    ['RPC_URL_base_sepolia', 'is not a setting; the endpoint of base-sepolia is RPC_URL_84532'],
    ['RPC_URL_10', 'is not used, because optimism is not in CHAINS'],
    ['RPC_URL_56', 'is not a setting; an endpoint is RPC_URL_<chain id> of a known chain: see .env.example'],
    ['RPC_URL', 'is not a setting; an endpoint is RPC_URL_<chain id> of a known chain: see .env.example'],
    ...UNKNOWN.map((name) => [name, 'is not a setting; see .env.example']),
  ])('behavior: %s has no effect, and a sentence says so without its value', (name = '', warning) => {
    expect(settingWarnings({ [name]: 'fake-value' })).toEqual([`${name} ${warning}`]);
    expect(loadConfig({ [name]: 'fake-value' })).toEqual(loadConfig({}));
  });

  test('behavior: settings, empty variables and those of other programs get none', () => {
    const settings = Object.fromEntries(VARIABLES.map((name) => [name, '1']));
    expect(settingWarnings({ ...settings, CHAINS: 'base,optimism', RPC_URL_10: 'http://127.0.0.1:1' })).toEqual([]);
    expect(settingWarnings({ RPC_URL_8453: 'http://127.0.0.1:1', RPC_URL_10: '', NEYNAR_KEY: ' ' })).toEqual([]);
    const foreign = { HOME: '/', PATH: '/bin', HOSTNAME: 'a', PORTS: '1', NODE_ENV: 'production', XDG_SESSION_ID: '1' };
    expect(settingWarnings({ ...foreign, npm_config_cache: '/tmp', LANG: 'C', SHELL: '/bin/sh' })).toEqual([]);
  });
});
