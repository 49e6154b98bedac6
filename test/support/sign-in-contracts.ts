import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  createTestClient,
  createWalletClient,
  encodeAbiParameters,
  encodeDeployData,
  encodeFunctionData,
  type Hex,
  http,
} from 'viem';
import { optimism } from 'viem/chains';
import { type CompiledContract, compile } from '../../scripts/solc.ts';
import type { Address } from '../../src/domain/gigs/token.ts';
import { anvilClients, freshAccount, mined } from './anvil.ts';

const NAME = 'sign-in.sol';
/** Where the library looks for Farcaster's registries on chain 10. */
const ID_REGISTRY = '0x00000000Fc6c5F01Fc30151999387Bb99A9f489b';
const KEY_REGISTRY = '0x00000000fc1237824fb747abde0ff18990e59b7e';

let compiled: Map<string, CompiledContract> | null = null;

/** Compiled once for each process of tests. */
function contractNamed(name: string): CompiledContract {
  compiled ??= compile({ [NAME]: readFileSync(join(import.meta.dirname, 'contracts', NAME), 'utf8') });
  const contract = compiled.get(name);
  if (contract === undefined) throw new Error(`there is no contract ${name} in ${NAME}`);
  return contract;
}

/** A wallet on the local chain that takes the signatures of `owner`. */
export async function deployWallet(owner: Address): Promise<Address> {
  const { abi, creation } = contractNamed('ContractWallet');
  const data = encodeDeployData({ abi, bytecode: creation, args: [owner] });
  const hash = await anvilClients().wallet.sendTransaction({ account: await freshAccount(), data });
  const { contractAddress } = await mined(hash);
  if (!contractAddress) throw new Error('the deployment created no contract');
  return `0x${contractAddress.slice(2).toLowerCase()}`;
}

/** Farcaster's registries on a node with chain id 10. */
export interface Registries {
  /** Gives an id to a custody address. */
  register(custody: Address, fid: number): Promise<void>;
  /** Makes an address an auth address of an id. */
  authorize(address: Address, fid: number): Promise<void>;
}

/** Puts stand-ins for the registries where Farcaster has its own. */
export async function placeRegistries(url: string): Promise<Registries> {
  const transport = http(url);
  const test = createTestClient({ chain: optimism, mode: 'anvil', transport });
  const wallet = createWalletClient({ chain: optimism, transport });
  // The node signs for its own accounts, and puts each transaction into a block.
  const [account] = await wallet.getAddresses();
  if (account === undefined) throw new Error('the node has no accounts');
  const ids = contractNamed('IdRegistry');
  const keys = contractNamed('KeyRegistry');
  await test.setCode({ address: ID_REGISTRY, bytecode: ids.runtime });
  await test.setCode({ address: KEY_REGISTRY, bytecode: keys.runtime });
  const send = async (to: Hex, data: Hex) => {
    await wallet.sendTransaction({ account, to, data });
  };
  return {
    register: (custody, fid) =>
      send(ID_REGISTRY, encodeFunctionData({ abi: ids.abi, functionName: 'set', args: [custody, BigInt(fid)] })),
    authorize: (address, fid) => {
      const key = encodeAbiParameters([{ type: 'address' }], [address]);
      return send(
        KEY_REGISTRY,
        encodeFunctionData({ abi: keys.abi, functionName: 'set', args: [BigInt(fid), key, 1, 2] }),
      );
    },
  };
}
