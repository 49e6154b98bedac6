import { shorten } from './shorten.ts';

/** A terminal that a line can be written on again and again. */
export interface Screen {
  readonly width: number;
  write(text: string): void;
}

/** Of a terminal that does not say how wide it is. */
const USUAL_WIDTH = 80;

/** The width of an output; null when it is no terminal. */
export function widthOfTerminal({ isTTY, columns }: { isTTY?: boolean; columns?: number }): number | null {
  return isTTY === true ? columns || USUAL_WIDTH : null;
}

/** An output as a screen; null when it is no terminal. */
export function screenOf(output: NodeJS.WriteStream): Screen | null {
  const width = widthOfTerminal(output);
  return width === null ? null : { width, write: (text) => void output.write(text) };
}

export interface ProgressLine {
  /** Says how much is done of what is named, such as `gigs`. It leaves the line when that is all. */
  count(what: string, done: number, total: number | null): void;
  /** Takes the line away, for other text; the next count writes it again. */
  clear(): void;
}

interface Part {
  readonly begunAt: number;
  readonly done: number;
  readonly total: number | null;
}

const EACH_MS = 100;
/** Before that a pace says nothing. */
const PACE_MS = 1_000;
const ERASE = '\r\x1b[K';

function whole(count: number): string {
  return Math.floor(count).toLocaleString('en-US');
}

function paceText(perSecond: number): string {
  if (perSecond >= 10) return `${whole(perSecond)}/s`;
  return perSecond >= 1 ? `${perSecond.toFixed(1)}/s` : `${(perSecond * 60).toFixed(1)}/min`;
}

function leftText(seconds: number): string {
  if (seconds < 60) return `${Math.ceil(seconds)} s left`;
  const minutes = Math.ceil(seconds / 60);
  return minutes < 60 ? `${minutes} min left` : `${Math.floor(minutes / 60)} h ${minutes % 60} min left`;
}

/** How far something is: `gigs: 1,200 of 5,000, 85/s, 45 s left`. */
export function progressText(what: string, { begunAt, done, total }: Part, now: number): string {
  const count = total === null ? whole(done) : `${whole(done)} of ${whole(total)}`;
  const spentMs = now - begunAt;
  if (spentMs < PACE_MS || done === 0) return `${what}: ${count}`;
  const perSecond = (done * 1_000) / spentMs;
  const left = total === null ? '' : `, ${leftText((total - done) / perSecond)}`;
  return `${what}: ${count}, ${paceText(perSecond)}${left}`;
}

/**
 * The {@link ProgressLine} on a screen; without one nothing is shown.
 * @param options.elapsed milliseconds since some moment
 */
export function createProgress({ screen, elapsed }: { screen: Screen | null; elapsed: () => number }): ProgressLine {
  const parts = new Map<string, Part>();
  let drawnAt = Number.NEGATIVE_INFINITY;
  let isShown = false;

  function clear(): void {
    if (isShown) screen?.write(ERASE);
    isShown = false;
    drawnAt = Number.NEGATIVE_INFINITY;
  }

  function draw(now: number): void {
    if (parts.size === 0) clear();
    if (screen === null || parts.size === 0 || now - drawnAt < EACH_MS) return;
    const text = [...parts].map(([what, part]) => progressText(what, part, now)).join('; ');
    // In the last place some terminals begin a new line.
    screen.write(`${ERASE}${shorten(text, screen.width - 1, 'end')}`);
    isShown = true;
    drawnAt = now;
  }

  return {
    clear,
    count(what, done, total) {
      const now = elapsed();
      const before = parts.get(what);
      // Less than before is counted anew, as when another endpoint is asked.
      const begunAt = before === undefined || done < before.done ? now : before.begunAt;
      // That none of one is done says nothing.
      if (total !== null && (done >= total || total === 1)) parts.delete(what);
      else parts.set(what, { begunAt, done, total });
      draw(now);
    },
  };
}
