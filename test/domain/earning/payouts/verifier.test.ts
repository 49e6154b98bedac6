import { describe, expect, test } from 'vitest';
import { noteOf } from '../../../../src/domain/earning/payouts/decisions.ts';
import {
  byHandHint,
  deciderOf,
  deciderWords,
  readOrigin,
  verifierUrl,
} from '../../../../src/domain/earning/payouts/verifier.ts';
import { submittedWords, toSubmission } from '../../../../src/domain/earning/submission.ts';

const ORIGINS = ['https://good.example', 'http://127.0.0.1:4000'];

test('behavior: it is told who decides', () => {
  const urlOf = (verifier: string | null) => verifierUrl(verifier, ORIGINS);
  const told = (verifier: string | null) => deciderWords(deciderOf(verifier, { urlOf }));
  expect(told('https://good.example/decide?key=1')).toBe('decided by the verifier at https://good.example');
  for (const verifier of ['https://evil.example/', 'the council', null]) expect(told(verifier)).toBe('decided by hand');
  expect(deciderOf('https://good.example', undefined)).toBe('hand');
});

describe('the verifier of a gig', () => {
  test.each([
    ['https://good.example', 'https://good.example/'],
    ['https://good.example/decide?a=1', 'https://good.example/decide?a=1'],
    ['HTTPS://GOOD.EXAMPLE/Decide', 'https://good.example/Decide'],
    ['https://good.example:443/x', 'https://good.example/x'],
    ['https:good.example/x', 'https://good.example/x'],
    ['https://good.example\\@evil.example/', 'https://good.example/@evil.example/'],
    ['http://127.1:4000/x', 'http://127.0.0.1:4000/x'],
  ])('behavior: %s is asked', (text, url) => {
    expect(verifierUrl(text, ORIGINS)).toBe(url);
  });

  test.each([
    ...['https://good.example@evil.example/', 'https://good.example:pw@evil.example/', 'https://user@good.example/'],
    ...['https://user:pw@good.example/', 'https://good.example./', 'https://good.example:444/', 'http://good.example/'],
    ...['https://good.example.evil.example/', 'https://sub.good.example/', 'https://goodxexample/'],
    ...['https://g\u043eod.example/', 'https://evil.example/https://good.example/', 'http://127.0.0.1/'],
    ...['http://localhost:4000/', 'http://[::ffff:127.0.0.1]:4000/', 'file:///etc/passwd'],
    'blob:https://good.example/x',
  ])('security: %s is not asked', (text) => {
    expect(verifierUrl(text, ORIGINS)).toBeNull();
  });

  test.each(['Ann: decides', 'bob.eth', 'good.example', null])('behavior: %s decides by hand', (words) => {
    expect(verifierUrl(words, ORIGINS)).toBeNull();
  });

  test('behavior: origins are https, or on this machine', () => {
    expect(readOrigin('https://Good.example/')).toBe('https://good.example');
    expect(readOrigin('http://localhost:1')).toBe('http://localhost:1');
    expect(readOrigin('http://[::1]:1')).toBe('http://[::1]:1');
    for (const text of [
      ...['http://good.example', 'https://good.example/x', 'https://a@b.example', 'good.example', '*', ''],
    ])
      expect(readOrigin(text)).toBeNull();
  });
});

describe('a submission', () => {
  const bot = { username: 'gigclaim' };
  const act = { kind: 'mention', accountId: '1', username: null, objectId: '0x1', actedAt: 1 } as const;

  test.each([
    ['@gigclaim submit 42 my work', true],
    ['@gigclaim SUBMIT gig #42: my work 🎨', true],
    ['submit 42', true],
    [`@gigclaim submit 42 ${'long '.repeat(400)}`, true],
    ['@gigclaim submit 42 claim my rewards 0x00', true],
    ['@gigclaim submit 421 my work', false],
    ['@gigclaim submit 42x', false],
    ['@gigclaim please submit 42', false],
    ['@other @gigclaim submit 42 x', false],
    ['@gigclaim ѕubmit 42 x', false],
    ['@gigclaim submit 4² x', false],
    ['', false],
  ])('behavior: %j is one to gig 42: %s', (text, isOne) => {
    expect(toSubmission({ ...act, text }, { bot, gigId: 42 }) !== null).toBe(isOne);
  });

  test('behavior: its words come without the command', () => {
    expect(submittedWords('@gigclaim submit gig #42 my work').trim()).toBe('my work');
    expect(submittedWords('my submit 42')).toBe('my submit 42');
  });
});

test('security: words of a verifier are shown without names, links, tags and control characters', () => {
  expect(noteOf(' not\u0000 good\n\u202eenough ')).toBe('not good enough');
  expect(noteOf('see https://evil.example/x and evil.example @alice #tag $DEGEN')).toBe('see and alice tag DEGEN');
  expect(noteOf('see evil.$com, evil#.example/x and evil.\uff04org')).toBe(
    'see evil. com, evil .example/x and evil. org',
  );
  expect(noteOf('\u200b @ ')).toBeNull();
  expect(Array.from(noteOf('é'.repeat(500)) ?? '').length).toBe(120);
});

test.each([
  ['https://other.example/decide?key=1', 'hand', 'the operator of this service does not allow https://other.example.'],
  ['http://other.example:8080', 'hand', 'the operator of this service does not allow http://other.example:8080.'],
  ['https://good.example', { origin: 'https://good.example' }, null],
  ['the jury: we decide', 'hand', null],
  ['data:text/plain,x', 'hand', null],
  [null, 'hand', null],
] as const)('behavior: says why %s is not asked, when it is a URL', (verifier, decider, why) => {
  expect(byHandHint(verifier, decider)).toBe(why === null ? null : `The verifier is not asked: ${why}`);
});
