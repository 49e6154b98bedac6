import { type Hex, keccak256 } from 'viem';
import type { Chain, Fees } from '../../../domain/chains/chain.ts';
import { AdapterError } from '../../../domain/errors.ts';
import type { Address } from '../../../domain/gigs/token.ts';
import type { SignedBatch, WalletCall } from '../../../domain/payments/payer-chain.ts';
import { withMargin } from '../../evm/refusal.ts';
import { inParallel } from '../../in-parallel.ts';
import type { RpcSession } from '../../rpc/endpoint.ts';
import type { Wallets } from '../../wallets.ts';
import { encodePayMany } from '../contract/calls.ts';
import { PAYER_CONTRACTS } from '../contract/contracts.ts';
import type { Delegation } from '../contract/signature.ts';
import { readDelegation, simulatedAuthorizations } from './delegation.ts';
import { signedCall } from './wallet-call.ts';

/** So many wallets are prepared at a time, and their code is asked for in one request. */
const AT_ONCE = 64;
/** Gas that PayBatch keeps and uses for each wallet besides its own: 12,000 to call it, and less for its PayFailed. */
const GAS_FOR_EACH = 22_000n;

interface Signing {
  readonly chain: Chain;
  readonly wallets: Wallets;
  readonly calls: readonly (WalletCall & { readonly gas: bigint })[];
  readonly nonce: number;
  readonly fees: Fees;
}

interface Part {
  readonly wallet: Address;
  readonly gasLimit: bigint;
  readonly data: Hex;
  readonly authorization: Delegation | null;
}

async function partOf(rpc: RpcSession, { chain, wallets }: Signing, call: Signing['calls'][number]): Promise<Part> {
  const { wallet, gigId } = call;
  const account = wallets.gigAccount(gigId);
  const data = await signedCall(account, chain.id, call);
  const query = { chainId: chain.id, account, wallet, block: 'latest' } as const;
  const { state, authorization } = await readDelegation(rpc, query);
  if (state === 'foreign') {
    const message = `chain ${chain.key}: wallet ${wallet} of gig ${gigId} delegates to other code`;
    throw new AdapterError({ retry: 'never', reason: 'rejected', message });
  }
  return { wallet, gasLimit: call.gas, data, authorization };
}

/**
 * The gas limit of a batch: every wallet can use all of its own, and EIP-150 keeps 1/64 of what is left at each call.
 * What the transaction itself costs is asked for and not computed, because forks and rollups change it.
 */
async function batchGas(
  rpc: RpcSession,
  { parts, data, tank }: { parts: readonly Part[]; data: Hex; tank: Address },
): Promise<bigint> {
  const authorizations = parts.flatMap(({ authorization }) => (authorization === null ? [] : [authorization]));
  const idle = { from: tank, to: tank, data, ...simulatedAuthorizations(authorizations) };
  const own = withMargin(await rpc.quantity({ method: 'eth_estimateGas', params: [idle, 'latest'] }));
  return parts.reduce((sum, { gasLimit }) => sum + gasLimit + gasLimit / 63n + GAS_FOR_EACH, own);
}

function assertDistinct(calls: Signing['calls']): void {
  if (calls.length === 0) throw new RangeError('a transaction makes at least one call');
  if (new Set(calls.map(({ wallet }) => wallet)).size === calls.length) return;
  throw new RangeError('a wallet has several calls in one transaction');
}

/**
 * Signs one transaction of the gas tank that makes these calls. Its authorizations are spent as soon as it is
 * in the chain, even if it fails.
 * @throws RangeError when there are no calls, or several of one wallet
 * @throws AdapterError (`never`, `rejected`) when a wallet delegates to other code
 */
export async function signBatch(rpc: RpcSession, signing: Signing): Promise<SignedBatch & { gas: bigint }> {
  const { chain, wallets, calls, nonce, fees } = signing;
  assertDistinct(calls);
  const account = wallets.gasTankAccount();
  const tank: Address = `0x${account.address.slice(2).toLowerCase()}`;
  const parts = await inParallel(calls, AT_ONCE, (call) => partOf(rpc, signing, call));
  const alone = parts.length === 1 ? parts[0] : undefined;
  const data = alone?.data ?? encodePayMany(parts);
  const to = alone?.wallet ?? PAYER_CONTRACTS.payBatch.address;
  const gas = alone?.gasLimit ?? (await batchGas(rpc, { parts, data, tank }));
  const { maxFeePerGas, maxPriorityFeePerGas } = fees;
  const shared = { chainId: chain.id, nonce, to, data, gas, maxFeePerGas, maxPriorityFeePerGas };
  const authorizationList = parts.flatMap(({ authorization }) => (authorization === null ? [] : [authorization]));
  const raw = await account.signTransaction(
    authorizationList.length === 0 ? { ...shared, type: 'eip1559' } : { ...shared, type: 'eip7702', authorizationList },
  );
  return { hash: keccak256(raw), raw, gas };
}
