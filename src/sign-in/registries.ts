import type { CreateClientArgs } from '@farcaster/auth-client';
import { createPublicClient, encodeAbiParameters, fallback, http, parseAbi } from 'viem';
import { createBoundedFetch } from '../outbound.ts';

/** Far more than the registries, or a contract that checks a signature, have to say. */
const MAX_ANSWER_BYTES = 1024 * 1024;

/** On chain 10: https://docs.farcaster.xyz/reference/contracts/deployments */
const ID_REGISTRY = '0x00000000fc6c5f01fc30151999387bb99a9f489b';
const KEY_REGISTRY = '0x00000000fc1237824fb747abde0ff18990e59b7e';
const ABI = parseAbi([
  'function keyDataOf(uint256 fid, bytes key) view returns ((uint8 state, uint32 keyType))',
  'function idOf(address owner) view returns (uint256)',
]);
/** States and types of keys: https://docs.farcaster.xyz/reference/contracts/reference/key-registry */
const IN_USE = 1;
const AUTH_ADDRESS = 2;

/** Farcaster's registries, as its library asks them; unlike the library's own, no answer takes longer or is larger than it may. */
export function openRegistries(
  rpcUrls: readonly string[],
  { timeoutMs }: { readonly timeoutMs: number },
): CreateClientArgs['ethereum'] {
  const fetchFn = createBoundedFetch({ timeoutMs, maxBytes: MAX_ANSWER_BYTES });
  const transport = fallback(rpcUrls.map((url) => http(url, { fetchFn, timeout: timeoutMs, retryCount: 1 })));
  const publicClient = createPublicClient({ transport });
  return {
    publicClient,
    getFid: (custody) =>
      publicClient.readContract({ address: ID_REGISTRY, abi: ABI, functionName: 'idOf', args: [custody] }),
    async isValidAuthAddress(address, fid) {
      const key = encodeAbiParameters([{ type: 'address' }], [address]);
      const query = { address: KEY_REGISTRY, abi: ABI, functionName: 'keyDataOf', args: [fid, key] } as const;
      const { state, keyType } = await publicClient.readContract(query);
      return state === IN_USE && keyType === AUTH_ADDRESS;
    },
  };
}
