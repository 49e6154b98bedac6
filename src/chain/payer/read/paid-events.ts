import type { EventSearch, PaidEvent } from '../../../domain/payments/payer-chain.ts';
import { bitsToNumbers } from '../../../domain/payments/payment-numbers.ts';
import { type EventQuery, listEvents } from '../../evm/events.ts';
import type { Endpoint } from '../../rpc/endpoint.ts';
import { decodeTipsPaid, type EventLog, TIPS_PAID_TOPIC } from '../contract/events.ts';

const WALLETS_AT_ONCE = 100;

/** Called while events are listed: how many of the blocks were looked through. */
export type OnBlocks = (done: number, total: number) => void;

interface Query extends EventSearch {
  readonly chainKey: string;
  readonly onBlocks?: OnBlocks | undefined;
}

/** A payment by its event; null when the log is another event or is not encoded like one. */
export function toPaidEvent(
  log: EventLog,
  at: { readonly hash: PaidEvent['hash']; readonly blockNumber: bigint },
): PaidEvent | null {
  const event = decodeTipsPaid(log);
  if (event === null) return null;
  const { wallet, token, to, amount, word, bits } = event;
  const { hash, blockNumber } = at;
  return { wallet, token, to, amount, numbers: bitsToNumbers({ word, bits }), hash, blockNumber };
}

async function findEvents(endpoint: Endpoint, query: Query, onDone: (blocks: bigint) => void): Promise<PaidEvent[]> {
  const { chainKey, wallets, from, to: until, mostRequests } = query;
  const topics: EventQuery['topics'] = [TIPS_PAID_TOPIC];
  const found: PaidEvent[] = [];
  for (let start = 0; start < wallets.length; start += WALLETS_AT_ONCE) {
    const address = wallets.slice(start, start + WALLETS_AT_ONCE);
    const before = BigInt(start / WALLETS_AT_ONCE) * (until - from + 1n);
    const onBlocks = (done: bigint) => onDone(before + done);
    const logs = await listEvents(endpoint, { chainKey, address, topics, from, until, mostRequests, onBlocks });
    for (const log of logs) {
      const event = toPaidEvent(log, { hash: log.transactionHash, blockNumber: log.blockNumber });
      if (event !== null) found.push(event);
    }
  }
  // Stable, so that events of one block keep their order.
  return found.toSorted((a, b) => Number(a.blockNumber - b.blockNumber));
}

/** The payments of these wallets in a range of blocks, oldest first. */
export async function findPaidEvents(endpoint: Endpoint, query: Query): Promise<PaidEvent[]> {
  const { wallets, from, to, onBlocks } = query;
  const total = Number(to - from + 1n) * Math.ceil(wallets.length / WALLETS_AT_ONCE);
  onBlocks?.(0, total);
  try {
    return await findEvents(endpoint, query, (done) => onBlocks?.(Number(done), total));
  } finally {
    onBlocks?.(total, total);
  }
}
