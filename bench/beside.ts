import type { Bench } from './bench.ts';
import { openAwards, openMentions, openReport, type Work } from './beside/loads.ts';
import { type Beside, besideTables, longestTurn, measureBeside, ofQuiet, p99 } from './beside/rounds.ts';
import { doubtOfWaits } from './contender.ts';
import { measureLarge, type Turn } from './earning/large.ts';
import { spreadOf } from './figures.ts';
import type { Section, Verdict } from './report.ts';

const LIKES = 20_000;
const LINES = 500_000;
const LONGEST_MS = 10;

/** A few words for each kind of work, and its goals. */
interface Kind {
  readonly name: string;
  readonly unit: string;
  /** The p99 of look-ups, of quiet. */
  readonly most: number;
  /** Whether no turn of the event loop may be longer than {@link LONGEST_MS}. */
  readonly isBounded: boolean;
}

const MENTIONS: Kind = { name: '50 mentions a second', unit: 'replies', most: 2, isBounded: false };
const AWARDS: Kind = {
  name: 'four clients that award batches of 500 tips',
  unit: 'tips',
  most: 3,
  isBounded: true,
};
/** The goal of the ratio is that of batches of tips, which a client asks for as well. */
const REPORT: Kind = { name: 'a report as CSV', unit: 'lines', most: 3, isBounded: true };
const PHASES: readonly (readonly [Turn['phase'], Kind])[] = [
  ['swept', { name: 'a gig while it is swept', unit: 'likes', most: 2.5, isBounded: false }],
  ['awarded', { name: 'a gig while it is settled and awarded', unit: 'likes', most: 2.5, isBounded: false }],
];

type Found = readonly [Kind, Beside];

async function measured(bench: Bench, kind: Kind, open: () => Promise<Work>): Promise<Found> {
  bench.say(`beside: ${kind.name}`);
  const work = await open();
  try {
    return [kind, await measureBeside(bench, work, kind)];
  } finally {
    await work.stop();
  }
}

/** A gig with many likes; two services, because what it does cannot be begun and ended. */
async function measuredGig(bench: Bench, likes: number): Promise<Found[]> {
  bench.say(`beside: a gig with ${likes} likes`);
  const { turns } = await measureLarge(bench, { likes, isProbed: true });
  return PHASES.map(([phase, kind]): Found => {
    const some = turns.filter((turn) => turn.phase === phase);
    if (some.length === 0) throw new Error(`no round lies within what is measured: ${kind.name}`);
    const rounds = { quiet: some.map(({ idle }) => idle.lookups), busy: some.map(({ busy }) => busy.lookups) };
    const name = `${kind.name}, of ${likes.toLocaleString('en-US')} likes`;
    return [kind, { name, ...rounds, done: null, unit: kind.unit }];
  });
}

/** What is asked of look-ups beside some work. */
export function besideVerdicts(kind: Kind, found: Beside): Verdict[] {
  const { most, isBounded } = kind;
  const ratio = {
    goal: `p99 of look-ups beside ${found.name}, of quiet`,
    is: 'at most' as const,
    bound: most,
    measured: ofQuiet(found, p99),
    doubt: doubtOfWaits([...found.quiet], [...found.busy]),
  };
  if (!isBounded) return [ratio];
  const longest = spreadOf(found.busy.map(longestTurn));
  const goal = 'the longest turn of the event loop meanwhile, by processor time';
  return [ratio, { goal, is: 'at most', bound: LONGEST_MS, unit: 'ms', measured: longest }];
}

const INTRO =
  'Look-ups in a steady stream, in turn while the service does nothing else and while it works; every second round begins with the ' +
  'work. For the gig two services are measured in turn, of which the other one is stopped. Times by the clock say little where the ' +
  'service waited for its core, because others had it. A turn of the event loop is what a look-up finds before it when it comes: ' +
  'p99 is the one that is longer in one of a hundred moments, in processor time of the main thread, which others cannot take. ' +
  'It does not count what waits for the disk.';

/** Look-ups beside what else the service does. */
export async function benchBeside(bench: Bench): Promise<Section> {
  const largest = Math.max(...bench.sizes);
  const lines = Math.min(LINES, largest);
  const report = { ...REPORT, name: `${REPORT.name}, of ${lines.toLocaleString('en-US')} lines` };
  const found: Found[] = [
    await measured(bench, MENTIONS, () => openMentions(bench)),
    ...(await measuredGig(bench, Math.min(LIKES, largest))),
    await measured(bench, AWARDS, () => openAwards(bench)),
    await measured(bench, report, () => openReport(bench, lines)),
  ];
  return {
    title: 'Look-ups beside other work',
    text: `${INTRO}\n\n${besideTables(found.map(([, one]) => one))}`,
    verdicts: found.flatMap(([kind, one]) => besideVerdicts(kind, one)),
  };
}
