import { describe, expect, test } from 'vitest';
import { loadConfig, secretsOf, settingWarnings } from '../src/config.ts';

describe('signing in', () => {
  test('behavior: either way or both can be on, and Farcaster has endpoints of chain 10 of its own', () => {
    const config = loadConfig({ SIGN_IN: ' wallet, farcaster,wallet', RPC_URL_10: 'https://op.example/key' });
    expect(config).toMatchObject({
      signIn: ['wallet', 'farcaster'],
      farcasterRelayUrl: 'https://relay.farcaster.xyz',
      farcasterRpcUrls: ['https://op.example/key'],
    });
    expect(config.chains.map(({ chain }) => chain.key)).toEqual(['base']);
    expect(secretsOf(config)).toContain('https://op.example/key');
    expect(loadConfig({ SIGN_IN: 'farcaster' }).farcasterRpcUrls).toEqual(['https://mainnet.optimism.io']);
    expect(loadConfig({ SIGN_IN: 'wallet', RPC_URL_10: 'https://op.example/key' }).farcasterRpcUrls).toEqual([]);
  });

  test('error: another way is refused by the name of the setting', () => {
    expect(() => loadConfig({ SIGN_IN: 'google' })).toThrow('SIGN_IN must be farcaster, wallet or both');
    expect(() => loadConfig({ SIGN_IN: 'farcaster', RPC_URL_10: 'nothing' })).toThrow('RPC_URL_10 must be http');
  });

  test('behavior: RPC_URL_10 is in use where owners may sign in with Farcaster', () => {
    const env = { RPC_URL_10: 'https://op.example' };
    expect(settingWarnings({ ...env, SIGN_IN: 'wallet' })).toHaveLength(1);
    expect(settingWarnings({ ...env, SIGN_IN: 'farcaster' })).toEqual([]);
    expect(settingWarnings({ SIGN_INS: 'wallet' })).toEqual(['SIGN_INS is not a setting; see .env.example']);
  });
});
