import {
  decodeAbiParameters,
  decodeFunctionResult,
  encodeErrorResult,
  encodeFunctionData,
  type Hex,
  parseAbi,
} from 'viem';
import { describe, expect, test } from 'vitest';
import {
  BATCH_URL,
  type ContractAnswer,
  type ContractCall,
  callWithServers,
  createNameServers,
} from '../../../src/chain/names/offchain.ts';
import type { AskGateway, GatewayQuestion } from '../../../src/domain/names/names.ts';
import { seedAddress } from '../../support/store.ts';

const CONTRACT = seedAddress(0xeeee);
const CALLBACK = '0x12345678';
const SERVER = ['https://names.example/'];
const LOOKUP = parseAbi([
  'error OffchainLookup(address sender, string[] urls, bytes callData, bytes4 callbackFunction, bytes extraData)',
]);
const BATCH = parseAbi([
  'struct Query { address sender; string[] urls; bytes data; }',
  'function query(Query[] queries) view returns (bool[] failures, bytes[] responses)',
]);

const lookup = (urls: readonly string[], data: Hex = '0xaa', sender = CONTRACT): ContractAnswer => ({
  isRevert: true,
  data: encodeErrorResult({ abi: LOOKUP, errorName: 'OffchainLookup', args: [sender, urls, data, CALLBACK, '0xee'] }),
});
const batch = (queries: readonly Omit<GatewayQuestion, 'sender'>[]): Hex =>
  encodeFunctionData({
    abi: BATCH,
    functionName: 'query',
    args: [queries.map((query) => ({ ...query, sender: CONTRACT }))],
  });
const word = (value: number) => value.toString(16).padStart(64, '0');

/** A call of a contract that answers so each time, with what was asked of it and of servers. */
function calling(
  answers: (call: number) => ContractAnswer,
  askGateway?: AskGateway,
  stop = new AbortController().signal,
) {
  const calls: ContractCall[] = [];
  const asked: GatewayQuestion[] = [];
  const ask: AskGateway = async (question, signal) => {
    asked.push(question);
    return askGateway === undefined ? '0xbb' : await askGateway(question, signal);
  };
  const servers = createNameServers(ask, stop);
  const call = async (contract: ContractCall) => {
    calls.push(contract);
    return answers(calls.length);
  };
  const answer = callWithServers({ to: CONTRACT, data: '0x01' }, call, servers);
  return { answer, calls, asked, servers };
}

/** What the contract was given back in a call. */
function givenBack(call: ContractCall | undefined) {
  const data = call?.data ?? '0x';
  return [data.slice(0, 10), ...decodeAbiParameters([{ type: 'bytes' }, { type: 'bytes' }], `0x${data.slice(10)}`)];
}

const done: ContractAnswer = { isRevert: false, data: '0x0d' };

describe('a contract that sends its caller to servers', () => {
  test('behavior: is given what the server answers, as often as it asks', async () => {
    const { answer, calls, asked, servers } = calling((call) => (call < 3 ? lookup(SERVER) : done));
    expect(await answer).toEqual(done);
    expect(asked.map(({ urls, data }) => [urls, data])).toEqual(Array(2).fill([SERVER, '0xaa']));
    expect(calls[0]).toEqual({ to: CONTRACT, data: '0x01' });
    expect(calls.slice(1).map(givenBack)).toEqual(Array(2).fill([CALLBACK, '0xbb', '0xee']));
    expect(servers.hasFailed()).toBe(false);
  });

  test('behavior: what is no such question is its answer', async () => {
    const reverted: ContractAnswer = { isRevert: true, data: '0x08c379a0' };
    expect(await calling(() => reverted).answer).toEqual(reverted);
    const like = { ...lookup(SERVER), isRevert: false };
    expect(await calling(() => like).answer).toEqual(like);
  });

  test('behavior: several questions in one are each asked, also nested; one that fails does so alone', async () => {
    const inner = batch([{ urls: SERVER, data: '0x02' }]);
    const data = batch([
      { urls: SERVER, data: '0x01' },
      { urls: [BATCH_URL], data: inner },
      { urls: ['https://away.example/'], data: '0x03' },
    ]);
    const gateway: AskGateway = async ({ urls, data }) => {
      if (urls[0] !== SERVER[0]) throw new Error('away');
      return `${data}ff`;
    };
    const { answer, calls, asked, servers } = calling(
      (call) => (call === 1 ? lookup([BATCH_URL], data) : done),
      gateway,
    );
    await answer;
    expect(asked.map((question) => question.data).toSorted()).toEqual(['0x01', '0x02', '0x03']);
    const [, response = '0x'] = givenBack(calls[1]);
    const [failures, responses] = decodeFunctionResult({
      abi: BATCH,
      functionName: 'query',
      data: `0x${response.slice(2)}`,
    });
    expect(failures).toEqual([false, false, true]);
    expect(responses[0]).toBe('0x01ff');
    expect(decodeFunctionResult({ abi: BATCH, functionName: 'query', data: responses[1] ?? '0x' })).toEqual([
      [false],
      ['0x02ff'],
    ]);
    expect(servers.hasFailed()).toBe(true);
  });

  test('security: a question in the name of another contract is not asked', async () => {
    const { answer, asked } = calling(() => lookup(SERVER, '0xaa', seedAddress(1)));
    await expect(answer).rejects.toThrow('in the name of another');
    expect(asked).toEqual([]);
  });

  test('security: one that asks without end is given up, also where no server is among what it asks', async () => {
    const asking = calling(() => lookup(SERVER));
    await expect(asking.answer).rejects.toThrow('too many servers');
    expect([asking.asked.length, asking.calls.length]).toEqual([8, 9]);
    const empty = calling(() => lookup([BATCH_URL], batch([])));
    await expect(empty.answer).rejects.toThrow('too many servers');
    expect([empty.asked.length, empty.calls.length]).toEqual([0, 17]);
    expect([asking, empty].map(({ servers }) => servers.hasFailed())).toEqual([true, true]);
  });

  test('security: questions that multiply from level to level are not followed', async () => {
    let data = batch([{ urls: SERVER, data: '0x01' }]);
    for (let level = 0; level < 2; level += 1) data = batch(Array(8).fill({ urls: [BATCH_URL], data }));
    const { answer, asked, servers } = calling((call) => (call === 1 ? lookup([BATCH_URL], data) : done));
    await answer;
    expect(asked.length).toBeLessThanOrEqual(8);
    expect(servers.hasFailed()).toBe(true);
  });

  test('security: nothing more is asked once the time is over', async () => {
    const over = new AbortController();
    const { answer, calls } = calling(
      () => lookup(SERVER),
      async () => {
        over.abort();
        return '0xbb';
      },
      over.signal,
    );
    await expect(answer).rejects.toThrow('too long');
    expect(calls).toHaveLength(2);
  });

  test.each([
    ['in a text of megabytes', 40_000, 100],
    ['seventeen', 17, 4],
    ['thousands of millions', 2 ** 32, 1],
  ])('security: a question whose URLs are one and the same, many times, is not read: %s', async (_, count, length) => {
    const pointers = word(count * 32).repeat(Math.min(count, 1_000));
    const urls = `${word(count)}${pointers}${word(length)}${'61'.repeat(length)}`;
    const end = 160 + urls.length / 2;
    const places = [word(160), word(end), CALLBACK.slice(2).padEnd(64, '0'), word(end + 32)];
    const data =
      `0x556f1830${CONTRACT.slice(2).padStart(64, '0')}${places.join('')}${urls}${word(0)}${word(0)}` as const;
    const { answer, asked } = calling(() => ({ isRevert: true, data }));
    await expect(answer).rejects.toThrow('too many servers');
    expect(asked).toEqual([]);
  });

  test('security: a batch that is long, or has a question with many URLs, is not asked', async () => {
    const question = { urls: SERVER, data: '0x01' } as const;
    for (const data of [batch(Array(9).fill(question)), batch([{ ...question, urls: Array(17).fill(SERVER[0]) }])]) {
      const { answer, asked } = calling(() => lookup([BATCH_URL], data));
      await expect(answer).rejects.toThrow('too many servers');
      expect(asked).toEqual([]);
    }
  });

  test.each(['0x556f1830', `0x556f1830${word(1)}`, `0x556f1830${'ff'.repeat(160)}`] as const)(
    'error: one that asks in no form is not followed: %s',
    async (data) => {
      const { answer, asked } = calling(() => ({ isRevert: true, data }));
      await expect(answer).rejects.toThrow();
      expect(asked).toEqual([]);
    },
  );

  test('security: megabytes are not read', async () => {
    const { answer } = calling(() => lookup(SERVER, `0x${'00'.repeat(65_536)}`));
    await expect(answer).rejects.toThrow('too much');
  });
});
