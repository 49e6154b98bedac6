import { expect, test } from 'vitest';
import { commandLineText, personText, refusalReply } from '../../../src/domain/errors.ts';
import { ERROR_CODES } from '../../../src/http/errors/error-codes.ts';
import { errorForPeople, errorResult } from '../../../src/http/errors/error-words.ts';
import { postable } from '../../bot/measures.ts';
import { read } from '../../support/architecture.ts';
import { FAULTS, REFUSED } from './samples.ts';

/** A name of the API or of a setting, the value of a field, and a header. */
const API_WORDS = /\w_\w|\w=|\bis (true|false)\b|idempotency|x-api-key/i;

test('behavior: test/http/errors/samples.ts has every code', () => {
  const codes = [...REFUSED, ...FAULTS].map(({ code }) => code);
  expect([...new Set(codes)].toSorted()).toEqual(Object.keys(ERROR_CODES).toSorted());
});

test('behavior: only its row has the words of an error code', () => {
  const codes = Object.keys(ERROR_CODES).join('|');
  const hasWords = new RegExp(`case '(${codes})'|^\\s*(${codes}): `, 'm');
  const isRows = /\/(\w+-refusals|http-faults)\.ts$/;
  const found = [...read('src')].filter(
    ([path, source]) =>
      !isRows.test(path) &&
      /DomainError|\.refusal\b|RefusalCode|ErrorCode|HttpFault/.test(source) &&
      hasWords.test(source),
  );
  expect(found.map(([path]) => path)).toEqual([]);
});

test('behavior: people in a browser read no name of a field, of a setting or of a header', () => {
  const sentences = [
    ...REFUSED.map((refusal) => personText(refusal)),
    ...FAULTS.map((e) => errorForPeople(e).sentence),
  ];
  expect(sentences.filter((sentence) => API_WORDS.test(sentence))).toEqual([]);
});

test('behavior: no reply of the bot has such a name, and each can be posted', () => {
  const replies = REFUSED.flatMap((refusal) => postable((measure) => refusalReply(refusal, measure)));
  expect(replies.filter((reply) => API_WORDS.test(reply))).toEqual([]);
});

test('behavior: each reader has its own words of the same refusal', () => {
  const refusal = { code: 'owners_may_not', gigId: 9, act: 'award' } as const;
  expect(errorResult(refusal, 'mine-1')).toEqual({
    status: 403,
    body: {
      error: 'The client of gig with id 9 does not let its owners award tips of it: owners_may_award is false',
      code: 'owners_may_not',
      request_id: 'mine-1',
    },
  });
  expect(personText(refusal)).toBe(
    "You can't award tips of gig 9: the client that created it doesn't let its owners do that.",
  );
  expect(commandLineText(refusal)).toBe('Only an owner of gig 9 may do that.');
});

test('behavior: where a reader has no words of its own, those of the next more general one are read', () => {
  expect(personText({ code: 'gig_ended', gigId: 9 })).toBe('Gig with id 9 has ended');
  expect(commandLineText({ code: 'invalid_request', message: 'The name is taken' })).toBe('The name is taken');
});

test('behavior: an answer says how soon another try may succeed, and nothing where it would fail the same way', () => {
  const headersOf = (retryAfter: number | null) => errorResult({ code: 'chain_unreachable', retryAfter }, 'a').headers;
  expect([headersOf(7), headersOf(null)]).toEqual([{ 'retry-after': '7' }, {}]);
  expect(errorResult({ code: 'gig_in_progress', gigId: 9 }, 'a').headers).toEqual({ 'retry-after': '5' });
});

test('behavior: each problem of a request is a sentence for people', () => {
  const details = ['award is more than max_amount, which is 5 USDC', 'id 7 is no open candidate'];
  expect(personText({ code: 'validation_failed', details })).toBe(
    'This gig pays at most 5 USDC per account. The id 7 is no open candidate.',
  );
});
