import { expect, test } from 'vitest';
import { createProgress, screenOf } from '../../src/cli/progress.ts';
import { createFakeScreen } from '../support/screen.ts';

function open(width = 80) {
  const screen = createFakeScreen(width);
  let now = 5_000;
  const progress = createProgress({ screen, elapsed: () => now });
  return {
    screen,
    progress,
    pass(ms: number) {
      now += ms;
    },
  };
}

test('behavior: one line says how much is done, how fast, and how long the rest takes', () => {
  const { screen, progress, pass } = open();
  progress.count('gigs', 0, 5_000);
  expect(screen.line()).toBe('gigs: 0 of 5,000');
  pass(10_000);
  progress.count('gigs', 1_000, 5_000);
  expect(screen.line()).toBe('gigs: 1,000 of 5,000, 100/s, 40 s left');
  pass(1_990_000);
  progress.count('gigs', 2_000, 5_000);
  expect(screen.line()).toBe('gigs: 2,000 of 5,000, 1.0/s, 50 min left');
  pass(2_000_000);
  progress.count('gigs', 2_100, 5_000);
  expect(screen.line()).toBe('gigs: 2,100 of 5,000, 31.5/min, 1 h 33 min left');
  progress.count('gigs', 5_000, 5_000);
  expect(screen.line()).toBe('');
});

test('behavior: where nobody knows how much there is, it says how much is done and how fast', () => {
  const { screen, progress, pass } = open();
  progress.count('wallets', 0, null);
  pass(2_000);
  progress.count('wallets', 2_500, null);
  expect(screen.line()).toBe('wallets: 2,500, 1,250/s');
});

test('behavior: it is written at most ten times a second', () => {
  const { screen, progress, pass } = open();
  for (let done = 0; done < 1_000; done += 1) {
    progress.count('rows', done, 1_000);
    pass(1);
  }
  expect(screen.lines()).toHaveLength(10);
});

test('behavior: work within work stands in the same line, which is never longer than the terminal', () => {
  const { screen, progress, pass } = open(40);
  progress.count('gigs', 3, 8);
  pass(500);
  progress.count('blocks of Base', 10_000, 1_000_000);
  expect(screen.line()).toBe('gigs: 3 of 8; blocks of Base: 10,000 o…');
  pass(500);
  progress.count('blocks of Base', 1_000_000, 1_000_000);
  expect(screen.line()).toBe('gigs: 3 of 8, 3.0/s, 2 s left');
});

test('behavior: what is done once more is counted anew', () => {
  const { screen, progress, pass } = open();
  progress.count('blocks of Base', 0, 100);
  pass(50_000);
  progress.count('blocks of Base', 50, 100);
  pass(1_000);
  progress.count('blocks of Base', 0, 100);
  pass(2_000);
  progress.count('blocks of Base', 20, 100);
  expect(screen.line()).toBe('blocks of Base: 20 of 100, 10/s, 8 s left');
});

test('behavior: one thing alone is not counted', () => {
  const { screen, progress } = open();
  progress.count('gigs', 0, 1);
  expect(screen.lines()).toEqual([]);
});

test('behavior: the line gives way to other text, and comes again', () => {
  const { screen, progress } = open();
  progress.count('rows', 1, 10);
  progress.clear();
  expect(screen.line()).toBe('');
  progress.count('rows', 2, 10);
  expect(screen.line()).toBe('rows: 2 of 10');
});

test.each([
  ['on a terminal', { isTTY: true, columns: 80 }, '\r\x1b[Krows: 1 of 10\r\x1b[K'],
  ['where there is no terminal', {}, ''],
])('behavior: %s the output gets this and no more', (_, traits, written) => {
  const chunks: string[] = [];
  const write = (text: string) => chunks.push(text);
  const output = { write, ...traits } as unknown as NodeJS.WriteStream;
  const progress = createProgress({ screen: screenOf(output), elapsed: () => 0 });
  progress.count('rows', 1, 10);
  progress.clear();
  expect(chunks.join('')).toBe(written);
});
