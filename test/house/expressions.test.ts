import { globSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { parseCommand } from '../../src/bot/commands/index.ts';
import { parseClaim } from '../../src/domain/claims/claim.ts';
import { objectionTo } from '../../src/domain/claims/claim-destination.ts';
import { gigAfter } from '../../src/domain/mentions/command.ts';
import { wordsTo } from '../../src/domain/mentions/command-text.ts';
import { readSearch } from '../../src/domain/operators/search.ts';
import { readAwardList } from '../../src/domain/owners/award-list.ts';
import { isSignable } from '../../src/domain/owners/sign-in.ts';
import { parseProfileUrl } from '../../src/domain/platforms/platforms.ts';
import { createHiding } from '../../src/domain/platforms/without-secrets.ts';
import { pathExpression } from '../../src/http/middleware/cors.ts';
import {
  type Expression,
  expressionsOf,
  type Pump,
  processorTime,
  pumped,
  pumpsOf,
  searchAll,
} from '../support/expressions.ts';

const SIZE = 64 * 1024;
/** Milliseconds of the processor that one text of 64 kB may take on a quick machine. */
const MOST_MS = 10;
/** How many plain passes over as long a text, each of whose characters is found, a reader may take on a slow one. */
const MOST_PASSES = 3;
/** Shorter texts find what grows faster than its input, before a long one takes minutes. */
const SHORTER = [24, 200, 1000, SIZE / 8];

const SOURCES = globSync('src/**/*.{ts,js}');

const timeOf = (read: (text: string) => unknown, pump: Pump, size: number, enough: number) => {
  const text = pumped(pump, size);
  return processorTime(() => read(text), enough);
};

/** Milliseconds that one text of 64 kB may take here and now: what grows faster than its input takes a hundred times as long. */
function mostNow(): number {
  const pass = timeOf((text) => text.replaceAll(/[@<>]/gu, ''), { pump: '@', end: '' }, SIZE, MOST_MS / MOST_PASSES);
  return Math.max(MOST_MS, MOST_PASSES * pass);
}

/** The pump with which reading takes the longest; it ends at the first that takes too long already for a shorter text. */
function slowest(read: (text: string) => unknown, pumps: readonly Pump[]): { ms: number; pump: Pump } {
  let worst = { ms: 0, pump: { pump: 'a', end: '' } };
  for (const pump of pumps) {
    for (const size of SHORTER) {
      // What is linear need not be measured well.
      const ms = timeOf(read, pump, size, size > 1000 ? MOST_MS : 1);
      if (ms > worst.ms) worst = { ms, pump };
      if (ms > MOST_MS) return { ms: Number.POSITIVE_INFINITY, pump };
    }
  }
  return { ...worst, ms: timeOf(read, worst.pump, SIZE, MOST_MS) };
}

function slow({ path, line, text, pattern }: Expression): string[] {
  const { ms, pump } = slowest((said) => searchAll(pattern, said), pumpsOf(pattern));
  return ms > MOST_MS && ms > mostNow() ? [`${path}:${line} ${text} takes ${ms} ms for ${JSON.stringify(pump)}`] : [];
}

describe('texts of strangers', () => {
  test('security: every regular expression reads 64 kB in 10 ms of the processor', () => {
    const found = expressionsOf(SOURCES);
    expect(found.length).toBeGreaterThan(200);
    const once = [...new Map(found.map((each) => [each.text, each])).values()];
    expect(once.flatMap(slow)).toEqual([]);
  });

  test('security: an expression that takes quadratic time is found', () => {
    const bad = [/\s+$/, /max\w* gas/, /\s*(?:"((?:[^"]|"")*)"|([^",]*))\s*(,|$)/y].map((pattern) => ({
      path: 'a.ts',
      line: 1,
      text: pattern.source,
      pattern,
    }));
    expect(bad.filter((each) => slow(each).length === 0)).toEqual([]);
  });

  /** What reads texts by expressions that are put together: by the file that makes them. */
  const READERS: Readonly<Record<string, (text: string) => unknown>> = {
    'src/bot/commands/stop.ts': (text) => parseCommand(`stop ${text}`, { username: 'gigclaim' }),
    'src/domain/claims/claim-destination.ts': (text) => objectionTo(text, ''),
    'src/domain/claims/claim.ts': (text) => parseClaim(`claim my rewards ${text}`),
    'src/domain/mentions/command-text.ts': (text) => wordsTo({ username: 'gigclaim' }, text),
    'src/domain/mentions/command.ts': gigAfter('status', 'gig'),
    'src/domain/mentions/post-urls.ts': parseProfileUrl,
    'src/domain/operators/search.ts': readSearch,
    'src/domain/owners/sign-in.ts': (text) => isSignable(`https://${text.replaceAll(/[^a-z0-9.-]/g, 'a')}`),
    'src/domain/platforms/without-secrets.ts': createHiding(['claim my rewards at', '@a @a', 'a.a.b', 'aa a', '" "']),
    'src/http/middleware/cors.ts': (text) => pathExpression(['/api/claim', '/api/gigs/:id{[0-9]+}/draw']).test(text),
  };
  const PUMPS = [
    ...'-a0 .,:/@"\'#_вé\u0301\u200d漢',
    ' @a',
    '0x',
    'a.',
    'a:',
    '0 ',
    '" ',
    'claim my rewards ',
    ' https://a',
  ].flatMap((pump) => ['', '\0', ' \0\n', '"'].map((end) => ({ pump, end })));

  test('security: what reads them by expressions made at run time takes no longer', () => {
    const making = SOURCES.filter((path) => /\bRegExp\(/.test(readFileSync(path, 'utf8')));
    expect(Object.keys(READERS)).toEqual(making.toSorted());
    const times = Object.entries(READERS).map(([path, read]) => ({ path, ...slowest(read, PUMPS) }));
    // They read a text several times: quadratic ones would take seconds.
    expect(times.filter(({ ms }) => ms > 6 * MOST_MS && ms > 6 * mostNow())).toEqual([]);
  });

  test('security: an award list of 65,000 characters of anything takes no longer', () => {
    const rows = [
      ...['@alice,1\n', '\n', ',', '"', '""', '" ', '"",', 'a', '0', ' ', '\t'],
      ...['@a', ' "', '"a" ', 'farcaster:', '\r', '漢'],
    ];
    const pumps = rows.flatMap((pump) => ['', '"', ',"', ' x', '\n@a,1'].map((end) => ({ pump, end })));
    const times = ['', 'a,', '@alice,"'].map((begin) =>
      slowest((text) => readAwardList(begin + text.slice(begin.length), 'farcaster'), pumps),
    );
    expect(times.filter(({ ms }) => ms > MOST_MS && ms > mostNow())).toEqual([]);
  });
});
