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
  /** Whether it came without any answer of the contract. */
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
  // Where there is no code there is no answer, and a contract without one looks the same.
  if (data === '0x' && !(await hasCode(rpc, { token: call.to, block }))) {
    // It had code when it was registered, so it is this endpoint that does not see it.
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

/** What an error of a simulation means for the transfer. */
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
    // Some nodes estimate on top of what waits in their pool, where the same transfer may wait already.
    const gas = await rpc.quantity({ method: 'eth_estimateGas', params: [call, block] });
    return (gas * 5n + 3n) / 4n;
  } catch (error) {
    throw verdict(error, trial);
  }
}

/** What the sender holds; null when it is the token that cannot say so. */
async function heldBy(rpc: RpcSession, { transfer, chainKey }: Trial, blockNumber: bigint): Promise<bigint | null> {
  try {
    return await balanceAt(rpc, { chainKey, token: transfer.token, owner: transfer.from, blockNumber });
  } catch (error) {
    if (error instanceof AdapterError && error.reason === 'bad_response' && error.retry === 'never') return null;
    throw error;
  }
}

/**
 * Tries a transfer again that a simulation refused, in a block that is named: the nodes behind one endpoint differ, and one
 * that lags does not know yet what the wallet was sent.
 */
async function tryInNamedBlock(rpc: RpcSession, trial: Trial): Promise<bigint> {
  const blockNumber = await rpc.quantity({ method: 'eth_blockNumber' });
  const block: Hex = numberToHex(blockNumber);
  try {
    return await simulateIn(rpc, trial, block);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    const held = await heldBy(rpc, trial, blockNumber);
    // By the ledger it holds enough, so that says more about the node than about the transfer.
    const isShort = held !== null && held < trial.transfer.amount;
    throw new TransferRefused(error.message, { blockNumber, isBare: error.isBare || isShort });
  }
}

/**
 * Simulates a transfer in the newest block, at no price for its gas, so that the sender needs to hold none.
 * @returns the gas that the endpoint estimates and a quarter more, because the state may change until it lands
 * @throws TransferRefused when it would revert, or its token does not answer that it works, at two looks, the second in
 * the block that the error names
 */
export async function simulate(rpc: RpcSession, trial: Trial): Promise<bigint> {
  try {
    return await simulateIn(rpc, trial, 'latest');
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return await tryInNamedBlock(rpc, trial);
  }
}
