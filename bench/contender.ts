import { setTimeout as wait } from 'node:timers/promises';
import type { Turns } from './beside/turns.ts';
import { shown, shownSpread, spreadOf } from './figures.ts';
import type { Generator } from './generator.ts';
import type { Asked, Outcome } from './load/job.ts';
import { familyCpuMs, waitedMs } from './processor-time.ts';
import { inRounds } from './rounds.ts';

/** A server that is measured beside others. */
export interface Contender {
  readonly name: string;
  readonly port: number;
  /** The server itself, with its children. */
  readonly pid: number;
  /** The first process of the server that it needs beside it, such as a database or Redis: counted apart. */
  readonly helperPid?: number;
  /** The turns of its event loop since the last call, where they are measured. */
  readonly turns?: () => Promise<Turns>;
  /** What it is asked, where that is not what the others are. */
  readonly asked?: Asked;
  stop(): Promise<void>;
}

/** One round of one contender. */
export interface Round extends Outcome {
  /** Microseconds of processor time for each answer, of all threads of the server and its children. */
  readonly cpuMicros: number;
  /** The same of its helper; 0 where it has none. */
  readonly helperMicros: number;
  /** The share of a core that the server had; in a closed loop far below 1 means that others held the machine. */
  readonly share: number;
  /** The share of the time in which the server's main thread could have run, and others had its core. */
  readonly waited: number;
  readonly turns: Turns;
}

export interface Load {
  readonly connections: number;
  readonly seconds: number;
  readonly rate: number | null;
  readonly asked: Asked;
}

const SETTLED_MS = 100;
const MAX_SETTLING_MS = 10_000;

/** Waits until a server has worked off what is left of its round, at most `maxMs`, so that the next one has its core. */
export async function settle(pid: number, maxMs: number): Promise<void> {
  for (let look = 0; look < maxMs / SETTLED_MS; look++) {
    const before = familyCpuMs(pid);
    await wait(SETTLED_MS);
    if (familyCpuMs(pid) - before < SETTLED_MS / 5) return;
  }
}

/**
 * What every server is asked before it is measured for the first time, whatever its pace: until V8 has compiled what a request
 * runs, each costs several times as much.
 */
export const WARM_REQUESTS = 12_000;
/** What it is asked before each other measurement, because another one had the core meanwhile. */
const AGAIN_REQUESTS = 1_000;
/** A server that takes longer for its warm-up fails. */
const LONGEST_WARM_UP_SECONDS = 300;

const NO_TURNS: Turns = { p99: Number.NaN, longest: Number.NaN };

/**
 * Measures one contender once. Before that it answers `warmRequests` as fast as it can, in which others are asked for than
 * afterwards.
 * @throws Error when it refused anything: then the figures are not what they seem
 */
export async function measureRound(
  generator: Generator,
  contender: Contender,
  options: Load & { warmRequests?: number; round?: number },
): Promise<Round> {
  const { warmRequests = AGAIN_REQUESTS, round = 0, ...load } = options;
  const { pid, helperPid } = contender;
  const job = { ...load, asked: contender.asked ?? load.asked, port: contender.port };
  const warm = { seconds: LONGEST_WARM_UP_SECONDS, requests: warmRequests, rate: null, seed: 2 * round };
  await generator.run({ ...job, ...warm });
  const helperCpuMs = () => (helperPid === undefined ? 0 : familyCpuMs(helperPid));
  const turns = contender.turns ?? (async () => NO_TURNS);
  await turns();
  const [before, helperBefore, waitedBefore] = [familyCpuMs(pid), helperCpuMs(), waitedMs(pid)];
  const begin = performance.now();
  const outcome = await generator.run({ ...job, requests: null, seed: 2 * round + 1 });
  const elapsedMs = performance.now() - begin;
  const used = familyCpuMs(pid) - before;
  const cpuMicros = (used * 1_000) / outcome.answered;
  const helperMicros = ((helperCpuMs() - helperBefore) * 1_000) / outcome.answered;
  const share = used / (load.seconds * 1_000);
  const waited = (waitedMs(pid) - waitedBefore) / elapsedMs;
  if (Object.keys(outcome.refused).length > 0) {
    throw new Error(`${contender.name} refused requests: ${JSON.stringify(outcome.refused)}`);
  }
  return { ...outcome, cpuMicros, helperMicros, share, waited, turns: await turns() };
}

/** Processor time of a contender with its helper. */
export const allMicros = ({ cpuMicros, helperMicros }: Round): number => cpuMicros + helperMicros;

/** The processor time of a contender's helper in a table. */
export function shownHelper(rounds: readonly Round[]): string {
  const micros = rounds.map(({ helperMicros }) => helperMicros);
  return micros.every((one) => one === 0) ? '–' : shownSpread(spreadOf(micros));
}

/**
 * Measures all contenders in turn, again and again, so that a machine that changes its pace does so for all of them; every
 * second round goes the other way round. The first rounds, one unless `warmUpRounds` says otherwise, only warm up, each by
 * {@link WARM_REQUESTS}; the others by `warmRequests`. `beforeRound` is called before each; after each, a server has up to
 * `maxSettlingMs` to become idle.
 */
export async function compare(
  generator: Generator,
  contenders: readonly Contender[],
  options: Load & {
    rounds: number;
    warmUpRounds?: number;
    warmRequests?: number;
    beforeRound?: () => void;
    maxSettlingMs?: number;
  },
): Promise<Map<string, Round[]>> {
  const { rounds, warmUpRounds = 1, warmRequests = AGAIN_REQUESTS, beforeRound, maxSettlingMs, ...load } = options;
  const found = new Map<string, Round[]>(contenders.map(({ name }) => [name, []]));
  await inRounds(warmUpRounds + rounds, async (round) => {
    const isWarm = round >= warmUpRounds;
    beforeRound?.();
    for (const contender of round % 2 === 0 ? contenders : contenders.toReversed()) {
      const warming = isWarm ? warmRequests : WARM_REQUESTS;
      const measured = await measureRound(generator, contender, { ...load, warmRequests: warming, round });
      if (isWarm) found.get(contender.name)?.push(measured);
      await settle(contender.pid, maxSettlingMs ?? MAX_SETTLING_MS);
    }
  });
  return found;
}

/** Below this share of its core a server in a closed loop was kept from working by others. */
const LEAST_SHARE = 0.85;

/** Says so when the machine was busy with other things, because ratios of answers a second mean little then. */
export function doubt(...measured: readonly Round[][]): string | undefined {
  const shares = measured.map((rounds) => spreadOf(rounds.map(({ share }) => share)).median);
  const least = Math.min(...shares);
  return least < LEAST_SHARE ? `not judged: a server had only ${shown(least)} of its core` : undefined;
}

/** Above this share of the time, others on its core decide how long the slowest hundredth takes. */
const MOST_WAITED = 0.05;

/** The same of a steady stream, which leaves a server idle most of the time. */
export function doubtOfWaits(...measured: readonly Round[][]): string | undefined {
  const shares = measured.map((rounds) => spreadOf(rounds.map(({ waited }) => waited)).median);
  const most = Math.max(...shares);
  return most > MOST_WAITED ? `not judged: a server waited ${shown(most)} of the time for its core` : undefined;
}
