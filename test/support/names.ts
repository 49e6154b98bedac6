import {
  createPublicClient,
  createTestClient,
  createWalletClient,
  defineChain,
  encodeFunctionData,
  type Hex,
  http,
  namehash,
  parseAbi,
} from 'viem';
import { UNIVERSAL_RESOLVER } from '../../src/chain/names/resolver.ts';
import type { Address } from '../../src/domain/gigs/token.ts';
import { startAnvil } from './anvil.ts';
import { contractIn } from './compiled.ts';

const ABI = parseAbi([
  'function setAddress(bytes32 node, uint256 coin, bytes value)',
  'function setWay(bytes32 node, uint8 way, string[] urls)',
]);

/** How a name is answered, in the contract's order. */
const WAYS = [
  'kept',
  'offchain',
  'batched',
  'endless',
  'reverts',
  'burns',
  'garbage',
  'long',
  'foreign',
  'empty',
] as const;

export const ETHER_COIN = 60n;
export const BASE_COIN = 0x80002105n;

/** An account that every node of tests unlocks. */
const SENDER = '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266';
/** As many blocks as Ethereum's confirmations. */
const CONFIRMATIONS = 6;

/** A node of chain 1 of its own, whose universal resolver is the contract `Names`. */
export async function startNames() {
  const node = await startAnvil({ chainId: 1 });
  const chain = defineChain({
    id: 1,
    name: 'Names',
    nativeCurrency: { name: 'Ether', symbol: 'ETH', decimals: 18 },
    rpcUrls: { default: { http: [node.url] } },
  });
  const fast = { chain, transport: http(node.url, { timeout: 120_000 }), cacheTime: 0, pollingInterval: 10 } as const;
  const wallet = createWalletClient({ ...fast, account: SENDER });
  const test = createTestClient({ ...fast, mode: 'anvil' });
  const reads = createPublicClient(fast);

  async function send(transaction: { to?: Address; data: Hex }) {
    const receipt = await reads.waitForTransactionReceipt({ hash: await wallet.sendTransaction(transaction) });
    if (receipt.status !== 'success') throw new Error('the contract of names refused a change');
    return receipt;
  }

  const settle = () => test.mine({ blocks: CONFIRMATIONS - 1 });
  const { creation } = await contractIn('names.sol', 'Names');
  const { contractAddress } = await send({ data: creation });
  if (!contractAddress) throw new Error('the deployment created no contract');
  const bytecode = await reads.getCode({ address: contractAddress });
  if (bytecode === undefined) throw new Error('the contract of names has no code');
  await test.setCode({ address: UNIVERSAL_RESOLVER, bytecode });
  await test.mine({ blocks: CONFIRMATIONS });

  /** Has a name lead to these bytes, in the newest block. */
  async function keep(name: string, value: Hex, coin = ETHER_COIN): Promise<void> {
    const data = encodeFunctionData({ abi: ABI, functionName: 'setAddress', args: [namehash(name), coin, value] });
    await send({ to: UNIVERSAL_RESOLVER, data });
  }

  return {
    url: node.url,
    stop: node.stop,
    test,
    keep,
    /** Has that block, and all before it, count. */
    settle,
    /** Has a name lead to these bytes, settled. */
    async set(name: string, value: Hex, coin = ETHER_COIN): Promise<void> {
      await keep(name, value, coin);
      await settle();
    },
    /** How a name is answered from now on, settled; `urls` are those of its server. */
    async answer(name: string, way: (typeof WAYS)[number], urls: readonly string[] = []): Promise<void> {
      const args = [namehash(name), WAYS.indexOf(way), [...urls]] as const;
      await send({ to: UNIVERSAL_RESOLVER, data: encodeFunctionData({ abi: ABI, functionName: 'setWay', args }) });
      await settle();
    },
  };
}

export type TestNames = Awaited<ReturnType<typeof startNames>>;
