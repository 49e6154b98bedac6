import { bundleChild } from '../../support/bundle-child.ts';
import { attempt, takeCensus } from './attempt.ts';
import { type Bench, openBench } from './bench.ts';
import { CALL_FAULTS, SEND_FAULTS } from './faults.ts';
import type { Engine } from './ledgers.ts';
import { type Census, type Extent, type Kind, nameOf, type Point, pointsOf } from './points.ts';

/** What each kind of point is called. */
export const KINDS: Readonly<Record<Kind, string>> = {
  commit: 'killed before or after a commit',
  call: 'killed before or after the node got a question',
  again: 'killed again and again',
  send: 'a fault at an offer of signed bytes',
  fault: 'a fault at a question',
  endpoint: 'an endpoint of two that lies, forgets, hides or is of a fork',
  restore: 'put back, after a commit, to an earlier copy of the database',
  undo: 'put back, at a question, to an earlier copy, and claimed again to other addresses',
  twin: 'a second instance on a copy of the database',
  pair: 'one of two instances on one database killed',
  halt: 'an instance stopped until a second one has paid from the same database',
  crash: 'the database server crashed',
  reorg: 'blocks taken back',
};

/** What was tried, and what came of it. */
export interface Report {
  readonly census: Census;
  /** How many points of each kind were reached; one that a run did not get to is not counted. */
  readonly tried: Readonly<Partial<Record<Kind, number>>>;
  /** Points that their run did not get to, by name: a run differs by a question or two from the one before. */
  readonly missed: readonly string[];
  readonly failures: readonly Failure[];
}

/** A point after which not everybody was paid exactly once. */
export interface Failure {
  readonly point: string;
  readonly problems: readonly string[];
}

/** What to try, and with what. */
export interface ChaosOptions {
  /** How many points are tried at once, each with a node of its own. */
  readonly benches: number;
  /** `sqlite` when absent. */
  readonly engine?: Engine;
  /** Which points there are; `in_turn` when absent. */
  readonly extent?: Extent;
  /** Which of all points are tried. */
  choose(points: readonly Point[]): readonly Point[];
  /** Hears of a failure at once. */
  onFailure?(failure: Failure): void;
  /** Hears how many points of a kind were reached, when all that were chosen of it have been tried. */
  onKind?(kind: Kind, reached: number): void;
}

async function tryAll(
  benches: readonly Bench[],
  options: Pick<ChaosOptions, 'onFailure' | 'onKind'> & { script: string; points: readonly Point[] },
) {
  const tried: Partial<Record<Kind, number>> = {};
  const missed: string[] = [];
  const failures: Failure[] = [];
  const tryOne = async (bench: Bench, point: Point) => {
    const { reached, problems } = await attempt(bench, options.script, point);
    if (reached) tried[point.kind] = (tried[point.kind] ?? 0) + 1;
    else missed.push(nameOf(point));
    if (problems.length === 0) return;
    const failure = { point: nameOf(point), problems };
    failures.push(failure);
    options.onFailure?.(failure);
  };
  for (const [kind, points] of Map.groupBy(options.points, ({ kind }) => kind)) {
    const work = async (bench: Bench) => {
      for (let point = points.shift(); point !== undefined; point = points.shift()) await tryOne(bench, point);
    };
    await Promise.all(benches.map(work));
    options.onKind?.(kind, tried[kind] ?? 0);
  }
  return { tried, missed, failures };
}

/**
 * Pays and ends gigs once undisturbed, which shows every commit and every question that can be disturbed, and then once for each
 * of the points that are chosen of them.
 */
export async function runChaos({ engine = 'sqlite', extent = 'in_turn', ...options }: ChaosOptions): Promise<Report> {
  const script = bundleChild('test/long/chaos/child.ts', 'chaos');
  const opened = await Promise.allSettled(Array.from({ length: options.benches }, () => openBench(engine)));
  const benches = opened.flatMap((bench) => (bench.status === 'fulfilled' ? [bench.value] : []));
  try {
    const failed = opened.find((bench) => bench.status === 'rejected');
    const [first] = benches;
    if (failed !== undefined || first === undefined) throw new Error('no node', { cause: failed?.reason });
    const census = await takeCensus(first, script);
    const faults = { sends: Object.keys(SEND_FAULTS), calls: Object.keys(CALL_FAULTS) };
    const all = pointsOf(census, { faults, extent, engine });
    return { census, ...(await tryAll(benches, { ...options, script, points: options.choose(all) })) };
  } finally {
    await Promise.all(benches.map((bench) => bench.close()));
  }
}
