import { freePort } from '../../sandbox/port.ts';

/** How long a service's event loop was busy in one piece, in milliseconds of its main thread's processor time. */
export interface Turns {
  /** A request that comes at any moment finds a longer turn in one of a hundred cases. */
  readonly p99: number;
  readonly longest: number;
}

/**
 * What a request that comes at any moment has to wait for: each turn stands for as many moments as it is long, and a short one for
 * the time between two looks.
 * @param turns the processor time of each, in microseconds
 * @param lookMicros the time between two looks
 */
export function turnsOf(turns: readonly number[], lookMicros: number): Turns {
  const ascending = turns.toSorted((a, b) => a - b);
  const weights = ascending.map((turn) => Math.max(turn, lookMicros));
  const all = weights.reduce((sum, weight) => sum + weight, 0);
  let passed = 0;
  const index = weights.findIndex((weight) => {
    passed += weight;
    return passed >= 0.99 * all;
  });
  return { p99: (ascending[index] ?? 0) / 1_000, longest: (ascending.at(-1) ?? 0) / 1_000 };
}

/** How a service is started so that its turns are measured. */
export interface Probe {
  readonly flags: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** The turns since the last call. */
  turns(): Promise<Turns>;
}

export async function createProbe(): Promise<Probe> {
  const port = await freePort(0);
  return {
    flags: [`--import=${new URL('./probe.ts', import.meta.url).href}`],
    env: { BENCH_PROBE_PORT: String(port) },
    async turns() {
      const response = await fetch(`http://127.0.0.1:${port}/`);
      // Written by `bench/beside/probe.ts`.
      return (await response.json()) as Turns;
    },
  };
}
