import { describe, expect, test } from 'vitest';
import { loadConfig, settingWarnings, VARIABLES } from '../../src/config.ts';

describe('warnings', () => {
  test.each([
    ['RPC_URL_BASE', 'RPC_URL_BASE is not a setting; the endpoint of base is RPC_URL_8453'],
    ['RPC_URL_base_sepolia', 'RPC_URL_base_sepolia is not a setting; the endpoint of base-sepolia is RPC_URL_84532'],
    ['RPC_URL_10', 'RPC_URL_10 is not used, because optimism is not in CHAINS'],
    ['RPC_URL_56', 'RPC_URL_56 is not a setting; an endpoint is RPC_URL_<chain id> of a known chain: see .env.example'],
    ['RPC_URL', 'RPC_URL is not a setting; an endpoint is RPC_URL_<chain id> of a known chain: see .env.example'],
    ['NEYNER_API_KEY', 'NEYNER_API_KEY is not a setting; see .env.example'],
    ['NEYNAR_KEY', 'NEYNAR_KEY is not a setting; see .env.example'],
    ['FARCASTER_FID', 'FARCASTER_FID is not a setting; see .env.example'],
    ['X_BEARER_TOKEN', 'X_BEARER_TOKEN is not a setting; see .env.example'],
    ['TWITTER_APP_KEY', 'TWITTER_APP_KEY is not a setting; see .env.example'],
    ['MENTION_POL_SECONDS', 'MENTION_POL_SECONDS is not a setting; see .env.example'],
    ['TREASURY_ADRESS', 'TREASURY_ADRESS is not a setting; see .env.example'],
    ['REFUND_DELAY_HOUR', 'REFUND_DELAY_HOUR is not a setting; see .env.example'],
    ['EARNING_LOOK_MINUTES', 'EARNING_LOOK_MINUTES is not a setting; see .env.example'],
    ['SPAM_LABEL_FILE', 'SPAM_LABEL_FILE is not a setting; see .env.example'],
    ['VERIFIER_ORIGIN', 'VERIFIER_ORIGIN is not a setting; see .env.example'],
    ['ALLOW_X_EARNINGS', 'ALLOW_X_EARNINGS is not a setting; see .env.example'],
    ['TRUST_PROXIES', 'TRUST_PROXIES is not a setting; see .env.example'],
    ['GIG_WALET_MNEMONIC', 'GIG_WALET_MNEMONIC is not a setting; see .env.example'],
  ])('behavior: %s has no effect, and a sentence says so without its value', (name, warning) => {
    expect(settingWarnings({ [name]: 'fake-value' })).toEqual([warning]);
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
