import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { drawRatios } from '../../bench/report/picture.ts';
import type { Verdict } from '../../bench/report.ts';

const ORIGIN = { commit: 'abc', isDirty: false };
const RATIO = { goal: 'ours <of> theirs', is: 'at least' } as const;
const MET: Verdict = { ...RATIO, measured: { median: 10, least: 1, most: 100 }, bound: 1 };
const MISSED: Verdict = { ...RATIO, goal: 'p99', measured: { median: 0.1, least: 0.1, most: 1 }, bound: 10 };

/** The values of an attribute of all elements with this class, in order. */
function attributes(svg: string, name: string, attribute: string): number[] {
  const elements = svg.match(new RegExp(`<(?:rect|line) class="${name}"[^>]*>`, 'g')) ?? [];
  return elements.map((element) => Number(new RegExp(` ${attribute}="([^"]*)"`).exec(element)?.[1]));
}

test('behavior: bars reach from 1 to the median on an axis of powers of ten, lines from the least to the most', () => {
  const svg = drawRatios([MET, MISSED], ORIGIN);
  // From 0.1 at 20 to 100 at 840: a power of ten is 273.3 wide, and 1 lies at 293.3.
  expect(attributes(svg, 'met', 'x')).toEqual([293.3]);
  expect(attributes(svg, 'met', 'width')).toEqual([273.4]);
  expect(attributes(svg, 'missed', 'x')).toEqual([20]);
  expect(attributes(svg, 'missed', 'width')).toEqual([273.3]);
  expect(attributes(svg, 'spread', 'x1')).toEqual([293.3, 20]);
  expect(attributes(svg, 'spread', 'x2')).toEqual([840, 293.3]);
  expect(attributes(svg, 'goal', 'x1')).toEqual([293.3, 566.7]);
});

test('behavior: the figures stand beside the bars, and the axis has its powers of ten', () => {
  const svg = drawRatios([MET, MISSED], ORIGIN);
  expect(svg).toContain('>ours &lt;of&gt; theirs<');
  expect(svg).toContain('>10.0 (1.00–100), at least 1.00: met<');
  expect(svg).toContain('>0.10 (0.10–1.00), at least 10.0: missed<');
  for (const tick of ['0.10', '1.00', '10.0', '100']) expect(svg).toContain(`text-anchor="middle">${tick}</text>`);
});

test('behavior: what is not judged is drawn so, and what is no ratio is left out', () => {
  const doubtful = { ...MISSED, doubt: 'a busy machine' };
  const svg = drawRatios([doubtful, { ...MET, goal: 'memory', unit: 'MB' }], ORIGIN);
  expect(svg).toContain('at least 10.0: not judged<');
  expect(attributes(svg, 'open', 'width')).toEqual([410]);
  expect(svg).not.toContain('memory');
});

test('error: a rival that answered nothing has no bar of any length, and no line', () => {
  const none = { median: Number.NaN, least: Number.NaN, most: Number.POSITIVE_INFINITY };
  const svg = drawRatios([{ ...MET, measured: none }], ORIGIN);
  expect(attributes(svg, 'missed', 'width')).toEqual([0]);
  expect(attributes(svg, 'spread', 'x1')).toEqual([]);
  expect(svg).not.toContain('NaN');
});

test('behavior: it names the commit, and has colors for dark pages', () => {
  expect(drawRatios([MET], { commit: 'abc', isDirty: true })).toContain('>Commit abc, DIRTY.');
  expect(drawRatios([MET], ORIGIN)).toContain('@media (prefers-color-scheme: dark)');
});

test('behavior: the picture in the repository is of the same run as the report there', () => {
  const [report, picture] = ['results.md', 'results.svg'].map((name) =>
    readFileSync(new URL(`../../bench/${name}`, import.meta.url), 'utf8'),
  );
  const commit = /^- (?:Commit |\*\*Dirty\*\*: commit )([0-9a-f]{40})/m.exec(report ?? '')?.[1];
  if (commit === undefined) expect(picture).toContain('>No run has drawn this picture yet');
  else expect(picture).toContain(`>Commit ${commit}`);
});
