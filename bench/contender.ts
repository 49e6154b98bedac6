import { setTimeout as wait } from 'node:timers/promises';
import type { Turns } from './beside/turns.ts';
import { shown, spreadOf } from './figures.ts';
import type { Generator } from './generator.ts';
import type { Asked, Outcome } from './load/job.ts';
import { cpuMs, waitedMs } from './processes.ts';
import { inRounds } from './rounds.ts';

/** A server that is measured beside others. */
export interface Contender {
  readonly name: string;
  readonly port: number;
  /** The server itself, whose processor time is counted; that of a database beside it is counted apart. */
  readonly pid: number;
  /** Milliseconds of processor time that its database has used. */
  readonly databaseCpuMs?: () => number;
  /** The turns of its event loop since the last call, where they are measured. */
  readonly turns?: () => Promise<Turns>;
  /** What it is asked, where that is not what the others are. */
  readonly asked?: Asked;
  stop(): Promise<void>;
}

/** One round of one contender. */
export interface Round extends Outcome {
  /** Microseconds of the server's processor time for each answer. */
  readonly cpuMicros: number;
  /** The same of its database, if that is told; 0 otherwise. */
  readonly databaseMicros: number;
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
    const before = cpuMs(pid);
    await wait(SETTLED_MS);
    if (cpuMs(pid) - before < SETTLED_MS / 5) return;
  }
}

const WARM_UP_SECONDS = 0.5;
/**
 * What a server needs until V8 has compiled what it runs: below ten thousand requests each costs several times as much.
 * Shorter than servers keep an idle connection.
 */
export const FIRST_WARM_UP_SECONDS = 4;

const NO_TURNS: Turns = { p99: Number.NaN, longest: Number.NaN };

/**
 * Measures one contender once, after `warmUpSeconds` of the same load, in which others are asked for than afterwards.
 * @throws Error when it refused anything: then the figures are not what they seem
 */
export async function measureRound(
  generator: Generator,
  contender: Contender,
  options: Load & { warmUpSeconds?: number; round?: number },
): Promise<Round> {
  const { warmUpSeconds = WARM_UP_SECONDS, round = 0, ...load } = options;
  const job = { ...load, asked: contender.asked ?? load.asked, port: contender.port, seed: 2 * round + 1 };
  await generator.run({ ...job, seconds: warmUpSeconds, seed: 2 * round });
  const databaseCpuMs = contender.databaseCpuMs ?? (() => 0);
  const turns = contender.turns ?? (async () => NO_TURNS);
  await turns();
  const [before, databaseBefore, waitedBefore] = [cpuMs(contender.pid), databaseCpuMs(), waitedMs(contender.pid)];
  const begin = performance.now();
  const outcome = await generator.run(job);
  const elapsedMs = performance.now() - begin;
  const used = cpuMs(contender.pid) - before;
  const cpuMicros = (used * 1_000) / outcome.answered;
  const databaseMicros = ((databaseCpuMs() - databaseBefore) * 1_000) / outcome.answered;
  const share = used / (load.seconds * 1_000);
  const waited = (waitedMs(contender.pid) - waitedBefore) / elapsedMs;
  if (Object.keys(outcome.refused).length > 0) {
    throw new Error(`${contender.name} refused requests: ${JSON.stringify(outcome.refused)}`);
  }
  return { ...outcome, cpuMicros, databaseMicros, share, waited, turns: await turns() };
}

/**
 * Measures all contenders in turn, again and again, so that a machine that changes its pace does so for all of them; every
 * second round goes the other way round. The first rounds, one unless `warmUpRounds` says otherwise, only warm up, each for
 * longer than the `warmUpSeconds` of the others. `beforeRound` is called before each; after each, a server has up to
 * `maxSettlingMs` to become idle.
 */
export async function compare(
  generator: Generator,
  contenders: readonly Contender[],
  options: Load & {
    rounds: number;
    warmUpRounds?: number;
    warmUpSeconds?: number;
    beforeRound?: () => void;
    maxSettlingMs?: number;
  },
): Promise<Map<string, Round[]>> {
  const { rounds, warmUpRounds = 1, warmUpSeconds = WARM_UP_SECONDS, beforeRound, maxSettlingMs, ...load } = options;
  const found = new Map<string, Round[]>(contenders.map(({ name }) => [name, []]));
  await inRounds(warmUpRounds + rounds, async (round) => {
    const isWarm = round >= warmUpRounds;
    beforeRound?.();
    for (const contender of round % 2 === 0 ? contenders : contenders.toReversed()) {
      const settling = isWarm ? warmUpSeconds : FIRST_WARM_UP_SECONDS;
      const measured = await measureRound(generator, contender, { ...load, warmUpSeconds: settling, round });
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
