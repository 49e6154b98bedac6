import { type Hex, numberToHex } from 'viem';
import { AdapterError } from '../../domain/errors.ts';
import type { Address } from '../../domain/gigs/token.ts';
import type { Endpoint, LogFilter } from '../rpc/endpoint.ts';
import { EndpointUnfit, isBeyondHead, RpcFault } from '../rpc/fault.ts';
import { TOO_LONG, TOO_WIDE } from './node-words.ts';
import { type ListedEvent, toEvents } from './receipt.ts';

/** The first number of blocks in one request; most endpoints allow no more. */
const WIDEST = 10_000n;
/** Fewer are tried only where the endpoint names them: the history of a gig takes many requests then. */
const NARROWEST = 50n;
/** With more requests than that, the answer would be long in coming. */
const MOST_REQUESTS = 5_000n;
const TOO_OFTEN = /\brate\b|requests|per second|capacity/i;

/** Some endpoints name a range that they would list. */
const NAMED_RANGE = /\[\s*(0x[0-9a-f]{1,16})\s*,\s*(0x[0-9a-f]{1,16})\s*\]/i;
/** Others name how many blocks they list at once. */
const NAMED_BLOCKS =
  /(?:up to|limit|max|at most|within|exceed|smaller than)[^\d\n]{0,60}?(\d[\d,_]*)(?!\s*(?:k\b|logs|results|events))/gi;

/** How many blocks an endpoint says that it lists at once; null when it does not name fewer than were asked for. */
export function namedSpan(text: string, asked: bigint): bigint | null {
  const [, from, to] = NAMED_RANGE.exec(text) ?? [];
  const ofRange = from === undefined || to === undefined ? [] : [BigInt(to) - BigInt(from) + 1n];
  const counts = [...text.matchAll(NAMED_BLOCKS)].map(([, digits = '0']) => BigInt(digits.replaceAll(/[,_]/g, '')));
  return [...ofRange, ...counts].find((blocks) => blocks > 0n && blocks < asked) ?? null;
}

/** Events of these contracts in the blocks from `from` to `until`, both included. */
export interface EventQuery {
  readonly chainKey: string;
  readonly address: readonly Address[];
  /** The event, and what its first parameter may be. */
  readonly topics: [Hex, ...Hex[][]];
  readonly from: bigint;
  readonly until: bigint;
  /** How many requests it may take; thousands when absent. */
  readonly mostRequests?: bigint | undefined;
  /** Called after each request, with the number of blocks that were looked through. */
  readonly onBlocks?: ((done: bigint) => void) | undefined;
}

function isTooWide(error: unknown): boolean {
  if (error instanceof RpcFault) {
    const { reason, text, isOfNode } = error;
    if (isBeyondHead(text)) return false;
    if (reason === 'rejected') return true;
    return (TOO_WIDE.test(text) || (isOfNode && TOO_LONG.test(text))) && !TOO_OFTEN.test(text);
  }
  return (
    error instanceof AdapterError && error.retry === 'never' && ['rejected', 'bad_response'].includes(error.reason)
  );
}

/** Undefined when the endpoint answered with events that were not asked for. */
function accept(answer: unknown, filter: LogFilter): ListedEvent[] | undefined {
  const [event, first] = filter.topics;
  const fits = ({ address, topics: [topic, parameter = '0x'], blockNumber }: ListedEvent) =>
    filter.address.includes(address) &&
    topic === event &&
    (first === undefined || first.includes(parameter)) &&
    blockNumber >= BigInt(filter.fromBlock) &&
    blockNumber <= BigInt(filter.toBlock);
  const events = toEvents(answer);
  return events?.every(fits) ? events : undefined;
}

function tooManyBlocks({ chainKey, from, until }: EventQuery, span: bigint): AdapterError {
  const message = `chain ${chainKey}: the endpoint lists events of ${span} blocks at a time, too few to look through ${until - from + 1n}`;
  const fault = { retry: 'never', reason: 'rejected', message } as const;
  // Another endpoint would take as many requests where this one lists as much as any.
  return span < WIDEST ? new EndpointUnfit(fault) : new AdapterError(fault);
}

/**
 * Events as they are in the chain, oldest first, asked for range by range.
 * @throws AdapterError (`never`, `rejected`) when that would take too many requests
 */
export async function listEvents(endpoint: Endpoint, query: EventQuery): Promise<ListedEvent[]> {
  return (await listBySpan(endpoint, query)).found;
}

/** How many blocks an endpoint lists at once, at most {@link WIDEST}, found by events of a contract up to this block. */
export async function findEventSpan(
  endpoint: Endpoint,
  { until, ...query }: Omit<EventQuery, 'from'>,
): Promise<bigint> {
  const from = until < WIDEST ? 0n : until - WIDEST + 1n;
  // The span is known after the first range; the others are not asked for.
  return (await listBySpan(endpoint, { ...query, from, until }, { isFirst: true })).span;
}

/** `span` is how many blocks the endpoint lists at once. With `isFirst`, nothing is asked after the first range. */
async function listBySpan(
  endpoint: Endpoint,
  query: EventQuery,
  { isFirst = false } = {},
): Promise<{ found: ListedEvent[]; span: bigint }> {
  const found: ListedEvent[] = [];
  const { topics, mostRequests = MOST_REQUESTS } = query;
  let span = WIDEST;
  for (let { from } = query; from <= query.until; ) {
    if (!isFirst && (query.until - from) / span >= mostRequests) throw tooManyBlocks(query, span);
    const last = from + span - 1n < query.until ? from + span - 1n : query.until;
    const filter = { address: [...query.address], topics, fromBlock: numberToHex(from), toBlock: numberToHex(last) };
    try {
      // Each range has a deadline of its own, because the number of ranges is unbounded.
      const read = { method: 'eth_getLogs', params: [filter] } as const satisfies {
        params: [LogFilter];
        method: string;
      };
      found.push(...(await endpoint.run((rpc) => rpc.record(read, (answer) => accept(answer, filter)))));
      if (isFirst) break;
      from = last + 1n;
      query.onBlocks?.(from - query.from);
    } catch (error) {
      if (!isTooWide(error)) throw error;
      const asked = last - from + 1n;
      const named = error instanceof RpcFault ? namedSpan(error.text, asked) : null;
      if (named === null && asked / 2n < NARROWEST) throw error;
      span = named ?? asked / 2n;
    }
  }
  return { found, span };
}
