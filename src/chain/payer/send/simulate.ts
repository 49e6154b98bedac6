import { type Hex, numberToHex, size } from 'viem';
import type { LocalAccount } from 'viem/accounts';
import type { Chain } from '../../../domain/chains/chain.ts';
import { AdapterError } from '../../../domain/errors.ts';
import { type Address, NATIVE_TOKEN_ADDRESS } from '../../../domain/gigs/token.ts';
import { PaymentRefused, type WalletCall } from '../../../domain/payments/payer-chain.ts';
import { REASON } from '../../../domain/payments/reasons.ts';
import { findBalance } from '../../evm/balance.ts';
import { NEEDS_MORE_GAS } from '../../evm/node-words.ts';
import { isBare, SimulationRefusal, simulateTwice, withMargin } from '../../evm/refusal.ts';
import { revertBytes, revertReason } from '../../evm/revert.ts';
import type { BlockTag, CodeOverrides, RpcSession, Simulated } from '../../rpc/endpoint.ts';
import { EndpointUnfit, RpcFault } from '../../rpc/fault.ts';
import { decodeFailedCount, encodePaid, encodePayMany } from '../contract/calls.ts';
import { DELEGATION_CODE, PAYER_CONTRACTS } from '../contract/contracts.ts';
import { decodeRevert, describeRefusal } from '../contract/reverts.ts';
import { readDelegation, simulatedAuthorizations } from './delegation.ts';
import { signedCall } from './wallet-call.ts';

const TOO_MUCH_GAS = `${REASON.tooMuchGas} than the payments of a transaction may have`;
/** More than a batch takes besides the wallet's own gas, for itself and for each byte. */
const BATCH_OVERHEAD = 200_000n;
const BYTE_OVERHEAD = 60n;

interface Trial {
  readonly chain: Chain;
  readonly account: LocalAccount;
  readonly tank: Address;
  readonly call: WalletCall;
}

interface Prepared {
  readonly direct: Simulated;
  /** The direct call as a transaction with the authorization that it needs. */
  readonly first: Simulated;
  readonly data: Hex;
  readonly overrides: CodeOverrides | null;
}

function verdict(error: unknown): unknown {
  if (!(error instanceof RpcFault)) return error;
  const bytes = revertBytes(error.data);
  if (bytes !== null && size(bytes) > 0 && error.reverted) {
    const refusal = decodeRevert(bytes);
    return new SimulationRefusal(describeRefusal(refusal), false, { isPaid: refusal.kind === 'already_paid' });
  }
  if (error.isOfNode && NEEDS_MORE_GAS.test(error.text)) return new SimulationRefusal(TOO_MUCH_GAS, false);
  if (!error.reverted) return error;
  return new SimulationRefusal(`${REASON.wouldRevert}: ${revertReason(error)}`, isBare(error));
}

async function simulated(rpc: RpcSession, call: Simulated, at: { block: BlockTag; overrides: CodeOverrides | null }) {
  const { block, overrides } = at;
  const params: [Simulated, BlockTag] | [Simulated, BlockTag, CodeOverrides] =
    overrides === null ? [call, block] : [call, block, overrides];
  return await rpc.data({ method: 'eth_call', params });
}

/**
 * Whether the wallet pays with this gas. PayBatch counts a wallet that does not delegate as failed, so that a node which
 * ignores overrides, or a call which does nothing, is not taken for a payment.
 */
async function paysWith(rpc: RpcSession, trial: Trial, { data, overrides, gas, block }: Prepared & Attempt) {
  const { wallet } = trial.call;
  const { address: to } = PAYER_CONTRACTS.payBatch;
  const batch = encodePayMany([{ wallet, gasLimit: gas, data }]);
  const limit = numberToHex(gas + gas / 32n + BATCH_OVERHEAD + BigInt(size(batch)) * BYTE_OVERHEAD);
  try {
    const answer = await simulated(rpc, { from: trial.tank, to, data: batch, gas: limit }, { block, overrides });
    return decodeFailedCount(answer) === 0n;
  } catch (cause) {
    if (cause instanceof AdapterError && !(cause instanceof RpcFault && cause.reverted)) throw cause;
    // A batch takes no failure of a wallet for its own, so the contract is not there, or has too little gas.
    const message = `chain ${trial.chain.key}: the endpoint cannot simulate a batch with ${BigInt(limit)} gas at ${to}`;
    throw new AdapterError({ retry: 'safe', reason: 'bad_response', message, cause });
  }
}

interface Attempt {
  readonly gas: bigint;
  readonly block: BlockTag;
}

async function prepare(rpc: RpcSession, trial: Trial, block: BlockTag): Promise<Prepared> {
  const { chain, account, tank, call } = trial;
  const { wallet } = call;
  const data = await signedCall(account, chain.id, call);
  const { state, authorization } = await readDelegation(rpc, { chainId: chain.id, account, wallet, block });
  if (state === 'foreign') throw new SimulationRefusal('the wallet delegates to other code', false);
  const direct = { from: tank, to: wallet, data, gas: numberToHex(chain.batchGas) };
  if (authorization === null) return { data, direct, first: direct, overrides: null };
  const first = { ...direct, ...simulatedAuthorizations([authorization]) };
  return { data, direct, first, overrides: { [wallet]: { code: DELEGATION_CODE } } };
}

/**
 * Tells a node that knows no delegations in simulations from a payment that fails, without running what a stranger wrote:
 * marks can be read only from a wallet that delegates, and an authorization costs gas.
 * @throws AdapterError when the node ignores code overrides or authorizations
 */
async function assertKnowsDelegation(
  rpc: RpcSession,
  { chain }: Trial,
  { prepared, block }: { prepared: Prepared; block: BlockTag },
): Promise<void> {
  const { direct, first, overrides } = prepared;
  if (overrides === null) return;
  const data = encodePaid(0n);
  const [marks, plain, authorized] = await Promise.all([
    simulated(rpc, { ...direct, data }, { block, overrides }),
    rpc.quantity({ method: 'eth_estimateGas', params: [{ ...direct, data }, block] }),
    rpc.quantity({ method: 'eth_estimateGas', params: [{ ...first, data }, block] }),
  ]);
  if (marks !== '0x' && authorized > plain) return;
  const message = `chain ${chain.key}: the endpoint ignores EIP-7702 in simulations; no wallet can make its first payment`;
  throw new EndpointUnfit({ retry: 'never', reason: 'bad_response', message });
}

async function simulateIn(rpc: RpcSession, trial: Trial, block: BlockTag): Promise<bigint> {
  const prepared = await prepare(rpc, trial, block);
  const { direct, first, overrides } = prepared;
  try {
    const gas = withMargin(await rpc.quantity({ method: 'eth_estimateGas', params: [first, block] }));
    if (gas > trial.chain.batchGas) throw new SimulationRefusal(TOO_MUCH_GAS, false);
    if (await paysWith(rpc, trial, { ...prepared, gas, block })) return gas;
    // The batch tells how many failed and not why.
    await simulated(rpc, direct, { block, overrides });
  } catch (error) {
    throw verdict(error);
  }
  await assertKnowsDelegation(rpc, trial, { prepared, block });
  // A token can see how much gas it has, and behave well with plenty of it only.
  throw new SimulationRefusal(`${REASON.failsWithEstimate} that its estimate says`, true);
}

/** False when a token does not tell the balance. */
async function isShort(rpc: RpcSession, { chain, call }: Trial, blockNumber: bigint): Promise<boolean> {
  const owed = new Map<Address, bigint>();
  for (const { token, amount } of call.payments) owed.set(token, (owed.get(token) ?? 0n) + amount);
  const isLess = await Promise.all(
    [...owed].map(async ([address, amount]) => {
      const token = { address, isNative: address === NATIVE_TOKEN_ADDRESS };
      const held = await findBalance(rpc, { chainKey: chain.key, token, owner: call.wallet, blockNumber });
      return held !== null && held < amount;
    }),
  );
  return isLess.includes(true);
}

/**
 * Simulates a wallet's call in the newest block, delegated or not.
 * @returns the estimate of its transaction's gas with a margin: enough within a batch as well
 * @throws PaymentRefused when it would revert or do nothing, in two simulations; the error names the block of the second
 */
export async function simulatePay(rpc: RpcSession, trial: Trial): Promise<bigint> {
  return await simulateTwice(rpc, {
    once: (block) => simulateIn(rpc, trial, block),
    refused: async (refusal, blockNumber) =>
      new PaymentRefused(refusal.message, {
        blockNumber,
        isPaid: refusal.isPaid,
        // The ledger says that it holds enough, so the node is more likely wrong than the payment.
        isBare: refusal.isBare || (await isShort(rpc, trial, blockNumber)),
      }),
  });
}
