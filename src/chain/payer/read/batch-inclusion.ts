import type { BatchInclusion } from '../../../domain/payments/payer-chain.ts';
import { findReceipt, type ReceiptSearch } from '../../evm/inclusion.ts';
import { gasSpent } from '../../evm/receipt.ts';
import type { RpcSession } from '../../rpc/endpoint.ts';
import { PAYER_CONTRACTS } from '../contract/contracts.ts';
import { decodePayFailed } from '../contract/events.ts';
import { decodeRevert, describeRefusal } from '../contract/reverts.ts';
import { toPaidEvent } from './paid-events.ts';

/**
 * The inclusion of one of these transactions; null when none is in the chain. Any contract in it may log the events: a
 * payment counts by its wallet alone, and a failure only if PayBatch logs it.
 */
export async function findBatch(rpc: RpcSession, search: ReceiptSearch): Promise<BatchInclusion | null> {
  const receipt = await findReceipt(rpc, search);
  if (receipt === null) return null;
  const { transactionHash: hash, blockNumber, gasUsed } = receipt;
  const succeeded = receipt.status === '0x1';
  const logs = succeeded ? receipt.logs : [];
  const failures = logs.map(decodePayFailed).filter((event) => event !== null);
  return {
    hash,
    blockNumber,
    succeeded,
    cost: gasSpent(receipt),
    gasUsed,
    paid: logs.map((log) => toPaidEvent(log, { hash, blockNumber })).filter((event) => event !== null),
    failed: failures
      .filter(({ batch }) => batch === PAYER_CONTRACTS.payBatch.address)
      .map(({ wallet, answer }) => ({ wallet, reason: describeRefusal(decodeRevert(answer)) })),
  };
}
