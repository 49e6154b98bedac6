import type { CreateClientArgs } from '@farcaster/auth-client';
import { createPublicClient, encodeAbiParameters, fallback, type Hex, http, parseAbi, toFunctionSelector } from 'viem';
import { AdapterError } from '../domain/errors.ts';
import { createBoundedFetch } from '../outbound.ts';
import { limitTime } from '../time-limit.ts';

/** Far more than the registries, or a contract that checks a signature, have to say. */
const MAX_ANSWER_BYTES = 1024 * 1024;

/** On chain 10: https://docs.farcaster.xyz/reference/contracts/deployments */
const ID_REGISTRY = '0x00000000fc6c5f01fc30151999387bb99a9f489b';
const KEY_REGISTRY = '0x00000000fc1237824fb747abde0ff18990e59b7e';
const ABI = parseAbi(['function idOf(address owner) view returns (uint256)']);
/** Returns a state and a type, a word each. Every tap that claims asks it, and the client's own way costs as much as all else of a tap. */
const KEY_DATA_OF = toFunctionSelector('keyDataOf(uint256,bytes)');
const KEY_DATA = /^0x([0-9a-f]{64})([0-9a-f]{64})$/i;
/** States and types of keys: https://docs.farcaster.xyz/reference/contracts/reference/key-registry */
const IN_USE = 1n;
const APP_KEY = 1n;
const AUTH_ADDRESS = 2n;

const word = (value: bigint) => value.toString(16).padStart(64, '0');

/** That the registries do not answer. */
export function registryFailure(cause?: unknown): AdapterError {
  // The cause may hold the endpoint's URL, so it is left out.
  const reason = cause === undefined ? 'timeout' : 'unreachable';
  return new AdapterError({ retry: 'safe', reason, message: 'chain optimism: Farcaster’s registries do not answer' });
}

/** Rejects when the work is not done in time. Each of its questions ends by itself. */
export async function inTime<T>(work: Promise<T>, ms: number): Promise<T> {
  using limit = limitTime(ms);
  const { promise, reject } = Promise.withResolvers<never>();
  limit.signal.addEventListener('abort', () => reject(registryFailure()));
  return await Promise.race([work, promise]);
}

/** Farcaster's registries. */
type Registries = CreateClientArgs['ethereum'] & {
  /** Whether a key of Ed25519 signs for an account now. */
  isAppKey(fid: number, key: Hex): Promise<boolean>;
};

/** Farcaster's registries, as its library asks them; unlike the library's own, no answer takes longer or is larger than it may. */
export function openRegistries(rpcUrls: readonly string[], { timeoutMs }: { readonly timeoutMs: number }): Registries {
  const fetchFn = createBoundedFetch({ timeoutMs, maxBytes: MAX_ANSWER_BYTES });
  // What fails is asked of the next endpoint first, and again only after the last one.
  const transport = fallback(rpcUrls.map((url) => http(url, { fetchFn, timeout: timeoutMs, retryCount: 0 })));
  // No endpoint has this server ask others (EIP-3668).
  const publicClient = createPublicClient({ transport, ccipRead: false });
  /** @param key 32 bytes */
  async function isKey(fid: bigint, key: Hex, type: bigint): Promise<boolean> {
    // The account, where the bytes begin, how many they are, and they.
    const data: Hex = `${KEY_DATA_OF}${word(fid)}${word(64n)}${word(32n)}${key.slice(2)}`;
    const answer = await publicClient.request({ method: 'eth_call', params: [{ to: KEY_REGISTRY, data }, 'latest'] });
    const [, state, keyType] = KEY_DATA.exec(answer) ?? [];
    if (state === undefined || keyType === undefined) throw new Error('the key registry gave no state and type');
    return BigInt(`0x${state}`) === IN_USE && BigInt(`0x${keyType}`) === type;
  }

  return {
    publicClient,
    getFid: (custody) =>
      publicClient.readContract({ address: ID_REGISTRY, abi: ABI, functionName: 'idOf', args: [custody] }),
    isValidAuthAddress: (address, fid) =>
      isKey(fid, encodeAbiParameters([{ type: 'address' }], [address]), AUTH_ADDRESS),
    isAppKey: (fid, key) => isKey(BigInt(fid), key, APP_KEY),
  };
}
