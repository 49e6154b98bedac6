import { describe, expect, test } from 'vitest';
import { loadConfig } from '../../src/config.ts';
import { problemsOf } from '../support/config.ts';

describe('settings that are read', () => {
  test('behavior: ALERT_WEBHOOK_URL has several URLs, each once', () => {
    const urls = ' https://hooks.example/a , http://127.0.0.1:9/b,https://hooks.example/a,';
    const { alertWebhooks } = loadConfig({ ALERT_WEBHOOK_URL: urls });
    expect(alertWebhooks).toEqual(['https://hooks.example/a', 'http://127.0.0.1:9/b']);
  });

  test('behavior: MCP_ORIGINS has the origins of pages, in their canonical form', () => {
    const { mcpOrigins } = loadConfig({ MCP_ORIGINS: 'https://Agent.example, http://localhost:6274' });
    expect(mcpOrigins).toEqual(['https://agent.example', 'http://localhost:6274']);
  });

  test('behavior: the operator’s port is none unless it is set, and any free one for 0', () => {
    expect(loadConfig({}).adminPort).toBeNull();
    expect(loadConfig({ ADMIN_PORT: '9090' }).adminPort).toBe(9090);
    expect(loadConfig({ ADMIN_PORT: '0', PORT: '0' }).adminPort).toBe(0);
  });

  test('behavior: the ways to sign in are a list, and owners’ gas of 0 is no limit', () => {
    expect(loadConfig({ SIGN_IN: 'wallet, farcaster,wallet' }).signIn).toEqual(['wallet', 'farcaster']);
    expect(loadConfig({ SIGN_IN: ' ' }).signIn).toEqual([]);
    const owners = loadConfig({ OWNER_CREATE: 'listed', GAS_BUDGET_OWNERS_DAY: '0' });
    expect(owners).toMatchObject({ ownerCreate: 'listed', ownersGasPerDay: null });
  });

  test('behavior: a screening oracle is one for all chains, or one for each', () => {
    const [all, own] = [`0x${'aB'.repeat(20).toLowerCase()}`, `0x${'cd'.repeat(20)}`];
    const oracles = (SCREENING_ORACLE: string) =>
      loadConfig({ CHAINS: 'base,optimism', SCREENING_ORACLE }).screeningOracles;
    expect(oracles(all)).toEqual(new Map([8453, 10].map((id) => [id, all])));
    expect(oracles(`${all}, base=${own}`)).toEqual(
      new Map([
        [8453, own],
        [10, all],
      ]),
    );
    expect(problemsOf({ CHAINS: 'base,optimism', SCREENING_ORACLE: `base=${own}` })).toEqual([
      'SCREENING_ORACLE names no oracle for optimism',
    ]);
  });

  test('behavior: a chain has several endpoints, in the order in which they are named, and at most eight', () => {
    const urls = ' https://one.example/fake-key/ ,https://two.example/a%2Cb?k=1,, https://mainnet.base.org';
    expect(loadConfig({ RPC_URL_8453: urls }).chains.map(({ rpcUrls }) => rpcUrls)).toEqual([
      ['https://one.example/fake-key', 'https://two.example/a%2Cb?k=1', 'https://mainnet.base.org'],
    ]);
    expect(loadConfig({ RPC_URL_8453: endpoints(8) }).chains[0]?.rpcUrls).toHaveLength(8);
  });
});

function endpoints(count: number): string {
  return Array.from({ length: count }, (_, index) => `https://${index}.example/fake-key`).join();
}

describe('settings that are refused by the name of the variable, without the value', () => {
  const refusals: Readonly<Record<string, { readonly problem: string; readonly values: readonly string[] }>> = {
    ALERT_WEBHOOK_URL: {
      problem: 'must be https URLs, comma-separated; http is for this machine only',
      values: [
        ...['http://hooks.example/fake-hook', 'https://name:fake-hook@hooks.example/', 'fake-hook', ','],
        'https://hooks.example/a,http://hooks.example/fake-hook',
      ],
    },
    MCP_ORIGINS: {
      problem: 'must be origins such as https://verifier.example, comma-separated; http is for localhost only',
      values: ['*', 'null', 'http://agent.example', 'https://agent.example/mcp', 'https://user@agent.example'],
    },
    RPC_URL_8453: {
      problem: 'must be http or https URLs, comma-separated; a comma within a URL is written %2C',
      values: ['https://one.example,two.example/fake-key', ' , '],
    },
    SCREENING_ORACLE: {
      problem:
        'must be an address, or such as base=0x… for each chain, comma-separated; mixed case needs a valid checksum',
      values: ['fake-oracle', `0x${'aB'.repeat(20)}`, `base:0x${'cd'.repeat(20)}`],
    },
    SIGN_IN: { problem: 'must be farcaster, wallet or both, comma-separated', values: ['wallet,x'] },
    OWNER_CREATE: { problem: 'must be one of nobody, listed, anybody', values: ['all'] },
    OWNER_OPEN_GIGS: { problem: 'must be a whole number from 1 to 1000000', values: ['0'] },
    ADMIN_PORT: { problem: 'must be a whole number from 0 to 65535', values: ['admin'] },
    MAX_CONNECTIONS: { problem: 'must be a whole number from 10 to 1000000', values: ['0'] },
  };
  const rows = Object.entries(refusals).flatMap(([name, { problem, values }]) =>
    values.map((value) => [name, value, problem] as const),
  );

  test.each(rows)('security: %s, when it is %s', (name, value, problem) => {
    expect(problemsOf({ [name]: value })).toEqual([`${name} ${problem}`]);
  });

  test.each([
    [{ ADMIN_PORT: '3000' }, 'ADMIN_PORT must be another port than PORT'],
    [{ ADMIN_PORT: '8080', PORT: '8080' }, 'ADMIN_PORT must be another port than PORT'],
    [
      { RPC_URL_8453: 'https://one.example/fake-key,https://ONE.example:443/fake-key/' },
      'RPC_URL_8453 must name each endpoint once: a repeated one is no fallback',
    ],
    [{ RPC_URL_8453: endpoints(9) }, 'RPC_URL_8453 must name at most 8 endpoints'],
    // Several at once, in the order of the settings.
    [
      { SIGN_IN: 'wallet,x', OWNER_CREATE: 'all' },
      'SIGN_IN must be farcaster, wallet or both, comma-separated; OWNER_CREATE must be one of nobody, listed, anybody',
    ],
  ])('error: %j', (env, problem) => {
    expect(problemsOf(env).join('; ')).toBe(problem);
  });
});
