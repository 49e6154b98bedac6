import { describe, expect, test } from 'vitest';
import { loadConfig, secretsOf, settingWarnings } from '../../src/config.ts';
import { siteOf } from '../../src/sign-in/site.ts';
import { createWalletSignIn } from '../../src/sign-in/wallet.ts';

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

  test('error: a public URL whose host no message of EIP-4361 can name is refused where wallets sign in', async () => {
    const wrong = 'PUBLIC_URL must have a domain name, localhost or an IPv4 address where SIGN_IN has wallet';
    const times = { nonce: 'a'.repeat(32), issuedAt: 1, expiresAt: 2 };
    const hosts = {
      'https://gigs.example': true,
      'https://a-b.gigs.example:8443': true,
      'http://localhost:3000': true,
      'http://127.0.0.1:3000': true,
      'http://[::1]:3000': false,
      'http://gigclaim:3000': false,
      'https://gigs.example.': false,
      'https://my_gigs.example': false,
      'https://пример.рф': false,
    };
    for (const [url, isFine] of Object.entries(hosts)) {
      const load = () => loadConfig({ SIGN_IN: 'wallet', PUBLIC_URL: url });
      if (isFine) expect(load).not.toThrow();
      else expect(load).toThrow(wrong);
      expect(() => loadConfig({ SIGN_IN: 'farcaster', PUBLIC_URL: url })).not.toThrow();
      const way = createWalletSignIn({ site: siteOf(url), ask: () => Promise.resolve(false) });
      const message = await way.message({ address: `0x${'ab'.repeat(20)}`, chainId: 1, ...times }).catch(() => null);
      expect([url, message !== null]).toEqual([url, isFine]);
    }
  });

  test('behavior: RPC_URL_10 is in use where owners may sign in with Farcaster', () => {
    const env = { RPC_URL_10: 'https://op.example' };
    expect(settingWarnings({ ...env, SIGN_IN: 'wallet' })).toHaveLength(1);
    expect(settingWarnings({ ...env, SIGN_IN: 'farcaster' })).toEqual([]);
    expect(settingWarnings({ SIGN_INS: 'wallet' })).toEqual(['SIGN_INS is not a setting; see .env.example']);
  });
});
