import type { BlockRef } from './block.ts';

/** What one of several endpoints of a chain answered when it was last asked for its chain id and its newest block. */
export type EndpointAnswer =
  | { readonly kind: 'well'; readonly newest: BlockRef }
  /** `why` is a clause about the endpoint, without a secret. */
  | { readonly kind: 'failed' | 'forked' | 'other_chain'; readonly why: string };

/** Why an endpoint is passed over while another of its chain is better. */
export interface EndpointFault {
  /**
   * One of another chain is asked for nothing but its chain id. A `forked` one has another settled block than an endpoint that
   * has the block on which the ledger counts, or than one that is no more to be trusted.
   */
  readonly kind: 'failed' | 'behind' | 'forked' | 'other_chain';
  /** A clause about the endpoint, without a secret. */
  readonly why: string;
}

export interface EndpointStatus {
  /** Among those of the chain, in their configured order, from 1. */
  readonly place: number;
  /** `endpoint 2 (rpc.example)`: its place and its host, which is all that is ever said about its URL. */
  readonly name: string;
  /** The number of its newest block; null when it did not tell. */
  readonly newest: bigint | null;
  /** Null while it is asked. */
  readonly fault: EndpointFault | null;
}

/**
 * How far the newest block of an endpoint may be behind that of the best one of its chain. On the fastest chain so many
 * blocks take four seconds, within which honest endpoints differ.
 */
const MOST_BLOCKS_BEHIND = 15n;
const MOST_MS_BEHIND = 30_000;

/** Why each of several endpoints of a chain is to be passed over, by what all of them answered; null where it is not. */
export function findEndpointFaults(answers: readonly EndpointAnswer[]): (EndpointFault | null)[] {
  const heads = answers.flatMap((answer) => (answer.kind === 'well' ? [answer.newest] : []));
  const [highest = 0n] = heads.map(({ number }) => number).sort((a, b) => (a > b ? -1 : 1));
  const at = Math.max(...heads.map((head) => head.at));
  return answers.map((answer) => {
    if (answer.kind !== 'well') return answer;
    const { newest } = answer;
    const [blocks, ms] = [highest - newest.number, at - newest.at];
    if (blocks <= MOST_BLOCKS_BEHIND && ms <= MOST_MS_BEHIND) return null;
    const why = `its newest block, ${newest.number}, is ${blocks} blocks and ${Math.round(ms / 1_000)} s behind another endpoint`;
    return { kind: 'behind', why };
  });
}
