import { describe, expect, onTestFinished, test } from 'vitest';
import { deployToken, freshAddress, fundNative, fundToken, placeCode } from '../support/anvil.ts';
import { type Answer, serveJsonRpc } from '../support/json-rpc.ts';
import { deployOdd, setting } from '../support/odd-tokens.ts';
import { createPayer, NATIVE } from '../support/payer.ts';
import { answeringWord } from '../support/token.ts';

const TO = '0x00000000000000000000000000000000000000bb';

function refused(message: string) {
  return { name: 'TransferRefused', message };
}

function erc20(token: { address: `0x${string}` }) {
  return { address: token.address, isNative: false };
}

describe('a transfer that works', () => {
  test('behavior: of a token needs no gas in its wallet, and gets a quarter more gas than the node estimates', async () => {
    const { writer, gig } = createPayer();
    const token = await deployToken({ decimals: 18 });
    await fundToken(token, gig, 100n);
    const { gas } = await writer.simulateTransfer({ from: gig, token: erc20(token), to: TO, amount: 100n });
    expect(gas).toBeGreaterThan(35_000n);
    expect(gas).toBeLessThan(80_000n);
  });

  test('behavior: of the native asset may send all of it, and costs 21000 gas and a quarter', async () => {
    const { writer, gig } = createPayer();
    await fundNative(gig, 1_000n);
    expect(await writer.simulateTransfer({ from: gig, token: NATIVE, to: freshAddress(), amount: 1_000n })).toEqual({
      gas: 26_250n,
    });
  });

  test('behavior: of the native asset to a contract gets the gas that the contract burns', async () => {
    const { writer, gig } = createPayer();
    const door = await deployOdd('Door');
    await fundNative(gig, 1_000n);
    const { gas } = await writer.simulateTransfer({ from: gig, token: NATIVE, to: door.address, amount: 1n });
    expect(gas).toBeGreaterThan(28_000n);
  });

  test.each(['SilentToken', 'FeeToken', 'BlockingToken', 'FalseToken', 'MuteToken', 'RevertingToken'] as const)(
    'behavior: %s as long as it behaves',
    async (name) => {
      const { writer, gig } = createPayer();
      const token = await deployOdd(name);
      await fundToken(token, gig, 100n);
      const { gas } = await writer.simulateTransfer({ from: gig, token: erc20(token), to: TO, amount: 100n });
      expect(gas).toBeGreaterThan(26_250n);
    },
  );
});

describe('a transfer that cannot work', () => {
  test('error: says the reason that the contract gives, without what could mention or link', async () => {
    const { writer, gig } = createPayer();
    const token = await deployOdd('BlockingToken');
    await fundToken(token, gig, 100n);
    await token.change(setting.blocked(TO, true));
    await expect(writer.simulateTransfer({ from: gig, token: erc20(token), to: TO, amount: 1n })).rejects.toMatchObject(
      refused('the transfer would revert: recipient is blocked, ask support at'),
    );
    const other = freshAddress();
    await expect(
      writer.simulateTransfer({ from: gig, token: erc20(token), to: other, amount: 1n }),
    ).resolves.toBeDefined();
  });

  test('error: of more than the wallet holds is refused by the token, or by a node that lags behind what it was sent', async () => {
    const { writer, gig } = createPayer();
    const token = await deployToken({ decimals: 18 });
    await fundToken(token, gig, 99n);
    await expect(
      writer.simulateTransfer({ from: gig, token: erc20(token), to: TO, amount: 100n }),
    ).rejects.toMatchObject({
      ...refused('the transfer would revert: ERC20: transfer amount exceeds balance'),
      isBare: true,
    });
  });

  test.each([
    { way: 'withoutReason', reason: 'no reason given' },
    // The first four bytes of keccak256("TransfersAreClosed(uint256)").
    { way: 'unknownError', reason: 'custom error 0x987e3187' },
    { way: 'knownError', reason: 'EnforcedPause' },
    { way: 'overflow', reason: 'panic 0x11' },
  ] as const)('error: reverts $way: $reason', async ({ way, reason }) => {
    const { writer, gig } = createPayer();
    const token = await deployOdd('RevertingToken');
    await fundToken(token, gig, 100n);
    await token.change(setting.way(way));
    await expect(writer.simulateTransfer({ from: gig, token: erc20(token), to: TO, amount: 1n })).rejects.toMatchObject(
      refused(`the transfer would revert: ${reason}`),
    );
  });

  test('error: that runs into an invalid opcode is refused', async () => {
    const { writer, gig } = createPayer();
    const token = await deployOdd('RevertingToken');
    await token.change(setting.way('invalid'));
    await expect(writer.simulateTransfer({ from: gig, token: erc20(token), to: TO, amount: 1n })).rejects.toMatchObject(
      {
        name: 'TransferRefused',
      },
    );
  });

  test('error: of a token that answers false is refused', async () => {
    const { writer, gig } = createPayer();
    const token = await deployOdd('FalseToken');
    await fundToken(token, gig, 100n);
    await token.change(setting.paused);
    await expect(writer.simulateTransfer({ from: gig, token: erc20(token), to: TO, amount: 1n })).rejects.toMatchObject(
      refused('the token answers that the transfer fails'),
    );
  });

  test.each([
    { text: 'two', code: answeringWord('0x02') },
    { text: 'half a word', code: '0x60105ff3' },
  ] as const)('error: of a token that answers $text is refused', async ({ code }) => {
    const { writer, gig } = createPayer();
    const token = { address: await placeCode(code), isNative: false };
    await expect(writer.simulateTransfer({ from: gig, token, to: TO, amount: 1n })).rejects.toMatchObject(
      refused('the token answers the transfer with neither yes nor no'),
    );
  });

  test('error: of the native asset to a contract that does not take it is refused', async () => {
    const { writer, gig } = createPayer();
    const door = await deployOdd('Door');
    await fundNative(gig, 1_000n);
    await door.change(setting.closed);
    await expect(
      writer.simulateTransfer({ from: gig, token: NATIVE, to: door.address, amount: 1n }),
    ).rejects.toMatchObject(refused('the transfer would revert: the door is closed'));
  });
});

describe('a trial that fails says nothing of the transfer', () => {
  test('error: when the wallet does not hold the native asset that it has to send', async () => {
    const { writer, gig } = createPayer();
    await fundNative(gig, 999n);
    await expect(
      writer.simulateTransfer({ from: gig, token: NATIVE, to: freshAddress(), amount: 1_000n }),
    ).rejects.toMatchObject({ name: 'AdapterError', retry: 'safe', reason: 'rejected' });
  });

  test('error: when the endpoint sees no contract where the token is', async () => {
    const { writer, gig } = createPayer();
    const token = { address: freshAddress(), isNative: false };
    await expect(writer.simulateTransfer({ from: gig, token, to: TO, amount: 1n })).rejects.toMatchObject({
      name: 'AdapterError',
      retry: 'safe',
      reason: 'bad_response',
    });
  });

  const FUNDS = 'insufficient funds for gas * price + value: address 0xbb have 0 want 1';
  test.each([
    { text: 'HTTP 503', answer: (response) => response.writeHead(503).end(), retry: 'safe' },
    { text: 'a dropped connection', answer: (response) => response.destroy(), retry: 'safe' },
    { text: 'no method', answer: { error: { code: -32601, message: 'no such method' } }, retry: 'never' },
    { text: 'a rate limit', answer: { error: { code: -32005, message: 'limit exceeded' } }, retry: 'safe' },
    { text: 'an internal error', answer: { error: { code: -32603, message: 'internal error' } }, retry: 'safe' },
    { text: 'missing funds as a revert', answer: { error: { code: 3, message: FUNDS } }, retry: 'safe' },
    { text: 'missing funds', answer: { error: { code: -32000, message: FUNDS } }, retry: 'safe' },
    { text: 'a null result', answer: { result: null }, retry: 'safe' },
  ] satisfies { text: string; answer: Answer; retry: string }[])(
    'error: when the endpoint answers the estimate with $text',
    async ({ answer, retry }) => {
      const server = await serveJsonRpc((method) => {
        if (method === 'eth_chainId') return { result: '0x7a69' };
        if (method === 'eth_getCode') return { result: '0x00' };
        return method === 'eth_estimateGas' ? answer : { result: '0x' };
      });
      onTestFinished(server.close);
      const { writer, gig } = createPayer({ url: server.url, retries: 0 });
      const token = { address: TO, isNative: false } as const;
      await expect(writer.simulateTransfer({ from: gig, token, to: TO, amount: 1n })).rejects.toMatchObject({
        name: 'AdapterError',
        retry,
      });
    },
  );
});

describe('what nodes say of a revert', () => {
  test.each([
    { code: 3, message: 'execution reverted', data: '0x', reason: 'no reason given' },
    { code: 3, message: 'execution reverted: rate limit exceeded', reason: 'rate limit exceeded' },
    { code: 3, message: 'execution reverted: insufficient funds', reason: 'insufficient funds' },
    { code: -32000, message: 'execution reverted', reason: 'no reason given' },
    { code: -32000, message: 'invalid opcode: INVALID', reason: 'invalid opcode: INVALID' },
    { code: -32000, message: 'out of gas', reason: 'out of gas' },
    // Parity's descendants: Error(string) with "no".
    {
      code: -32015,
      message: 'VM execution error.',
      data: `Reverted 0x08c379a0${'20'.padStart(64, '0')}${'2'.padStart(64, '0')}${'6e6f'.padEnd(64, '0')}`,
      reason: 'no',
    },
    // Error(string) without the string.
    { code: 3, message: 'execution reverted', data: '0x08c379a0', reason: 'custom error 0x08c379a0' },
    // EnforcedPause(), nested.
    { code: -32603, message: 'reverted', data: { data: '0xd93c0665' }, reason: 'EnforcedPause' },
  ])('behavior: $code $message $data is $reason', async ({ reason, ...error }) => {
    const server = await serveJsonRpc((method) => {
      if (method === 'eth_chainId') return { result: '0x7a69' };
      return method === 'eth_call' ? { error } : { result: '0x00' };
    });
    onTestFinished(server.close);
    const { writer, gig } = createPayer({ url: server.url });
    const token = { address: TO, isNative: false } as const;
    await expect(writer.simulateTransfer({ from: gig, token, to: TO, amount: 1n })).rejects.toMatchObject(
      refused(`the transfer would revert: ${reason}`),
    );
    // The trial, what the wallet holds, and the trial again in a named block.
    expect(server.asked.filter((method) => method === 'eth_call')).toHaveLength(3);
  });
});
