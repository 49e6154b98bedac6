/** The sandbox's clock: the machine's, which can be moved on. */
export interface SandboxClock {
  /** Epoch ms. */
  now(): number;
  /** How far it is ahead of the machine's, in ms. */
  ahead(): number;
  moveOn(ms: number): void;
}

/** A clock that shows what `system` does. */
export function createSandboxClock(system: () => number): SandboxClock {
  let aheadMs = 0;
  return {
    now: () => system() + aheadMs,
    ahead: () => aheadMs,
    moveOn: (ms) => {
      aheadMs += ms;
    },
  };
}

const UNITS: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000 };
const MOST_MS = 366 * 86_400_000;

/** The milliseconds of `90m`, `13h` or `2d`; null for anything else, and for more than a year. */
export function parseSpan(text: string): number | null {
  const [, count = '', unit = ''] = /^([1-9][0-9]{0,5})([mhd])$/.exec(text.trim()) ?? [];
  const ms = Number(count) * (UNITS[unit] ?? 0);
  return ms > 0 && ms <= MOST_MS ? ms : null;
}

/** A span of whole minutes in words: `1 d 13 h`. */
export function describeSpan(ms: number): string {
  const parts = [
    [Math.floor(ms / 86_400_000), 'd'],
    [Math.floor(ms / 3_600_000) % 24, 'h'],
    [Math.floor(ms / 60_000) % 60, 'min'],
  ] as const;
  const named = parts.filter(([count]) => count > 0).map(([count, unit]) => `${count} ${unit}`);
  return named.length === 0 ? '0 min' : named.join(' ');
}
