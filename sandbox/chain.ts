import {
  createPublicClient,
  createTestClient,
  createWalletClient,
  defineChain,
  type Hex,
  http,
  publicActions,
} from 'viem';
import { mnemonicToAccount } from 'viem/accounts';
import { deployPayer } from '../src/chain/payer/deploy/deploy.ts';
import type { Address } from '../src/domain/gigs/token.ts';
import { deployData, transferData } from './erc20.ts';
import { minedReceipt } from './receipt.ts';

const DEPLOYER_INDEX = 9;

/** A token on the sandbox's chain. */
export interface LocalToken {
  /** Lower case. */
  readonly address: Address;
  readonly name: string;
  readonly symbol: string;
  readonly decimals: number;
}

/** The local EVM node as the sandbox uses it: it deploys tokens and hands them out. */
export interface LocalChain {
  deploy(token: Omit<LocalToken, 'address'>): Promise<LocalToken>;
  /** Deploys the payer contracts that are not there yet. */
  deployPayer(): Promise<void>;
  /** The blocks from now on, the first of which is made at once, have a time that is so much later. */
  moveOn(ms: number): Promise<void>;
  /** Sends base units of a token, or wei when `token` is null, and waits for the block. */
  send(transfer: { token: LocalToken | null; to: Address; amount: bigint }): Promise<void>;
}

/** Drives the node at `url` with one of the accounts that `mnemonic` gives and the node has funded. */
export function createLocalChain(options: { url: string; mnemonic: string }): LocalChain {
  const chain = defineChain({
    id: 31337,
    name: 'Anvil',
    nativeCurrency: { name: 'Ether', symbol: 'ETH', decimals: 18 },
    rpcUrls: { default: { http: [options.url] } },
  });
  // The last of the ten funded accounts: the first one is the service's gas tank, others belong to people.
  const account = mnemonicToAccount(options.mnemonic, { addressIndex: DEPLOYER_INDEX });
  const transport = http(options.url);
  const client = createWalletClient({ account, chain, transport }).extend(publicActions);
  const reader = createPublicClient({ chain, transport });

  async function mine(transaction: { to?: Address; data?: Hex; value?: bigint }): Promise<Address | null> {
    const hash = await client.sendTransaction(transaction);
    const receipt = await minedReceipt(reader, hash);
    if (receipt.status !== 'success') throw new Error(`transaction ${hash} was reverted`);
    const created = receipt.contractAddress;
    return created ? `0x${created.slice(2).toLowerCase()}` : null;
  }

  const node = createTestClient({ mode: 'anvil', chain, transport });

  return {
    deploy: async (token) => {
      const supply = 10n ** BigInt(token.decimals + 12);
      const address = await mine({ data: deployData({ ...token, supply, holder: account.address }) });
      if (address === null) throw new Error(`the deployment of ${token.symbol} created no contract`);
      return { ...token, address };
    },
    deployPayer: async () => {
      await deployPayer({
        code: async (address) => (await reader.getCode({ address })) ?? '0x',
        send: async (transaction) => {
          await mine(transaction);
        },
      });
    },
    moveOn: async (ms) => {
      await node.increaseTime({ seconds: Math.floor(ms / 1_000) });
      await node.mine({ blocks: 1 });
    },
    send: async ({ token, to, amount }) => {
      await mine(token === null ? { to, value: amount } : { to: token.address, data: transferData({ to, amount }) });
    },
  };
}
