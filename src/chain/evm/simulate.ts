import { numberToHex } from 'viem';
import { type TransferCall, TransferRefused } from '../../domain/chain.ts';
import { AdapterError } from '../../domain/errors.ts';
import type { BlockTag, RpcSession, Simulated } from '../rpc/endpoint.ts';
import { RpcFault } from '../rpc/fault.ts';
import { findBalance, hasCode } from './balance.ts';
import { decodeTransferred, transactionOf } from './erc20.ts';
import { isBare, SimulationRefusal, simulateTwice, withMargin } from './refusal.ts';
import { revertReason } from './revert.ts';

const INSUFFICIENT_FUNDS = /insufficient (funds|balance)|out ?of ?funds?\b/i;
/** How nodes report the sender's lack of funds before any contract runs, with various codes. */
const NODE_LACKS_FUNDS = /insufficient funds for (gas|transfer|intrinsic)/i;

interface Trial {
  readonly transfer: TransferCall;
  readonly chainKey: string;
}

async function tokenAnswer(
  rpc: RpcSession,
  { call, chainKey }: { call: Simulated; chainKey: string },
  block: BlockTag,
) {
  const data = await rpc.data({ method: 'eth_call', params: [call, block] });
  // An address without code returns nothing, and so do some contracts.
  if (data === '0x' && !(await hasCode(rpc, { token: call.to, block }))) {
    // It had code when it was registered, so this endpoint is behind.
    const message = `chain ${chainKey}: there is no contract at token address ${call.to}`;
    throw new AdapterError({ retry: 'safe', reason: 'bad_response', message });
  }
  const works = decodeTransferred(data);
  if (works === null) throw new SimulationRefusal('the token answers the transfer with neither yes nor no', false);
  if (!works) throw new SimulationRefusal('the token answers that the transfer fails', false);
}

function lacksFunds({ transfer, chainKey }: Trial, cause?: unknown): AdapterError {
  const message = `chain ${chainKey}: wallet ${transfer.from} does not hold what it has to send`;
  return new AdapterError({ retry: 'safe', reason: 'rejected', message, cause });
}

/** Interprets an error of a simulation. */
function verdict(error: unknown, trial: Trial): unknown {
  if (!(error instanceof RpcFault)) return error;
  if (isBare(error) && NODE_LACKS_FUNDS.test(error.text)) return lacksFunds(trial, error.cause);
  if (error.reverted) return new SimulationRefusal(`the transfer would revert: ${revertReason(error)}`, isBare(error));
  return INSUFFICIENT_FUNDS.test(error.text) ? lacksFunds(trial, error.cause) : error;
}

async function simulateIn(rpc: RpcSession, trial: Trial, block: BlockTag): Promise<bigint> {
  const { transfer, chainKey } = trial;
  const { value, ...target } = transactionOf(transfer);
  const call: Simulated = { from: transfer.from, ...target, value: numberToHex(value) };
  try {
    if (transfer.token.isNative) await rpc.data({ method: 'eth_call', params: [call, block] });
    else await tokenAnswer(rpc, { call, chainKey }, block);
    // Some nodes estimate on top of their pool, which may contain the same transfer already.
    const gas = await rpc.quantity({ method: 'eth_estimateGas', params: [call, block] });
    return withMargin(gas);
  } catch (error) {
    throw verdict(error, trial);
  }
}

/**
 * Simulates a transfer in the newest block with a gas price of zero, so that the sender needs no native balance.
 * @returns the endpoint's gas estimate plus a quarter, because the state may change before inclusion
 * @throws TransferRefused when it would revert, or its token does not confirm it, in two simulations; the error names
 * the block of the second
 */
export async function simulate(rpc: RpcSession, trial: Trial): Promise<bigint> {
  return await simulateTwice(rpc, {
    once: (block) => simulateIn(rpc, trial, block),
    refused: async ({ message, isBare }, blockNumber) => {
      const { token, from: owner } = trial.transfer;
      const held = await findBalance(rpc, { chainKey: trial.chainKey, token, owner, blockNumber });
      // The ledger says that it holds enough, so the node is more likely wrong than the transfer.
      const isShort = held !== null && held < trial.transfer.amount;
      return new TransferRefused(message, { blockNumber, isBare: isBare || isShort });
    },
  });
}
