import { describe, expect, test } from 'vitest';
import { checksummed, NATIVE_TOKEN_ADDRESS } from '../../../src/domain/gigs/token.ts';
import { deployToken, freshAddress } from '../../support/anvil.ts';
import { desk, output, refusal, useDesk } from '../admin.ts';

useDesk();

describe('token add', () => {
  test('behavior: reads the contract and keeps what it says, with an image and a CoinGecko id', async () => {
    const { address } = await deployToken({ decimals: 6, name: 'USD Coin', symbol: 'USDC' });
    const extras = ['--image-url', 'https://example.invalid/usdc.png', '--coingecko-id', 'usd-coin'];
    expect(await output(desk.admin(['token', 'add', 'anvil', checksummed(address), ...extras]))).toBe(
      `Token 1 added: USDC (USD Coin), 6 decimals, ${checksummed(address)} on anvil, image https://example.invalid/usdc.png, CoinGecko id usd-coin\n`,
    );
    expect(await desk.store.token(31337, address)).toMatchObject({
      id: 1,
      name: 'USD Coin',
      symbol: 'USDC',
      decimals: 6,
      isNative: false,
      imageUrl: 'https://example.invalid/usdc.png',
      coingeckoId: 'usd-coin',
    });
  });

  test('behavior: takes the stand-in address for the chain’s own coin', async () => {
    const { out } = await desk.admin(['token', 'add', 'anvil', '0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE']);
    expect(out).toBe('Token 1 added: ETH (Ether), 18 decimals, 0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE on anvil\n');
    expect((await desk.store.token(31337, NATIVE_TOKEN_ADDRESS))?.isNative).toBe(true);
  });

  test('behavior: a token that is known stays as it is, and wanting it otherwise is refused', async () => {
    const { address } = await deployToken({ decimals: 18 });
    const add = (...extras: string[]) => desk.admin(['token', 'add', 'anvil', address, ...extras]);
    await add('--coingecko-id', 'test-token');
    expect((await add('--coingecko-id', 'test-token')).out).toMatch(/^Token 1 exists already: TEST /);
    expect(await refusal(add('--coingecko-id', 'other', '--image-url', 'https://example.invalid/a.png'))).toBe(
      'Token 1 (TEST) exists already and cannot be changed: leave out --image-url and --coingecko-id.\n',
    );
  });

  test('security: what a contract says is cleaned before it is stored or shown', async () => {
    const name = 'Free money at https://evil.example @everyone \u001b[31m\u202e';
    const { address } = await deployToken({ decimals: 18, name, symbol: 'EVIL\u0007' });
    const { out } = await desk.admin(['token', 'add', 'anvil', address]);
    expect(out).toContain('EVIL (Free money at');
    // biome-ignore lint/suspicious/noControlCharactersInRegex: what must not come through
    expect(out.trimEnd()).not.toMatch(/https:|@|[\u0000-\u001f\u202e]/);
  });

  test('error: an address without a token', async () => {
    const address = checksummed(freshAddress());
    expect(await refusal(desk.admin(['token', 'add', 'anvil', address]))).toBe(
      `There is no ERC-20 token at ${address} on anvil; check the address and the chain.\n`,
    );
  });

  test('error: a chain that is not enabled, or does not answer', async () => {
    const add = ['token', 'add'];
    const { err } = await desk.admin([...add, 'base', freshAddress()]);
    expect(err).toBe('chain: base is not enabled here; add it to CHAINS, which has anvil.\n');
    const env = { RPC_URL_31337: 'http://127.0.0.1:1' };
    expect(await refusal(desk.admin([...add, 'anvil', freshAddress()], { env }))).toBe(
      'chain anvil: the endpoint could not be reached for eth_chainId\n',
    );
  });
});

describe('token allow', () => {
  test('behavior: lets payments take more gas, and disallow ends that, each once', async () => {
    const { address } = await deployToken({ decimals: 6, name: 'USD Coin', symbol: 'USDC' });
    await desk.admin(['token', 'add', 'anvil', address]);
    expect(await output(desk.admin(['token', 'allow', 'anvil', address]))).toBe(
      `Payments in token 1 may take more gas than others: USDC (USD Coin), 6 decimals, ${checksummed(address)} on anvil\n`,
    );
    expect((await desk.admin(['token', 'allow', 'anvil', address])).err).toMatch(/ is allowed already\.\n$/);
    expect((await desk.admin(['token', 'disallow', 'anvil', address])).out).toMatch(
      /^Payments in token 1 may take as /,
    );
    expect((await desk.admin(['token', 'disallow', 'anvil', address])).code).toBe(1);
    const actions = (await desk.store.auditEvents({ limit: 9 })).map(({ action }) => action);
    expect(actions).toEqual(['token.disallow', 'token.allow', 'token.add']);
  });

  test('error: a token that no gig pays in', async () => {
    const address = checksummed(freshAddress());
    expect(await refusal(desk.admin(['token', 'allow', 'anvil', address]))).toBe(
      `Token ${address} on anvil is in no gig; a gig adds it, or token add.\n`,
    );
  });
});
