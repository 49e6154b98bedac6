import { numberToHex } from 'viem';
import { type TransferCall, TransferRefused } from '../domain/chain.ts';
import { AdapterError } from '../domain/errors.ts';
import { hasCode } from './balance.ts';
import type { Session, Simulated } from './endpoint.ts';
import { decodeTransferred, transactionOf } from './erc20.ts';
import { RpcFault } from './fault.ts';
import { revertReason } from './revert.ts';

const INSUFFICIENT_FUNDS = /insufficient (funds|balance)|out ?of ?funds?\b/i;

interface Trial {
  readonly transfer: TransferCall;
  readonly chainKey: string;
}

async function tokenAnswer(rpc: Session, { call, chainKey }: { call: Simulated; chainKey: string }): Promise<void> {
  const data = await rpc.data({ method: 'eth_call', params: [call, 'latest'] });
  // Where there is no code there is no answer, and a contract without one looks the same.
  if (data === '0x' && !(await hasCode(rpc, { token: call.to, block: 'latest' }))) {
    // It had code when it was registered, so it is this endpoint that does not see it.
    const message = `chain ${chainKey}: there is no contract at token address ${call.to}`;
    throw new AdapterError({ retry: 'safe', reason: 'bad_response', message });
  }
  const works = decodeTransferred(data);
  if (works === null) throw new TransferRefused('the token answers the transfer with neither yes nor no');
  if (!works) throw new TransferRefused('the token answers that the transfer fails');
}

/** What a simulation threw, as what it says of the transfer. */
function verdict(error: unknown, { transfer, chainKey }: Trial): unknown {
  if (!(error instanceof RpcFault)) return error;
  if (error.reverted) return new TransferRefused(`the transfer would revert: ${revertReason(error)}`);
  if (!INSUFFICIENT_FUNDS.test(error.text)) return error;
  const message = `chain ${chainKey}: wallet ${transfer.from} does not hold what it has to send`;
  return new AdapterError({ retry: 'safe', reason: 'rejected', message, cause: error.cause });
}

/**
 * Simulates a transfer in the newest block, at no price for its gas, so that the sender needs to hold none.
 * @returns the gas that the endpoint estimates and a quarter more, because the state may change until it lands
 * @throws TransferRefused when it would revert, or its token does not answer that it works
 */
export async function simulate(rpc: Session, trial: Trial): Promise<bigint> {
  const { transfer, chainKey } = trial;
  const { value, ...target } = transactionOf(transfer);
  const call: Simulated = { from: transfer.from, ...target, value: numberToHex(value) };
  try {
    if (transfer.token.isNative) await rpc.data({ method: 'eth_call', params: [call, 'latest'] });
    else await tokenAnswer(rpc, { call, chainKey });
    // Some nodes estimate on top of what waits in their pool, where the same transfer may wait already.
    const gas = await rpc.quantity({ method: 'eth_estimateGas', params: [call, 'latest'] });
    return (gas * 5n + 3n) / 4n;
  } catch (error) {
    throw verdict(error, trial);
  }
}
