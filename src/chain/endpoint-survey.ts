import { numberToHex } from 'viem';
import type { BlockId, BlockRef } from '../domain/chains/block.ts';
import type { Chain } from '../domain/chains/chain.ts';
import type { EndpointAnswer } from '../domain/chains/endpoint-status.ts';
import { whyUnreachable } from '../domain/chains/endpoint-trouble.ts';
import { AdapterError } from '../domain/errors.ts';
import { deepBlock } from './evm/nonces.ts';
import { findBlock, requireBlock } from './payer/read/blocks.ts';
import { createEndpoint, type Endpoint, type EndpointOptions } from './rpc/endpoint.ts';
import { OtherChain } from './rpc/fault.ts';

/** The chain id of a local node, which begins without blocks. */
export const LOCAL_ID = 31337;

/** An endpoint that takes longer to answer is passed over. */
const SURVEY_MS = 3_000;

export interface SurveyOptions extends Omit<EndpointOptions, 'rpcUrl'> {
  /** Several, in the order in which they are asked. They may hold keys; no message contains them. */
  readonly rpcUrls: readonly string[];
  /** The settled block on which the ledger counts; null when it has none, or nobody knows. */
  readonly anchor?: (() => Promise<BlockId | null>) | undefined;
}

interface Head {
  readonly place: number;
  readonly newest: BlockRef;
}

/** An endpoint's block of this number; null when it does not tell. */
type BlockAt = (head: Head, number: bigint) => Promise<BlockRef | null>;

/** `recheck` asks for the chain id before the newest block. */
async function askHead(endpoint: Endpoint, chain: Chain): Promise<EndpointAnswer> {
  try {
    const newest = await endpoint.run((rpc) => requireBlock(rpc, 'latest', chain.key), { recheck: true });
    if (newest.number > 0n || chain.id === LOCAL_ID) return { kind: 'well', newest };
    return { kind: 'failed', why: 'it has no blocks: its newest one is 0' };
  } catch (error) {
    if (!(error instanceof AdapterError)) throw error;
    return { kind: error instanceof OtherChain ? 'other_chain' : 'failed', why: whyUnreachable(chain, error) };
  }
}

/** Each block is asked for once. */
function createBlocks(endpoints: readonly Endpoint[]): BlockAt {
  const asked = new Map<string, Promise<BlockRef | null>>();
  return ({ place }, number) => {
    const key = `${place} ${number}`;
    const block =
      asked.get(key) ??
      endpoints[place]?.run((rpc) => findBlock(rpc, numberToHex(number))).catch(() => null) ??
      Promise.resolve(null);
    asked.set(key, block);
    return block;
  };
}

function furthestOf(heads: readonly Head[]): Head | undefined {
  return heads.toSorted((a, b) => Number(b.newest.number - a.newest.number))[0];
}

/** The settled block in which one endpoint differs from another; null when they are not known to differ. */
async function findDifference(head: Head, other: Head, { confirmations }: Chain, blockAt: BlockAt) {
  if (head.newest.hash === other.newest.hash) return null;
  const lower = head.newest.number < other.newest.number ? head : other;
  const settled = deepBlock(lower.newest.number, confirmations);
  const [own, others] = await Promise.all([blockAt(head, settled), blockAt(other, settled)]);
  return own === null || others === null || own.hash === others.hash ? null : settled;
}

/** The places of the endpoints that differ from one in a settled block. */
async function differing(heads: readonly Head[], from: Head | undefined, chain: Chain, blockAt: BlockAt) {
  const found = new Map<number, bigint>();
  if (from === undefined) return found;
  for (const head of heads) {
    const block = head === from ? null : await findDifference(head, from, chain, blockAt);
    if (block !== null) found.set(head.place, block);
  }
  return found;
}

/**
 * Which endpoints are on another branch of the chain than the one to follow, and from whom each differs in which block. To
 * follow is the branch with the block on which the ledger counts; none when no endpoint has it, or those that have it differ.
 */
async function findForks(heads: readonly Head[], { chain, anchor }: SurveyOptions, blockAt: BlockAt) {
  const furthest = furthestOf(heads);
  const differ = await differing(heads, furthest, chain, blockAt);
  const forks = new Map<number, { readonly from: number; readonly block: bigint }>();
  if (furthest === undefined || differ.size === 0) return forks;
  const counted = await (anchor?.() ?? Promise.resolve(null)).catch(() => null);
  const have = await Promise.all(
    heads.map(async (head) => counted !== null && (await blockAt(head, counted.number))?.hash === counted.hash),
  );
  const right = heads.filter((_, index) => have[index]);
  const best = furthestOf(right);
  const isClear = best !== undefined && (await differing(right, best, chain, blockAt)).size === 0;
  const against = isClear ? best : furthest;
  for (const [place, block] of await differing(heads, against, chain, blockAt)) {
    forks.set(place, { from: against.place, block });
  }
  const [first] = forks;
  // The others agree with one that may as well be wrong.
  if (!isClear && first !== undefined) {
    for (const { place } of heads) if (!forks.has(place)) forks.set(place, { from: first[0], block: first[1].block });
  }
  return forks;
}

/**
 * Asks all endpoints of a chain for its id and their newest block, and compares a settled block where those differ: an
 * endpoint of a fork with the same id may be ahead of all others.
 * @param nameOf how the endpoint at a place, from 0, is named
 */
export function createSurvey(
  options: SurveyOptions,
  nameOf: (place: number) => string,
): () => Promise<EndpointAnswer[]> {
  const { chain, rpcUrls, clock, timeoutMs } = options;
  const limits = { timeoutMs: Math.min(timeoutMs, SURVEY_MS), retries: 1, deadlineMs: SURVEY_MS };
  const endpoints = rpcUrls.map((rpcUrl) => createEndpoint({ chain, rpcUrl, clock, ...limits }));
  return async () => {
    const answers = await Promise.all(endpoints.map((endpoint) => askHead(endpoint, chain)));
    const heads = answers.flatMap((answer, place) =>
      answer.kind === 'well' ? [{ place, newest: answer.newest }] : [],
    );
    const forks = await findForks(heads, options, createBlocks(endpoints));
    return answers.map((answer, place) => {
      const fork = forks.get(place);
      if (fork === undefined) return answer;
      return { kind: 'forked', why: `it has another block ${fork.block} than ${nameOf(fork.from)}` };
    });
  };
}
