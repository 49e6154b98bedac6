import {
  createPublicClient,
  createTestClient,
  createWalletClient,
  defineChain,
  erc20Abi,
  type Hash,
  type Hex,
  http,
  nonceManager,
  parseEther,
  type TransactionReceipt,
} from 'viem';
import { generatePrivateKey, type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts';
import { inject } from 'vitest';
import { deployData, transferData } from '../../sandbox/erc20.ts';
import { minedReceipt } from '../../sandbox/receipt.ts';
import type { Address } from '../../src/domain/gigs/token.ts';

export { startAnvil } from '../../sandbox/anvil.ts';

/** A deployed ERC-20 and the account that holds its whole supply. */
export interface TestToken {
  /** Lower case. */
  readonly address: Address;
  readonly decimals: number;
  readonly name: string;
  readonly symbol: string;
  readonly holder: PrivateKeyAccount;
}

/** Null for a script, which has a node of its own. */
function sharedUrl(): string | null {
  return process.env['VITEST'] === undefined ? null : inject('anvilUrl');
}

/**
 * Clients of the shared node, or of the one at `url`. On the shared node, what is set by hand gets a block of its own: in
 * blocks that other tests mined before, it is missing.
 */
export function anvilClients(url: string = inject('anvilUrl')) {
  const chain = defineChain({
    id: 31337,
    name: 'Anvil',
    nativeCurrency: { name: 'Ether', symbol: 'ETH', decimals: 18 },
    rpcUrls: { default: { http: [url] } },
  });
  // On a busy machine two hundred blocks take longer than the ten seconds that are usual.
  const transport = http(url, { timeout: 120_000 });
  const fast = { chain, transport, cacheTime: 0 } as const;
  const test = createTestClient({ ...fast, mode: 'anvil' });
  const settle = async () => {
    if (url === sharedUrl()) await test.mine({ blocks: 1 });
  };
  return {
    test: {
      ...test,
      setBalance: (change: Parameters<typeof test.setBalance>[0]) => test.setBalance(change).then(settle),
      setCode: (change: Parameters<typeof test.setCode>[0]) => test.setCode(change).then(settle),
    },
    public: createPublicClient(fast),
    /** Signs with the account that each call names. */
    wallet: createWalletClient(fast),
  };
}

function lowerCase(address: string): Address {
  return `0x${address.slice(2).toLowerCase()}`;
}

/** An address that nobody has used. */
export function freshAddress(): Address {
  return lowerCase(privateKeyToAccount(generatePrivateKey()).address);
}

/**
 * An account with a thousand ether and nonces of its own. Test files share one node at the same time, so none may send
 * from an account that another one knows.
 */
export async function freshAccount(url?: string): Promise<PrivateKeyAccount> {
  const account = privateKeyToAccount(generatePrivateKey(), { nonceManager });
  await anvilClients(url).test.setBalance({ address: account.address, value: parseEther('1000') });
  return account;
}

/** Waits until the node's chain holds a transaction: a node answers a broadcast before it mines. */
export function mined(hash: Hash, url?: string): Promise<TransactionReceipt> {
  return minedReceipt(anvilClients(url).public, hash);
}

async function send(
  transaction: { account: PrivateKeyAccount; to?: Address; data?: Hex; value?: bigint },
  url?: string,
): Promise<{ blockNumber: bigint; contractAddress: Address | null }> {
  const clients = anvilClients(url);
  const hash = await clients.wallet.sendTransaction(transaction);
  const receipt = await mined(hash, url);
  if (receipt.status !== 'success') throw new Error(`transaction ${hash} was reverted`);
  const created = receipt.contractAddress ?? null;
  return { blockNumber: receipt.blockNumber, contractAddress: created && lowerCase(created) };
}

/** Deploys a real ERC-20 whose supply (base units, 2^255 by default) belongs to a fresh holder. */
export async function deployToken(
  terms: { decimals: number; supply?: bigint; name?: string; symbol?: string },
  url?: string,
): Promise<TestToken> {
  const { decimals, supply = 2n ** 255n, name = 'Test Token', symbol = 'TEST' } = terms;
  const holder = await freshAccount(url);
  const data = deployData({ decimals, supply, name, symbol, holder: holder.address });
  const { contractAddress } = await send({ account: holder, data }, url);
  if (contractAddress === null) throw new Error('the deployment created no contract');
  return { address: contractAddress, decimals, name, symbol, holder };
}

/** Transfers base units of a token to `to`; answers the block in which they arrived. */
export async function fundToken(token: TestToken, to: Address, amount: bigint, url?: string): Promise<bigint> {
  const data = transferData({ to, amount });
  return (await send({ account: token.holder, to: token.address, data }, url)).blockNumber;
}

/** What an owner has of a token, in base units. */
export async function tokenBalance({ address }: Pick<TestToken, 'address'>, owner: string, url?: string) {
  const args = [lowerCase(owner)] as const;
  return await anvilClients(url).public.readContract({ address, abi: erc20Abi, functionName: 'balanceOf', args });
}

/** Transfers wei to `to`; answers the block in which they arrived. At most 999 ether at once. */
export async function fundNative(to: Address, amount: bigint, url?: string): Promise<bigint> {
  const account = await freshAccount(url);
  return (await send({ account, to, value: amount }, url)).blockNumber;
}

/** Puts runtime code at a fresh address, in a block of its own: it is missing in those that other tests mined before. */
export async function placeCode(bytecode: Hex, url?: string): Promise<Address> {
  const { test } = anvilClients(url);
  const address = freshAddress();
  await test.setCode({ address, bytecode });
  if (url !== undefined) await test.mine({ blocks: 1 });
  return address;
}
