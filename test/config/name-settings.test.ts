import { describe, expect, test } from 'vitest';
import { loadConfig, secretsOf, settingWarnings } from '../../src/config.ts';

describe('names', () => {
  test('behavior: are off until RPC_URL_1 is set, also where payments are made on Ethereum', () => {
    expect(loadConfig({}).nameRpcUrls).toEqual([]);
    expect(loadConfig({ RPC_URL_1: ' ' }).nameRpcUrls).toEqual([]);
    expect(loadConfig({ CHAINS: 'base,ethereum' }).nameRpcUrls).toEqual([]);
  });

  test('behavior: are asked of all the endpoints of RPC_URL_1, whatever CHAINS says', () => {
    const two = 'https://one.example/key,https://two.example/key';
    for (const CHAINS of ['base', 'base,ethereum']) {
      expect(loadConfig({ CHAINS, RPC_URL_1: two }).nameRpcUrls).toEqual(two.split(','));
      expect(settingWarnings({ CHAINS, RPC_URL_1: two })).toEqual([]);
    }
    expect(loadConfig({ RPC_URL_1: two }).chains.map(({ chain }) => chain.key)).toEqual(['base']);
  });

  test('security: their endpoints are secrets, and stand in no error', () => {
    const config = loadConfig({ RPC_URL_1: 'https://one.example/fake-key' });
    expect(secretsOf(config)).toContain('https://one.example/fake-key');
    expect(() => loadConfig({ RPC_URL_1: 'nothing' })).toThrow(/RPC_URL_1 must be http/);
  });
});
