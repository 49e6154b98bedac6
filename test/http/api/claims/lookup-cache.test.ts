import { setImmediate } from 'node:timers/promises';
import { beforeEach, describe, expect, test } from 'vitest';
import type { AccountName } from '../../../../src/domain/account.ts';
import { createLookupCache, type LookupCache } from '../../../../src/http/api/claims/lookup-cache.ts';

const ALICE = { platform: 'farcaster', platformUserId: '1' } as const;
const BOB = { platform: 'farcaster', platformUserId: '2' } as const;

type Changed = readonly AccountName[] | null;

/** The questions for changes so far, each of which a test answers. */
let questions: PromiseWithResolvers<Changed>[];
let cache: LookupCache;

beforeEach(() => {
  questions = [];
  cache = createLookupCache({
    takeChanged() {
      const question = Promise.withResolvers<Changed>();
      questions.push(question);
      return question.promise;
    },
  });
});

/** Lets what was asked in this turn go as far as it can. */
const turn = async () => {
  await setImmediate();
  await setImmediate();
};

const find = (body: string, account: AccountName = ALICE) => cache.find([account], async () => body);

/** A look-up whose question is answered at once. */
async function found(body: string, changed: Changed, account: AccountName = ALICE): Promise<string> {
  const answer = find(body, account);
  await turn();
  questions.at(-1)?.resolve(changed);
  return await answer;
}

describe('look-ups that are kept', () => {
  test('behavior: the look-ups of one turn share a question, and one that is under way serves no later one', async () => {
    const early = [find('a'), find('a', BOB)];
    await turn();
    expect(questions).toHaveLength(1);
    let isLateAnswered = false;
    const late = find('b').then((body) => {
      isLateAnswered = true;
      return body;
    });
    await turn();
    questions[0]?.resolve([]);
    expect(await Promise.all(early)).toEqual(['a', 'a']);
    await turn();
    expect([questions.length, isLateAnswered]).toEqual([2, false]);
    questions[1]?.resolve([ALICE]);
    expect(await late).toBe('b');
  });

  test('behavior: look-ups of several turns that wait for an answer share the next question', async () => {
    const first = find('a');
    await turn();
    const others = [find('b')];
    await turn();
    others.push(find('c', BOB));
    await turn();
    expect(questions).toHaveLength(1);
    questions[0]?.resolve([]);
    expect(await first).toBe('a');
    await turn();
    expect(questions).toHaveLength(2);
    questions[1]?.resolve([]);
    expect(await Promise.all(others)).toEqual(['a', 'c']);
  });

  test.for([
    ['names its account', [ALICE]],
    ['may be of any account', null],
  ] as const)('behavior: a body is not kept whose reading began before an answer that %s', async ([, changed]) => {
    const reading = Promise.withResolvers<string>();
    const slow = cache.find([ALICE], () => reading.promise);
    await turn();
    questions[0]?.resolve([]);
    await turn();
    expect(await found('of bob', changed, BOB)).toBe('of bob');
    reading.resolve('old');
    expect(await slow).toBe('old');
    expect(await found('new', [])).toBe('new');
    expect(await found('newer', [])).toBe('new');
  });

  test('behavior: an answer forgets the accounts that it names, and one of any account all of them', async () => {
    expect(await found('a', [])).toBe('a');
    expect(await found('b', [], BOB)).toBe('b');
    expect(await found('a2', [ALICE])).toBe('a2');
    expect(await found('b2', [], BOB)).toBe('b');
    expect(await found('a3', null)).toBe('a3');
    expect(await found('b3', [], BOB)).toBe('b3');
  });

  test('error: a question that fails forgets everything, and what is read meanwhile is not kept', async () => {
    expect(await found('a', [])).toBe('a');
    const reading = Promise.withResolvers<string>();
    const slow = cache.find([BOB], () => reading.promise);
    await turn();
    questions.at(-1)?.resolve([]);
    await turn();
    const failed = find('a2');
    await turn();
    questions.at(-1)?.reject(new Error('disk I/O error'));
    expect(await failed).toBe('a2');
    reading.resolve('old');
    await slow;
    expect(await found('b', [], BOB)).toBe('b');
  });
});
