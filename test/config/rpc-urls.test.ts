import { expect, test } from 'vitest';
import { loadConfig } from '../../src/config.ts';
import { problemsOf } from '../support/config.ts';

test('behavior: a chain has several endpoints, in the order in which they are named', () => {
  const { chains } = loadConfig({
    RPC_URL_8453: ' https://one.example/fake-key/ ,https://two.example/a%2Cb?k=1,, https://mainnet.base.org',
  });
  expect(chains.map(({ rpcUrls }) => rpcUrls)).toEqual([
    ['https://one.example/fake-key', 'https://two.example/a%2Cb?k=1', 'https://mainnet.base.org'],
  ]);
});

test('error: of several endpoints each is a URL, none is named twice, and there are at most eight', () => {
  const urls = 'RPC_URL_8453 must be http or https URLs, comma-separated; a comma within a URL is written %2C';
  const many = Array.from({ length: 9 }, (_, index) => `https://${index}.example/fake-key`);
  expect(problemsOf({ RPC_URL_8453: 'https://one.example,two.example/fake-key' })).toEqual([urls]);
  expect(problemsOf({ RPC_URL_8453: ' , ' })).toEqual([urls]);
  expect(problemsOf({ RPC_URL_8453: 'https://one.example/fake-key,https://ONE.example:443/fake-key/' })).toEqual([
    'RPC_URL_8453 must name each endpoint once: a repeated one is no fallback',
  ]);
  expect(problemsOf({ RPC_URL_8453: many.join() })).toEqual(['RPC_URL_8453 must name at most 8 endpoints']);
  expect(loadConfig({ RPC_URL_8453: many.slice(1).join() }).chains[0]?.rpcUrls).toHaveLength(8);
});
