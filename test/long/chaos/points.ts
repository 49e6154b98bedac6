import type { Engine } from './ledgers.ts';
import type { Stop } from './order.ts';

type When = Stop['when'];
/** What the places of a run are: its commits, or its questions to the node. */
type Step = 'commit' | 'call';
type Who = 'first' | 'second';

/** What endpoints do that are dishonest, and which of two is. */
const DECEPTIONS = [
  { way: 'lies', who: 'first' },
  { way: 'lies', who: 'second' },
  { way: 'forgets', who: 'first' },
  { way: 'forgets', who: 'second' },
  { way: 'forgets', who: 'both' },
  { way: 'hides', who: 'first' },
  { way: 'hides', who: 'second' },
  { way: 'hides', who: 'both' },
  { way: 'hidesMarks', who: 'first' },
  { way: 'hidesMarks', who: 'second' },
  { way: 'hidesMarks', who: 'both' },
  { way: 'forks', who: 'first' },
  { way: 'forks', who: 'second' },
] as const;
type Deception = (typeof DECEPTIONS)[number];

/** An endpoint that is dishonest from a question on. */
export interface EndpointPoint {
  readonly kind: 'endpoint';
  readonly at: number;
  readonly way: Deception['way'];
  readonly who: Deception['who'];
}

/** One thing that goes wrong while claims, refunds and returns are paid. Commits, calls and sends are counted from 1. */
export type Point =
  /** The process dies at a commit. */
  | { readonly kind: 'commit'; readonly at: number; readonly when: When }
  /** The process dies at a question to the node: before the node has it, or before the answer is back. */
  | { readonly kind: 'call'; readonly at: number; readonly when: When }
  /** Process after process dies, each after so many commits or at so many questions of its own. */
  | { readonly kind: 'again'; readonly at: number; readonly what: 'commits' | 'calls' }
  /** Something goes wrong with an offer of signed bytes. */
  | { readonly kind: 'send'; readonly at: number; readonly fault: string }
  /** Something goes wrong with a question of any kind. */
  | { readonly kind: 'fault'; readonly at: number; readonly fault: string }
  /** From a question on an endpoint of two is dishonest, for good where it can be, or both are for a while. */
  | EndpointPoint
  /** The process dies after a commit, and the next one finds the database as it was after an earlier commit, or before all. */
  | { readonly kind: 'restore'; readonly at: number; readonly to: number }
  /** The process dies at a question, and of its commits only a share is left; accounts claim again, to other addresses. */
  | { readonly kind: 'undo'; readonly at: number; readonly left: Share }
  /** A second process pays from a copy of the database: at the same time, or to the end while the first one stands still. */
  | {
      readonly kind: 'twin';
      readonly at: number;
      readonly of: Step;
      readonly how: 'beside' | 'meanwhile';
    }
  /** Two processes pay from one ledger, one of which dies and comes back. */
  | { readonly kind: 'pair'; readonly at: number; readonly of: Step; readonly when: When; readonly who: Who }
  /** A process stands still, for longer than every lease, until another one has paid everything from the same ledger. */
  | { readonly kind: 'halt'; readonly at: number; readonly of: Step; readonly when: When }
  /** The server of the ledger crashes and recovers. */
  | { readonly kind: 'crash'; readonly at: number; readonly of: Step; readonly when: When }
  /** The chain loses its newest blocks while the process stands still; they may be replaced by empty ones. */
  | {
      readonly kind: 'reorg';
      readonly at: number;
      readonly of: Step | 'end';
      readonly depth: number;
      readonly how: 'shorter' | 'emptied';
    };

export type Kind = Point['kind'];

/** Which of the earlier copies a database is put back to: the first one, one in the middle, or the one before the last. */
export type Share = 'none' | 'half' | 'most';

/** What an undisturbed run did. */
export interface Census {
  readonly commits: number;
  readonly calls: number;
  readonly sends: number;
}

/** The name by which a point is told and tried again, such as `call:12:before`. */
export function nameOf(point: Point): string {
  return Object.values(point).join(':');
}

function upTo(count: number): number[] {
  return Array.from({ length: count }, (_, index) => index + 1);
}

/** The copy that a share of so many copies leaves. */
export const COPY_OF: Readonly<Record<Share, (copies: number) => number>> = {
  none: () => 0,
  half: (copies) => Math.floor(copies / 2),
  most: (copies) => Math.max(0, copies - 1),
};

const BOTH = ['before', 'after'] as const;
const SHARES = ['none', 'half', 'most'] as const;
const HOW_TWINS = ['beside', 'meanwhile'] as const;
const HOW_REORGS = ['shorter', 'emptied'] as const;
const DEPTHS = [1, 2, 3, 5, 8, 16, 32, 64] as const;
/** Enough questions for the slowest step, the signing, to be reached in every life. */
const CALLS_OF_A_LIFE = [90, 120] as const;

/** Which points there are: all of these at each place, or one of them at each, each time the next one. */
export type Extent = 'every' | 'in_turn';

/**
 * What can happen, at the places where it can, kind by kind of what happens. Each kind begins at another place than the one
 * before, so that an even sample with few of each is spread over the places as well.
 */
function spread<T>(happenings: readonly T[], { places, extent }: { places: number; extent: Extent }) {
  const all = happenings.flatMap((what, index) => {
    const shift = Math.floor((index * places) / happenings.length);
    return upTo(places).map((at) => ({ what, index, at: ((at - 1 + shift) % places) + 1 }));
  });
  return extent === 'every' ? all : all.filter(({ index, at }) => at % happenings.length === index);
}

function restores(commits: number, extent: Extent): Point[] {
  return upTo(commits).flatMap((at) => {
    const copies = extent === 'every' ? upTo(at).map((to) => to - 1) : SHARES.map((share) => COPY_OF[share](at));
    return [...new Set(copies)].map((to) => ({ kind: 'restore', at, to }) as const);
  });
}

function twins({ commits, calls }: Census, extent: Extent): Point[] {
  const at = (of: Step, places: number) =>
    spread(HOW_TWINS, { places, extent }).map(({ what: how, at }) => ({ kind: 'twin', at, of, how }) as const);
  return [...at('commit', commits), ...at('call', calls)];
}

/** At each commit every depth, at each question one of them, each time the next one; and all when everybody is paid. */
function reorgs({ commits, calls }: Census, extent: Extent): Point[] {
  const each = (at: number, of: 'commit' | 'end') =>
    DEPTHS.flatMap((depth, index) =>
      HOW_REORGS.filter((_, how) => extent === 'every' || of === 'end' || (at + index) % HOW_REORGS.length === how).map(
        (how) => ({ kind: 'reorg', at, of, depth, how }) as const,
      ),
    );
  const both = DEPTHS.flatMap((depth) => HOW_REORGS.map((how) => ({ depth, how })));
  const atCalls =
    extent === 'every'
      ? HOW_REORGS.flatMap((how, shift) =>
          upTo(calls).map((at) => ({ at, depth: DEPTHS[(at + 3 * shift) % DEPTHS.length] ?? 1, how })),
        )
      : spread(both, { places: calls, extent }).map(({ what, at }) => ({ at, ...what }));
  return [
    ...upTo(commits).flatMap((at) => each(at, 'commit')),
    ...atCalls.map(({ at, depth, how }) => ({ kind: 'reorg', at, of: 'call', depth, how }) as const),
    ...each(1, 'end'),
  ];
}

const PAIRS = (['first', 'second'] as const).flatMap((who) => BOTH.map((when) => ({ who, when })));

/** What only one ledger on a server can meet. A process that stands still before a question is asked has no other side. */
function onServer({ commits, calls }: Census, extent: Extent): Point[] {
  const steps = [
    { of: 'commit', places: commits, sides: BOTH },
    { of: 'call', places: calls, sides: ['before'] },
  ] as const;
  const pairs = steps.flatMap(({ of, places }) =>
    spread(PAIRS, { places, extent }).map(({ what, at }) => ({ kind: 'pair', at, of, ...what }) as const),
  );
  const each = (kind: 'halt' | 'crash') =>
    steps.flatMap(({ of, places, sides }) =>
      spread(sides, { places, extent }).map(({ what: when, at }) => ({ kind, at, of, when }) as const),
    );
  return [...pairs, ...each('halt'), ...each('crash')];
}

/** What only a copy of a file can meet, which is taken while a process uses it. */
function onFile(census: Census, extent: Extent): Point[] {
  const { calls: places } = census;
  return [
    ...spread(SHARES, { places, extent }).map(({ what: left, at }) => ({ kind: 'undo', at, left }) as const),
    ...twins(census, extent),
  ];
}

/** The points of a run, kind by kind. Kills and offers of signed bytes are all tried, whatever the extent. */
export function pointsOf(
  census: Census,
  options: { faults: { sends: readonly string[]; calls: readonly string[] }; extent: Extent; engine: Engine },
): Point[] {
  const { commits, calls, sends } = census;
  const { faults, extent, engine } = options;
  return [
    ...upTo(commits).flatMap((at) => BOTH.map((when) => ({ kind: 'commit', at, when }) as const)),
    ...upTo(calls).flatMap((at) => BOTH.map((when) => ({ kind: 'call', at, when }) as const)),
    ...[1, 2].map((at) => ({ kind: 'again', at, what: 'commits' }) as const),
    ...CALLS_OF_A_LIFE.map((at) => ({ kind: 'again', at, what: 'calls' }) as const),
    ...spread(faults.sends, { places: sends, extent: 'every' }).map(
      ({ what: fault, at }) => ({ kind: 'send', at, fault }) as const,
    ),
    ...spread(faults.calls, { places: calls, extent }).map(
      ({ what: fault, at }) => ({ kind: 'fault', at, fault }) as const,
    ),
    ...spread(DECEPTIONS, { places: calls, extent }).map(
      ({ what, at }) => ({ kind: 'endpoint', at, ...what }) as const,
    ),
    ...restores(commits, extent),
    ...(engine === 'postgres' ? onServer(census, extent) : onFile(census, extent)),
    ...reorgs(census, extent),
  ];
}

/** So many of the points of each kind, evenly spread. */
export function sampleOf(points: readonly Point[], counts: Readonly<Partial<Record<Kind, number>>>): Point[] {
  return [...Map.groupBy(points, ({ kind }) => kind)].flatMap(([kind, all]) => {
    const count = Math.min(counts[kind] ?? 0, all.length);
    return upTo(count).flatMap((n) => all[Math.floor(((n - 0.5) * all.length) / count)] ?? []);
  });
}
