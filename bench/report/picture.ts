import { shown } from '../figures.ts';
import { isMet, shownBound, shownMeasured, type Verdict } from '../report.ts';

const WIDTH = 860;
const MARGIN = 20;
const TOP = 64;
const ROW = 58;
const BAR = 10;
/** The class of a bar, by whether its goal is met; null is not judged. */
const CLASSES = new Map<boolean | null, string>([
  [true, 'met'],
  [false, 'missed'],
  [null, 'open'],
]);

/** Colors for a light page, and for a dark one where the reader's is. */
const STYLE = `
  text { font: 13px system-ui, sans-serif; fill: #1f2328 }
  .small { font-size: 11px; fill: #59636e }
  .axis { stroke: #d1d9e0 } .one { stroke: #59636e } .spread { stroke: #1f2328; stroke-width: 1.5 }
  .goal { stroke: #8250df; stroke-width: 3 }
  .met { fill: #4ac26b } .missed { fill: #fa7970 } .open { fill: #afb8c1 }
  @media (prefers-color-scheme: dark) {
    text { fill: #f0f6fc }
    .small { fill: #9198a1 }
    .axis { stroke: #3d444d } .one { stroke: #9198a1 } .spread { stroke: #f0f6fc }
    .goal { stroke: #d2a8ff }
    .met { fill: #238636 } .missed { fill: #da3633 } .open { fill: #656c76 }
  }`;

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}

/** What can be drawn on an axis of powers of ten. */
function isDrawn(value: number): boolean {
  return Number.isFinite(value) && value > 0;
}

/** The exponents of ten between which all of these values lie, with 1 among them. */
function exponents(values: readonly number[]): { from: number; to: number } {
  const all = [0, ...values.filter(isDrawn).map((value) => Math.log10(value))];
  const from = Math.floor(Math.min(...all));
  return { from, to: Math.max(from + 1, Math.ceil(Math.max(...all))) };
}

/** Draws values from left to right. */
function createScale({ from, to }: { from: number; to: number }): (value: number) => number {
  const room = WIDTH - 2 * MARGIN;
  return (value) => Math.round((MARGIN + (room * (Math.log10(value) - from)) / (to - from)) * 10) / 10;
}

function line(name: string, [x1, x2]: readonly [number, number], [y1, y2]: readonly [number, number]): string {
  return `<line class="${name}" x1="${x1}" x2="${x2}" y1="${y1}" y2="${y2}"/>`;
}

function rowOf(verdict: Verdict, y: number, scale: (value: number) => number): string {
  const { goal, measured, bound } = verdict;
  const { median, least, most } = measured;
  const met = isMet(verdict);
  const judged = met === null ? 'not judged' : met ? 'met' : 'missed';
  const says = `${shownMeasured(verdict)}, ${shownBound(verdict)}: ${judged}`;
  const middle = y + 26 + BAR / 2;
  const [one, at] = [scale(1), scale(isDrawn(median) ? median : 1)];
  const [left, width] = [Math.min(one, at), Math.round(Math.abs(at - one) * 10) / 10];
  const drawn = [
    `<text x="${MARGIN}" y="${y + 4}">${escaped(goal)}</text>`,
    `<text class="small" x="${MARGIN}" y="${y + 19}">${escaped(says)}</text>`,
    `<rect class="${CLASSES.get(met)}" x="${left}" y="${y + 26}" width="${width}" height="${BAR}"/>`,
    line('goal', [scale(bound), scale(bound)], [y + 23, y + 39]),
  ];
  if (isDrawn(least) && isDrawn(most)) drawn.push(line('spread', [scale(least), scale(most)], [middle, middle]));
  return `<g>${drawn.join('')}</g>`;
}

function caption(text: string): string {
  return `<text class="small" x="${MARGIN}" y="20">${escaped(text)}</text>`;
}

function svgOf(height: number, content: readonly string[]): string {
  const size = `viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}"`;
  const root = `<svg xmlns="http://www.w3.org/2000/svg" ${size} role="img" aria-label="Measured ratios and their goals">`;
  return `${root}\n<style>${STYLE}\n</style>\n${content.join('\n')}\n</svg>\n`;
}

/** Where the figures are from. */
export interface Origin {
  readonly commit: string;
  readonly isDirty: boolean;
}

/** All goals that are ratios as one SVG: a bar from 1 to the median, a line from the least to the most, and a mark at the goal. */
export function drawRatios(verdicts: readonly Verdict[], origin: Origin): string {
  const ratios = verdicts.filter(({ unit }) => unit === undefined);
  const range = exponents(
    ratios.flatMap(({ measured, bound }) => [measured.median, measured.least, measured.most, bound]),
  );
  const scale = createScale(range);
  const bottom = TOP + ratios.length * ROW;
  const ticks = Array.from({ length: range.to - range.from + 1 }, (_, index) => 10 ** (range.from + index));
  const axis = ticks.map((tick) => {
    const at = scale(tick);
    const label = `<text class="small" x="${at}" y="${TOP - 18}" text-anchor="middle">${shown(tick)}</text>`;
    return `${line(tick === 1 ? 'one' : 'axis', [at, at], [TOP - 12, bottom])}${label}`;
  });
  const from = `Commit ${origin.commit}${origin.isDirty ? ', DIRTY' : ''}. Bars: medians; thin lines: least to most; thick marks: goals.`;
  const rows = ratios.map((verdict, index) => rowOf(verdict, TOP + index * ROW, scale));
  return svgOf(bottom + 12, [caption(from), ...axis, ...rows]);
}
