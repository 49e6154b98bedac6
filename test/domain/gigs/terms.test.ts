import fc from 'fast-check';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { addressField } from '../../../src/domain/fields.ts';
import {
  ABSENT_TERMS,
  DURATIONS,
  problemsByTerm,
  STORED_TERMS,
  storedTerms,
  TERMS,
  type Terms,
  termsProblems,
} from '../../../src/domain/gigs/terms.ts';
import { fieldProblemsOf } from '../../../src/domain/validation.ts';
import { accountShape } from '../../../src/http/api/gigs/gig-json.ts';
import { gig } from '../../bot/samples.ts';

/** 2026-11-21T09:30:00Z. */
const NOW = 1_795_253_400_000;
const YEAR = 31_536_000_000;

const problems = (terms: Partial<Terms>, earningOnX = true) => termsProblems(terms, { now: NOW, earningOnX });

test('behavior: durations are whole days', () => {
  expect(DURATIONS).toEqual({
    '1day': 86_400_000,
    '3days': 259_200_000,
    '1week': 604_800_000,
    '2weeks': 1_209_600_000,
    '3months': 7_776_000_000,
    '6months': 15_552_000_000,
  });
});

test.each<[text: string, time: number]>([
  ['2027-03-01T15:00:00Z', 1_803_913_200_000],
  ['2027-03-01T15:00:00.250Z', 1_803_913_200_250],
  ['2027-03-01T15:00:00.2509999Z', 1_803_913_200_250],
  ['2027-03-01T20:30:00+05:30', 1_803_913_200_000],
  ['2027-03-01T07:00:00-08:00', 1_803_913_200_000],
  ['2028-02-29T00:00:00Z', 1_835_395_200_000],
])('behavior: %s is a start', (text, time) => {
  expect(TERMS.start_time.parse(text)).toBe(time);
});

test('behavior: whatever is taken for a start is a time', () => {
  const two = fc.integer({ min: 0, max: 99 }).map((number) => String(number).padStart(2, '0'));
  const zone = fc.oneof(
    fc.constantFrom('Z', 'z', '', '+00', '-00:00', '+0530'),
    fc.tuple(two, two).map((hm) => `+${hm.join(':')}`),
  );
  const text = fc
    .tuple(fc.integer({ min: 0, max: 9999 }), fc.array(two, { minLength: 5, maxLength: 5 }), zone)
    .map(
      ([year, [month, day, hour, minute, second], end]) =>
        `${String(year).padStart(4, '0')}-${month}-${day}T${hour}:${minute}:${second}${end}`,
    );
  fc.assert(
    fc.property(fc.oneof(text, fc.string()), (start) => {
      const result = z.safeParse(TERMS.start_time, start);
      if (result.success) expect(Number.isSafeInteger(result.data)).toBe(true);
    }),
    { numRuns: 2_000 },
  );
});

test('behavior: free text is trimmed, and empty text is none', () => {
  for (const field of [TERMS.how_to_earn, TERMS.keyword, TERMS.verifier, TERMS.url]) {
    expect(field.parse(' text ')).toBe('text');
    for (const none of ['', '  \n', null, undefined]) expect(field.parse(none)).toBeNull();
  }
});

test('security: a url is kept as it is understood', () => {
  const url = (text: string) => TERMS.url.parse(text);
  expect(url('https://x.com/alice/status/1')).toBe('https://x.com/alice/status/1');
  expect(url('HTTPS://X.COM/alice/status/1?a=b')).toBe('https://x.com/alice/status/1?a=b');
  expect(url('https://x.com/alice/sta\ntus/1')).toBe('https://x.com/alice/status/1');
  expect(url('https:\\\\x.com\\alice\\status\\1')).toBe('https://x.com/alice/status/1');
  expect(url('https://x.com/alice/status/1?"><b>')).toBe('https://x.com/alice/status/1?%22%3E%3Cb%3E');
});

test('behavior: x stands for twitter, and Farcaster for nothing said', () => {
  expect(TERMS.platform.parse('x')).toBe('twitter');
  expect(TERMS.platform.parse('twitter')).toBe('twitter');
  expect(TERMS.platform.parse(undefined)).toBe('farcaster');
});

test('behavior: addresses are kept in lower case, those in mixed case only with their checksum', () => {
  const field = addressField('address');
  const lower = '0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed';
  expect(field.parse(lower)).toBe(lower);
  expect(field.parse('0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed')).toBe(lower);
  expect(field.safeParse('0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeaEd').success).toBe(false);
});

test('security: an id on X that a JSON number cannot hold is refused instead of becoming another one', () => {
  const id = accountShape.platform_user_id;
  expect(id.safeParse(JSON.parse('1541815603606036481')).success).toBe(false);
  expect(id.safeParse(9_007_199_254_740_992).success).toBe(false);
  expect(id.parse(9_007_199_254_740_991)).toBe('9007199254740991');
  expect(id.parse('1541815603606036481')).toBe('1541815603606036481');
});

test('behavior: a handle is kept without its @', () => {
  expect(accountShape.username.parse('@alice.eth')).toBe('alice.eth');
  expect(accountShape.username.parse('Bob_2-x')).toBe('Bob_2-x');
  expect(accountShape.username.parse(undefined)).toBeNull();
});

test('behavior: a start may lie a year ahead, and as far back as it likes', () => {
  for (const startTime of [NOW + YEAR, NOW, 0, -1]) expect(problems({ startTime })).toEqual([]);
  expect(problems({ startTime: NOW + YEAR + 1 })).toEqual(['start_time must be at most a year in the future']);
});

test('behavior: what is malformed is left out and causes nothing more', () => {
  expect(problems({})).toEqual([]);
  expect(problems({ gigType: 'like' })).toEqual([]);
  expect(problems({ gigType: 'like', url: 'https://example.com' })).toEqual([]);
  expect(problems({ gigType: 'custom_bounty' })).toEqual([]);
  expect(problems({ url: null, platform: 'farcaster' })).toEqual([]);
});

test('error: a bounty says how to earn it and who decides', () => {
  const bounty = { gigType: 'custom_bounty' } as const;
  expect(problems({ ...bounty, howToEarn: 'Draw a cat.', verifier: 'us' })).toEqual([]);
  expect(problems({ ...bounty, howToEarn: null, verifier: null })).toEqual([
    'how_to_earn is required for custom_bounty gigs',
    'verifier is required for custom_bounty gigs',
  ]);
});

test('error: earning on X can be off', () => {
  expect(problems({ platform: 'twitter' })).toEqual([]);
  expect(problems({ platform: 'farcaster' }, false)).toEqual([]);
  expect(problems({ platform: 'twitter' }, false)).toEqual([
    'platform: earning on X is off here, because X forbids paying for posts; the operator can allow it with ALLOW_X_EARNING=true',
  ]);
});

test('error: a problem of a term begins with the name of the term', () => {
  const names = Object.keys(TERMS);
  const wrong = z.object(TERMS).safeParse(Object.fromEntries(names.map((name) => [name, []]))).error;
  const malformed = wrong === undefined ? [] : fieldProblemsOf(wrong);
  expect([...new Set(malformed.map(({ field }) => field))]).toEqual(names);
  const bounty = { gigType: 'custom_bounty', howToEarn: null, verifier: null, url: 'x', platform: 'twitter' } as const;
  const unfit = problemsByTerm(
    { ...bounty, startTime: NOW + 2 * YEAR, keyword: 'word', refundAddress: `0x${'0'.repeat(40)}` },
    { now: NOW, earningOnX: false },
  );
  const fields = 'start_time url keyword refund_address how_to_earn verifier platform';
  expect(unfit.map(({ field }) => field).join(' ')).toBe(fields);
  for (const { field, text } of [...malformed, ...unfit]) expect(text.startsWith(field ?? 'none')).toBe(true);
});

test('behavior: a gig has most terms as they were given, and those that a client may leave out have a value', () => {
  const first = ['startTime', 'duration', 'gigType', 'title', 'howToEarn', 'platform', 'verifier'];
  const kept = [...first, 'refundAddress', 'start', 'ownersMayAward'];
  expect(STORED_TERMS).toEqual(kept);
  expect(Object.keys(storedTerms(gig()))).toEqual(kept);
  expect(storedTerms(gig({ verifier: 'a person' }))).toMatchObject({ gigType: 'mention', verifier: 'a person' });
  expect(ABSENT_TERMS).toEqual({
    title: null,
    howToEarn: null,
    platform: 'farcaster',
    verifier: null,
    refundAddress: null,
    start: 'on_request',
    ownersMayAward: false,
  });
});
