import type { Engine } from './ledgers.ts';
import type { Stop } from './order.ts';

type When = Stop['when'];
/** A place of a run: a commit, counted from 1, or a question to the node, as `Question` names its place. */
export type Spot = { readonly of: 'commit'; readonly at: number } | { readonly of: 'call'; readonly at: string };
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
  readonly at: string;
  readonly way: Deception['way'];
  readonly who: Deception['who'];
}

/** One thing that goes wrong while claims, refunds and returns are paid. Commits and sends are counted from 1. */
export type Point =
  /** The process dies at a commit. */
  | { readonly kind: 'commit'; readonly at: number; readonly when: When }
  /** The process dies at a question to the node: before the node has it, or before the answer is back. */
  | { readonly kind: 'call'; readonly at: string; readonly when: When }
  /** Process after process dies, each after so many commits or at so many questions of its own. */
  | { readonly kind: 'again'; readonly at: number; readonly what: 'commits' | 'calls' }
  /** Something goes wrong with an offer of signed bytes. */
  | { readonly kind: 'send'; readonly at: number; readonly fault: string }
  /** Something goes wrong with a question of any kind. */
  | { readonly kind: 'fault'; readonly at: string; readonly fault: string }
  /** From a question on an endpoint of two is dishonest, for good where it can be, or both are for a while. */
  | EndpointPoint
  /** The process dies after a commit, and the next one finds the database as it was after an earlier commit, or before all. */
  | { readonly kind: 'restore'; readonly at: number; readonly to: number }
  /** The process dies at a question, and of its commits only a share is left; accounts claim again, to other addresses. */
  | { readonly kind: 'undo'; readonly at: string; readonly left: Share }
  /** A second process pays from a copy of the database: at the same time, or to the end while the first one stands still. */
  | (Spot & { readonly kind: 'twin'; readonly how: 'beside' | 'meanwhile' })
  /** Two processes pay from one ledger, one of which dies and comes back. */
  | (Spot & { readonly kind: 'pair'; readonly when: When; readonly who: Who })
  /** A process stands still, for longer than every lease, until another one has paid everything from the same ledger. */
  | (Spot & { readonly kind: 'halt'; readonly when: When })
  /** The server of the ledger crashes and recovers. */
  | (Spot & { readonly kind: 'crash'; readonly when: When })
  /** The chain loses its newest blocks while the process stands still; they may be replaced by empty ones. */
  | ((Spot | { readonly of: 'end'; readonly at: null }) & {
      readonly kind: 'reorg';
      readonly depth: number;
      readonly how: 'shorter' | 'emptied';
    });

export type Kind = Point['kind'];

/** Which of the earlier copies a database is put back to: the first one, one in the middle, or the one before the last. */
export type Share = 'none' | 'half' | 'most';

/** What an undisturbed run did. */
export interface Census {
  readonly commits: number;
  readonly questions: number;
  /** Where its questions can be disturbed, as `placesOf` chooses. */
  readonly places: readonly string[];
  readonly sends: number;
}

/** The name by which a point is told and tried again, such as `call:12.1.eth_call.3:before`. */
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
function spread<T, P>(happenings: readonly T[], places: readonly P[], extent: Extent): { what: T; at: P }[] {
  const all = happenings.flatMap((what, index) => {
    const shift = Math.floor((index * places.length) / happenings.length);
    const shifted = places.map((at, place) => ({ what, at, isItsTurn: place % happenings.length === index }));
    return [...shifted.slice(shift), ...shifted.slice(0, shift)];
  });
  return extent === 'every' ? all : all.filter(({ isItsTurn }) => isItsTurn);
}

/** The commits of a run. */
function commitsOf({ commits }: Census): Spot[] {
  return upTo(commits).map((at) => ({ of: 'commit', at }));
}

/** The places of a run's questions. */
function callsOf({ places }: Census): Spot[] {
  return places.map((at) => ({ of: 'call', at }));
}

function restores(commits: number, extent: Extent): Point[] {
  return upTo(commits).flatMap((at) => {
    const copies = extent === 'every' ? upTo(at).map((to) => to - 1) : SHARES.map((share) => COPY_OF[share](at));
    return [...new Set(copies)].map((to) => ({ kind: 'restore', at, to }) as const);
  });
}

const REORGS = DEPTHS.flatMap((depth) => HOW_REORGS.map((how) => ({ depth, how })));

/** At each commit every depth, at each question one of them, each time the next one; and all when everybody is paid. */
function reorgs(census: Census, extent: Extent): Point[] {
  const atCommits = HOW_REORGS.flatMap((_, shift) =>
    commitsOf(census).flatMap((spot, place) =>
      DEPTHS.flatMap((depth, index) => {
        const how = HOW_REORGS[(place + index + shift) % HOW_REORGS.length];
        return how === undefined || (shift > 0 && extent !== 'every') ? [] : [{ ...spot, depth, how }];
      }),
    ),
  );
  const atCalls = spread(REORGS, callsOf(census), extent).map(({ what, at: spot }) => ({ ...spot, ...what }));
  const atEnd = REORGS.map((what) => ({ of: 'end', at: null, ...what }) as const);
  return [...atCommits, ...atCalls, ...atEnd].map((reorg) => ({ kind: 'reorg', ...reorg }) as const);
}

const PAIRS = (['first', 'second'] as const).flatMap((who) => BOTH.map((when) => ({ who, when })));

/** What only one ledger on a server can meet. A process that stands still before a question is asked has no other side. */
function onServer(census: Census, extent: Extent): Point[] {
  const steps = [
    { spots: commitsOf(census), sides: BOTH },
    { spots: callsOf(census), sides: ['before'] },
  ] as const;
  const pairs = steps.flatMap(({ spots }) =>
    spread(PAIRS, spots, extent).map(({ what, at: spot }) => ({ kind: 'pair', ...spot, ...what }) as const),
  );
  const each = (kind: 'halt' | 'crash') =>
    steps.flatMap(({ spots, sides }) =>
      spread<(typeof BOTH)[number], Spot>(sides, spots, extent).map(
        ({ what: when, at: spot }) => ({ kind, ...spot, when }) as const,
      ),
    );
  return [...pairs, ...each('halt'), ...each('crash')];
}

/** What only a copy of a file can meet, which is taken while a process uses it. */
function onFile(census: Census, extent: Extent): Point[] {
  const twins = [commitsOf(census), callsOf(census)].flatMap((spots) => spread(HOW_TWINS, spots, extent));
  return [
    ...spread(SHARES, census.places, extent).map(({ what: left, at }) => ({ kind: 'undo', at, left }) as const),
    ...twins.map(({ what: how, at: spot }) => ({ kind: 'twin', ...spot, how }) as const),
  ];
}

/** The points of a run, kind by kind. Kills and offers of signed bytes are all tried, whatever the extent. */
export function pointsOf(
  census: Census,
  options: { faults: { sends: readonly string[]; calls: readonly string[] }; extent: Extent; engine: Engine },
): Point[] {
  const { commits, places, sends } = census;
  const { faults, extent, engine } = options;
  return [
    ...upTo(commits).flatMap((at) => BOTH.map((when) => ({ kind: 'commit', at, when }) as const)),
    ...places.flatMap((at) => BOTH.map((when) => ({ kind: 'call', at, when }) as const)),
    ...[1, 2].map((at) => ({ kind: 'again', at, what: 'commits' }) as const),
    ...CALLS_OF_A_LIFE.map((at) => ({ kind: 'again', at, what: 'calls' }) as const),
    ...spread(faults.sends, upTo(sends), 'every').map(({ what: fault, at }) => ({ kind: 'send', at, fault }) as const),
    ...spread(faults.calls, places, extent).map(({ what: fault, at }) => ({ kind: 'fault', at, fault }) as const),
    ...spread(DECEPTIONS, places, extent).map(({ what, at }) => ({ kind: 'endpoint', at, ...what }) as const),
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
