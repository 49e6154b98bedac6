import {
  createPublicClient,
  createTestClient,
  createWalletClient,
  encodeAbiParameters,
  encodeFunctionData,
  type Hex,
  http,
} from 'viem';
import type { Address } from '../../src/domain/gigs/token.ts';
import { minedReceipt } from '../receipt.ts';
import { ID_REGISTRY_STAND_IN, KEY_REGISTRY_STAND_IN } from './registries-artifact.ts';

/** Where Farcaster has its registries on chain 10. */
const ID_REGISTRY = '0x00000000Fc6c5F01Fc30151999387Bb99A9f489b';
const KEY_REGISTRY = '0x00000000fc1237824fb747abde0ff18990e59b7e';
/** What the registry of keys says of an auth address in use. */
const IN_USE = 1;
const REMOVED = 2;
const APP_KEY = 1;
const AUTH_ADDRESS = 2;

/** Farcaster's registries on a node with chain id 10. */
export interface Registries {
  /** Gives an id to a custody address. */
  register(custody: Address, fid: number): Promise<void>;
  /** Makes an address an auth address of an id. */
  authorize(address: Address, fid: number): Promise<void>;
  /** Lets an app sign for an id with a key. */
  addKey(key: Hex, fid: number): Promise<void>;
  removeKey(key: Hex, fid: number): Promise<void>;
}

/** Puts stand-ins for the registries where Farcaster has its own. */
export async function placeRegistries(url: string): Promise<Registries> {
  const transport = http(url);
  const node = createTestClient({ mode: 'anvil', transport });
  const reader = createPublicClient({ transport });
  const wallet = createWalletClient({ transport });
  const [sender] = await wallet.getAddresses();
  if (sender === undefined) throw new Error('the node has no accounts');
  await node.setCode({ address: ID_REGISTRY, bytecode: ID_REGISTRY_STAND_IN.runtime });
  await node.setCode({ address: KEY_REGISTRY, bytecode: KEY_REGISTRY_STAND_IN.runtime });

  // The node signs for its own accounts.
  const send = async (to: Hex, data: Hex) => {
    const hash = await wallet.sendTransaction({ account: sender, to, data, chain: null });
    await minedReceipt(reader, hash);
  };
  const setKey = (fid: number, key: Hex, { state, type }: { state: number; type: number }) => {
    const { abi } = KEY_REGISTRY_STAND_IN;
    const args = [BigInt(fid), key, state, type] as const;
    return send(KEY_REGISTRY, encodeFunctionData({ abi, functionName: 'set', args }));
  };
  return {
    register: (custody, fid) => {
      const { abi } = ID_REGISTRY_STAND_IN;
      return send(ID_REGISTRY, encodeFunctionData({ abi, functionName: 'set', args: [custody, BigInt(fid)] }));
    },
    authorize: (address, fid) =>
      setKey(fid, encodeAbiParameters([{ type: 'address' }], [address]), { state: IN_USE, type: AUTH_ADDRESS }),
    addKey: (key, fid) => setKey(fid, key, { state: IN_USE, type: APP_KEY }),
    removeKey: (key, fid) => setKey(fid, key, { state: REMOVED, type: APP_KEY }),
  };
}
