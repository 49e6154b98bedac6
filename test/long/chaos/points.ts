import type { Suicide } from './order.ts';

/** One thing that goes wrong while claims are paid. Commits, calls and sends are counted from 1. */
export type Point =
  /** The process dies at a commit. */
  | { readonly kind: 'commit'; readonly at: number; readonly when: Suicide['when'] }
  /** The process dies at a question to the node: before the node has it, or before the answer is back. */
  | { readonly kind: 'call'; readonly at: number; readonly when: Suicide['when'] }
  /** Process after process dies, each after so many commits or at so many questions of its own. */
  | { readonly kind: 'again'; readonly at: number; readonly what: 'commits' | 'calls' }
  /** Something goes wrong with an offer of signed bytes. */
  | { readonly kind: 'send'; readonly at: number; readonly fault: string }
  /** Something goes wrong with a question of any kind. */
  | { readonly kind: 'fault'; readonly at: number; readonly fault: string };

export type Kind = Point['kind'];

/** What an undisturbed run did. */
export interface Census {
  readonly commits: number;
  readonly calls: number;
  readonly sends: number;
}

/** The name by which a point is told and tried again, such as `call:12:before`. */
export function nameOf(point: Point): string {
  const { kind, at } = point;
  if (kind === 'again') return `${kind}:${at}:${point.what}`;
  return `${kind}:${at}:${kind === 'send' || kind === 'fault' ? point.fault : point.when}`;
}

function upTo(count: number): number[] {
  return Array.from({ length: count }, (_, index) => index + 1);
}

const BOTH = ['before', 'after'] as const;
/** Enough questions for the slowest step, the signing, to be reached in every life. */
const CALLS_OF_A_LIFE = [45, 60] as const;

/**
 * Each fault at each place, fault by fault. Each begins at another place than the one before, so that an even sample with
 * few of each fault is spread over the places as well.
 */
function each(faults: readonly string[], places: number): { fault: string; at: number }[] {
  return faults.flatMap((fault, index) => {
    const shift = Math.floor((index * places) / faults.length);
    return upTo(places).map((at) => ({ fault, at: ((at - 1 + shift) % places) + 1 }));
  });
}

/** Every point of a run, kind by kind. */
export function pointsOf(census: Census, faults: { sends: readonly string[]; calls: readonly string[] }): Point[] {
  return [
    ...upTo(census.commits).flatMap((at) => BOTH.map((when) => ({ kind: 'commit', at, when }) as const)),
    ...upTo(census.calls).flatMap((at) => BOTH.map((when) => ({ kind: 'call', at, when }) as const)),
    ...[1, 2].map((at) => ({ kind: 'again', at, what: 'commits' }) as const),
    ...CALLS_OF_A_LIFE.map((at) => ({ kind: 'again', at, what: 'calls' }) as const),
    ...each(faults.sends, census.sends).map((faulty) => ({ kind: 'send', ...faulty }) as const),
    ...each(faults.calls, census.calls).map((faulty) => ({ kind: 'fault', ...faulty }) as const),
  ];
}

/** So many of the points of each kind, evenly spread. */
export function sampleOf(points: readonly Point[], counts: Readonly<Record<Kind, number>>): Point[] {
  return [...Map.groupBy(points, ({ kind }) => kind)].flatMap(([kind, all]) => {
    const count = Math.min(counts[kind], all.length);
    return upTo(count).flatMap((n) => all[Math.floor(((n - 0.5) * all.length) / count)] ?? []);
  });
}
