import { createServer } from 'node:http';
import { encodeAbiParameters, type Hex } from 'viem';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createNameResolver } from '../../../src/chain/registry.ts';
import { chainByKey } from '../../../src/domain/chains/chain.ts';
import { AdapterError } from '../../../src/domain/errors.ts';
import type { EnsName } from '../../../src/domain/names/ens-name.ts';
import type { AskGateway, GatewayQuestion } from '../../../src/domain/names/names.ts';
import { createGateways } from '../../../src/endpoints/gateways.ts';
import { listen } from '../../support/listen.ts';
import { BASE_COIN, startNames, type TestNames } from '../../support/names.ts';
import { seedAddress } from '../../support/store.ts';

const HOME = seedAddress(0x1234);
const OTHER = seedAddress(0x5678);

let node: TestNames;
let asked: GatewayQuestion[];
let names = 0;

beforeAll(async () => {
  node = await startNames();
});
afterAll(() => node.stop());
beforeEach(() => {
  asked = [];
});

/** A name of its own for each test. */
const fresh = (): EnsName => `name${++names}.eth`;

function resolver(askGateway: AskGateway = () => Promise.reject(new Error('nobody is asked')), rpcUrls = [node.url]) {
  const [ethereum, first, ...others] = [chainByKey('ethereum'), ...rpcUrls];
  if (ethereum === undefined || first === undefined) throw new Error('there is no chain');
  return createNameResolver({
    endpoints: [{ chain: ethereum, rpcUrls: [first, ...others] }],
    clock: Date.now,
    retries: 0,
    askGateway,
  });
}

/** A server of names that answers with the address as the resolver of the name would. */
const answering =
  (result: Hex): AskGateway =>
  async (question) => {
    asked.push(question);
    return result;
  };

const asAddress = (address: Hex) => encodeAbiParameters([{ type: 'address' }], [address]);
const asBytes = (value: Hex) => encodeAbiParameters([{ type: 'bytes' }], [value]);

describe('a name', () => {
  test('behavior: leads to the address that is kept for it, in lower case', async () => {
    const name = fresh();
    await node.set(name, '0xABCDEF0123456789ABCDEF0123456789ABCDEF01');
    expect(await resolver().resolve(name)).toEqual({ address: '0xabcdef0123456789abcdef0123456789abcdef01' });
    expect(await resolver().resolve('👻.eth')).toBe('unset');
  });

  test('behavior: a Basename leads to its address of Base, or else to the one that it has of Ethereum', async () => {
    await node.keep('both.base.eth', OTHER);
    await node.set('both.base.eth', HOME, BASE_COIN);
    await node.set('old.base.eth', OTHER);
    expect(await resolver().resolve('both.base.eth')).toEqual({ address: HOME });
    expect(await resolver().resolve('old.base.eth')).toEqual({ address: OTHER });
    await node.set('alice.eth', OTHER, BASE_COIN);
    expect(await resolver().resolve('alice.eth')).toBe('unset');
  });

  test('security: leads where it did in a settled block, not in a newer one', async () => {
    const name = fresh();
    await node.set(name, HOME);
    await node.keep(name, OTHER);
    expect(await resolver().resolve(name)).toEqual({ address: HOME });
    await node.test.mine({ blocks: 4 });
    expect(await resolver().resolve(name)).toEqual({ address: HOME });
    await node.test.mine({ blocks: 1 });
    expect(await resolver().resolve(name)).toEqual({ address: OTHER });
  });

  test('security: a block that a reorganization takes back never counted', async () => {
    const name = fresh();
    await node.set(name, HOME);
    const before = await node.test.snapshot();
    await node.keep(name, OTHER);
    await node.test.mine({ blocks: 3 });
    expect(await resolver().resolve(name)).toEqual({ address: HOME });
    await node.test.revert({ id: before });
    await node.test.mine({ blocks: 12 });
    expect(await resolver().resolve(name)).toEqual({ address: HOME });
  });

  test.each([
    ['reverts', 'reverts'],
    ['burns all gas', 'burns'],
    ['answers something else', 'garbage'],
    ['answers with megabytes', 'long'],
  ] as const)('security: of a resolver that %s leads nowhere', async (_, way) => {
    const name = fresh();
    await node.set(name, HOME);
    await node.answer(name, way);
    const outcome = await resolver()
      .resolve(name)
      .catch((error: unknown) => error);
    // A node may refuse to pass on an answer of megabytes.
    if (way === 'long') expect(outcome === 'unset' || outcome instanceof AdapterError).toBe(true);
    else expect(outcome).toBe('unset');
  });

  test.each([
    ['zero', `0x${'0'.repeat(40)}`],
    ['nothing', '0x'],
  ] as const)('security: that is kept as %s leads nowhere', async (_, value) => {
    const name = fresh();
    await node.set(name, value);
    await node.set(`${name.slice(0, -4)}.base.eth`, value, BASE_COIN);
    expect(await resolver().resolve(name)).toBe('unset');
    expect(await resolver().resolve(`${name.slice(0, -4)}.base.eth`)).toBe('unset');
  });

  test('security: bytes of Base that are no address lead nowhere', async () => {
    for (const [index, value] of (['0x12', `0x${'11'.repeat(19)}`, `0x${'11'.repeat(32)}`] as const).entries()) {
      await node.set(`odd${index}.base.eth`, value, BASE_COIN);
      expect(await resolver().resolve(`odd${index}.base.eth`)).toBe('unset');
    }
  });

  test('error: a node that does not answer, or serves another chain, is a failure and no answer', async () => {
    await expect(resolver(undefined, ['http://127.0.0.1:1']).resolve('alice.eth')).rejects.toThrow(AdapterError);
  });

  test('behavior: of several endpoints another one is asked when the first does not answer', async () => {
    const name = fresh();
    await node.set(name, HOME);
    const several = resolver(undefined, ['http://127.0.0.1:1', node.url]);
    expect(await several.resolve(name)).toEqual({ address: HOME });
  });
});

describe('a name that a server keeps', () => {
  test.each(['offchain', 'batched'] as const)('behavior: leads to what the server says (%s)', async (way) => {
    const name = fresh();
    await node.answer(name, way, ['https://names.example/{data}']);
    expect(await resolver(answering(asAddress(HOME))).resolve(name)).toEqual({ address: HOME });
    expect(asked.map(({ urls }) => urls)).toEqual([['https://names.example/{data}']]);
  });

  test('behavior: a Basename is asked for by the coin type of Base', async () => {
    await node.answer('kept.base.eth', 'offchain', ['https://names.example/']);
    expect(await resolver(answering(asBytes(HOME))).resolve('kept.base.eth')).toEqual({ address: HOME });
    expect(asked[0]?.data.slice(-8)).toBe('80002105');
  });

  test.each(['offchain', 'batched'] as const)(
    'security: a server at a private address is not asked (%s)',
    async (way) => {
      let requests = 0;
      const server = await listen(
        createServer((_, response) => {
          requests += 1;
          response.end(JSON.stringify({ data: asAddress(HOME) }));
        }),
      );
      const name = fresh();
      await node.answer(name, way, [`${server.url}/{data}`, `https://127.0.0.1:${server.port}/{data}`]);
      expect(await resolver(createGateways({ allowPrivate: false })).resolve(name)).toBe('unanswered');
      expect(requests).toBe(0);
      expect(await resolver(createGateways({ allowPrivate: true })).resolve(name)).toEqual({ address: HOME });
      expect(requests).toBe(1);
      await server.close();
    },
  );

  test('security: a contract that asks servers again and again is given up', async () => {
    const name = fresh();
    await node.answer(name, 'endless', ['https://names.example/']);
    expect(await resolver(answering('0x')).resolve(name)).toBe('unanswered');
    expect(asked).toHaveLength(8);
  });

  test('security: a contract that asks for nothing again and again is given up', async () => {
    const name = fresh();
    await node.answer(name, 'empty', ['x-batch-gateway:true']);
    expect(await resolver(answering('0x')).resolve(name)).toBe('unanswered');
    expect(asked).toEqual([]);
  });

  test('security: the servers of a Basename have one limit for both of its coin types', async () => {
    await node.answer('slow.base.eth', 'offchain', ['https://names.example/']);
    const signals = new Set<AbortSignal>();
    const gateway: AskGateway = async (_, stop) => {
      signals.add(stop);
      return '0x';
    };
    expect(await resolver(gateway).resolve('slow.base.eth')).toBe('unset');
    expect(signals.size).toBe(1);
  });

  test('security: a question in the name of another contract is not asked', async () => {
    const name = fresh();
    await node.answer(name, 'foreign', ['https://names.example/']);
    expect(await resolver(answering(asAddress(HOME))).resolve(name)).toBe('unset');
    expect(asked).toEqual([]);
  });

  test.each(['0x', '0x12', asAddress(`0x${'0'.repeat(40)}`)] as const)(
    'security: an answer that is no address leads nowhere: %s',
    async (result) => {
      const name = fresh();
      await node.answer(name, 'offchain', ['https://names.example/']);
      expect(await resolver(answering(result)).resolve(name)).toBe('unset');
    },
  );
});
