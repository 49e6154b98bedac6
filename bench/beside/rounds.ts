import type { Bench } from '../bench.ts';
import { measureRound, type Round, settle, WARM_REQUESTS } from '../contender.ts';
import { usersOf } from '../data/rows.ts';
import { STREAM } from '../earning/large.ts';
import { ratios, type Spread, shown, shownSpread, spreadOf } from '../figures.ts';
import { table } from '../report.ts';
import { inRounds } from '../rounds.ts';
import { TIPS, type Work } from './loads.ts';

const WARM_UP_ROUNDS = 2;
/** Before each measurement of the first rounds, of which a service has two a round. */
const FIRST_REQUESTS = WARM_REQUESTS / WARM_UP_ROUNDS;
/** One second of a steady stream says little: in it, five look-ups are the slowest hundredth. */
const LENGTH = 4;
const MAX_SETTLING_MS = 10_000;

/** Look-ups of a quiet service and of one that works, measured in the same rounds. */
export interface Beside {
  /** What the service does beside them. */
  readonly name: string;
  readonly quiet: readonly Round[];
  readonly busy: readonly Round[];
  /** How much of it was done in a second, where that is counted. */
  readonly done: Spread | null;
  /** What is counted. */
  readonly unit: string;
}

/**
 * Measures look-ups of a service in turn while it does nothing else and while it works; every second round begins with the work.
 * @throws Error when nothing was done beside them: then both were quiet
 */
export async function measureBeside(
  bench: Bench,
  work: Work,
  { name, unit }: { name: string; unit: string },
): Promise<Beside> {
  const { service } = work;
  const asked = { kind: 'lookups' as const, users: usersOf(TIPS) };
  const seconds = LENGTH * bench.seconds;
  const measure = (round: number) => {
    const warming = round < WARM_UP_ROUNDS ? { warmRequests: FIRST_REQUESTS } : {};
    return measureRound(bench.generator, service, { ...STREAM, ...warming, seconds, asked, round });
  };
  const rounds = { quiet: [] as Round[], busy: [] as Round[] };
  const done: number[] = [];

  async function measureBusy(round: number): Promise<Round> {
    const begin = performance.now();
    const end = work.start();
    const busy = await measure(round).finally(async () => {
      const elapsedMs = performance.now() - begin;
      const count = await end();
      if (round >= WARM_UP_ROUNDS) done.push((count * 1_000) / elapsedMs);
    });
    await settle(service.pid, MAX_SETTLING_MS);
    return busy;
  }

  await inRounds(WARM_UP_ROUNDS + bench.rounds, async (round) => {
    const turns = [
      ['quiet', measure],
      ['busy', measureBusy],
    ] as const;
    for (const [which, turn] of round % 2 === 0 ? turns : turns.toReversed()) {
      const found = await turn(round);
      if (round >= WARM_UP_ROUNDS) rounds[which].push(found);
    }
  });
  if (done.some((count) => !(count > 0))) throw new Error(`nothing was done beside look-ups: ${name}`);
  return { name, ...rounds, done: spreadOf(done), unit };
}

/** A figure of the rounds beside the work, of that of the quiet ones. */
export function ofQuiet({ quiet, busy }: Beside, figure: (round: Round) => number): Spread {
  return ratios(busy.map(figure), quiet.map(figure));
}

export const p50 = (round: Round): number => round.p50;
export const p99 = (round: Round): number => round.p99;
export const longestTurn = (round: Round): number => round.turns.longest;
const turnP99 = (round: Round) => round.turns.p99;
const cpuMicros = (round: Round) => round.cpuMicros;

/** By the clock, and by processor time. */
export function besideTables(found: readonly Beside[]): string {
  const spread = (rounds: readonly Round[], figure: (round: Round) => number) =>
    shownSpread(spreadOf(rounds.map(figure)));
  const clock = found.map((one) => [
    one.name,
    one.done === null ? '–' : `${shown(one.done.median)} ${one.unit}`,
    spread(one.quiet, p99),
    spread(one.busy, p99),
    shownSpread(ofQuiet(one, p99)),
    spread([...one.quiet, ...one.busy], ({ waited }) => waited),
  ]);
  const processor = found.map((one) => [
    one.name,
    spread(one.quiet, turnP99),
    spread(one.busy, turnP99),
    shownSpread(ofQuiet(one, turnP99)),
    spread(one.busy, longestTurn),
    shownSpread(ofQuiet(one, cpuMicros)),
  ]);
  const clockHead = [
    `${STREAM.rate} look-ups a second beside`,
    'done a second',
    'p99 ms, quiet',
    'p99 ms, beside',
    'of quiet',
    'waited for its core',
  ];
  const processorHead = [
    'by processor time',
    'p99 of turns, ms, quiet',
    'beside',
    'of quiet',
    'longest turn, ms',
    'all for each answer, of quiet',
  ];
  return `${table(clockHead, clock)}\n\n${table(processorHead, processor)}`;
}
