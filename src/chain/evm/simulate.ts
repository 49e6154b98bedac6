import { type Hex, numberToHex } from 'viem';
import { type TransferCall, TransferRefused } from '../../domain/chain.ts';
import { AdapterError } from '../../domain/errors.ts';
import type { BlockTag, RpcSession, Simulated } from '../rpc/endpoint.ts';
import { RpcFault } from '../rpc/fault.ts';
import { balanceAt, hasCode } from './balance.ts';
import { decodeTransferred, transactionOf } from './erc20.ts';
import { revertReason } from './revert.ts';

const INSUFFICIENT_FUNDS = /insufficient (funds|balance)|out ?of ?funds?\b/i;
/** How nodes report the sender's lack of funds before any contract runs, with various codes. */
const NODE_LACKS_FUNDS = /insufficient funds for (gas|transfer|intrinsic)/i;

interface Trial {
  readonly transfer: TransferCall;
  readonly chainKey: string;
}

/** A simulation's refusal of a transfer, before it is known whether the node is up to date. */
class Refusal extends Error {
  override readonly name = 'Refusal';
  /** Whether the contract gave no answer. */
  readonly isBare: boolean;

  constructor(message: string, isBare: boolean) {
    super(message);
    this.isBare = isBare;
  }
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
  if (works === null) throw new Refusal('the token answers the transfer with neither yes nor no', false);
  if (!works) throw new Refusal('the token answers that the transfer fails', false);
}

function lacksFunds({ transfer, chainKey }: Trial, cause?: unknown): AdapterError {
  const message = `chain ${chainKey}: wallet ${transfer.from} does not hold what it has to send`;
  return new AdapterError({ retry: 'safe', reason: 'rejected', message, cause });
}

function isBare({ data }: RpcFault): boolean {
  return data === undefined || data === null || data === '' || data === '0x';
}

/** Interprets an error of a simulation. */
function verdict(error: unknown, trial: Trial): unknown {
  if (!(error instanceof RpcFault)) return error;
  if (isBare(error) && NODE_LACKS_FUNDS.test(error.text)) return lacksFunds(trial, error.cause);
  if (error.reverted) return new Refusal(`the transfer would revert: ${revertReason(error)}`, isBare(error));
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
    return (gas * 5n + 3n) / 4n;
  } catch (error) {
    throw verdict(error, trial);
  }
}

/** The sender's balance; null when the token cannot report it. */
async function heldBy(rpc: RpcSession, { transfer, chainKey }: Trial, blockNumber: bigint): Promise<bigint | null> {
  try {
    return await balanceAt(rpc, { chainKey, token: transfer.token, owner: transfer.from, blockNumber });
  } catch (error) {
    if (error instanceof AdapterError && error.reason === 'bad_response' && error.retry === 'never') return null;
    throw error;
  }
}

/**
 * Repeats a refused simulation in a named block: the nodes behind one endpoint differ, and a lagging one may not have
 * the wallet's funding yet.
 */
async function tryInNamedBlock(rpc: RpcSession, trial: Trial): Promise<bigint> {
  const blockNumber = await rpc.quantity({ method: 'eth_blockNumber' });
  const block: Hex = numberToHex(blockNumber);
  try {
    return await simulateIn(rpc, trial, block);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    const held = await heldBy(rpc, trial, blockNumber);
    // The ledger says that it holds enough, so the node is more likely wrong than the transfer.
    const isShort = held !== null && held < trial.transfer.amount;
    throw new TransferRefused(error.message, { blockNumber, isBare: error.isBare || isShort });
  }
}

/**
 * Simulates a transfer in the newest block with a gas price of zero, so that the sender needs no native balance.
 * @returns the endpoint's gas estimate plus a quarter, because the state may change before inclusion
 * @throws TransferRefused when it would revert, or its token does not confirm it, in two simulations; the error names
 * the block of the second
 */
export async function simulate(rpc: RpcSession, trial: Trial): Promise<bigint> {
  try {
    return await simulateIn(rpc, trial, 'latest');
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return await tryInNamedBlock(rpc, trial);
  }
}
