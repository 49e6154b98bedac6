import { type Hex, numberToHex, padHex } from 'viem';
import type { TokensSent } from '../../domain/chain.ts';
import { AdapterError } from '../../domain/errors.ts';
import type { Address } from '../../domain/token.ts';
import type { Endpoint, LogFilter } from '../rpc/endpoint.ts';
import { RpcFault } from '../rpc/fault.ts';
import { type ListedEvent, lossOf, TRANSFER_TOPIC, toEvents } from './receipt.ts';

/** The first number of blocks in one request; most endpoints allow no more. */
const WIDEST = 10_000n;
/** With fewer blocks in a request, the history of a gig takes too many requests. */
const NARROWEST = 50n;
/** How endpoints say that one request covers too many blocks or events; no standard defines it. */
const TOO_WIDE = /\brange\b|\bblocks\b|\bresults\b|\blogs\b|too (large|wide|big)|exceed|more than/i;
const TOO_OFTEN = /\brate\b|requests|per second|capacity/i;

interface Query {
  readonly chainKey: string;
  readonly tokens: readonly Address[];
  readonly owners: readonly Address[];
  /** Blocks, `until` among them and `after` not. */
  readonly after: bigint;
  readonly until: bigint;
}

function isTooWide(error: unknown): boolean {
  if (error instanceof RpcFault) {
    return error.reason === 'rejected' || (TOO_WIDE.test(error.text) && !TOO_OFTEN.test(error.text));
  }
  return (
    error instanceof AdapterError && error.retry === 'never' && ['rejected', 'bad_response'].includes(error.reason)
  );
}

/** An answer as the events that were asked for, undefined when others are among them. */
function accept(answer: unknown, filter: LogFilter): ListedEvent[] | undefined {
  const fits = ({ address, topics: [topic, from = '0x'], blockNumber }: ListedEvent) =>
    filter.address.includes(address) &&
    topic === TRANSFER_TOPIC &&
    filter.topics[1].includes(from) &&
    blockNumber >= BigInt(filter.fromBlock) &&
    blockNumber <= BigInt(filter.toBlock);
  const events = toEvents(answer);
  return events?.every(fits) ? events : undefined;
}

/** The `Transfer` events of these tokens whose sender is one of these wallets, asked for range by range. */
async function listTransfers(endpoint: Endpoint, query: Query): Promise<ListedEvent[]> {
  const found: ListedEvent[] = [];
  const topics: [Hex, Hex[]] = [TRANSFER_TOPIC, query.owners.map((owner) => padHex(owner))];
  let span = WIDEST;
  for (let from = query.after + 1n; from <= query.until; ) {
    const last = from + span - 1n < query.until ? from + span - 1n : query.until;
    const filter = { address: [...query.tokens], topics, fromBlock: numberToHex(from), toBlock: numberToHex(last) };
    try {
      // Each range has a deadline of its own, because the number of ranges is unbounded.
      const read = { method: 'eth_getLogs', params: [filter] } as const satisfies {
        params: [LogFilter];
        method: string;
      };
      found.push(...(await endpoint.run((rpc) => rpc.record(read, (answer) => accept(answer, filter)))));
      from = last + 1n;
    } catch (error) {
      const narrower = (last - from + 1n) / 2n;
      if (!isTooWide(error) || narrower < NARROWEST) throw error;
      span = narrower;
    }
  }
  return found;
}

/**
 * Token amounts that left wallets, from `Transfer` events with an indexed sender, as the standard requires; summed for
 * each transaction, token and wallet, oldest first.
 */
export async function findTokensSent(endpoint: Endpoint, query: Query): Promise<TokensSent[]> {
  const sums = new Map<string, TokensSent>();
  for (const event of await listTransfers(endpoint, query)) {
    const { address: token, transactionHash: hash, blockNumber } = event;
    let loss: { from: Hex; amount: bigint };
    try {
      loss = lossOf(event);
    } catch (cause) {
      const message = `chain ${query.chainKey}: what transaction ${hash} moved cannot be decoded`;
      throw new AdapterError({ retry: 'never', reason: 'bad_response', message, cause });
    }
    if (loss.amount === 0n) continue;
    const key = `${hash} ${token} ${loss.from}`;
    const before = sums.get(key)?.amount ?? 0n;
    sums.set(key, { token, owner: loss.from, hash, blockNumber, amount: before + loss.amount });
  }
  return [...sums.values()];
}
