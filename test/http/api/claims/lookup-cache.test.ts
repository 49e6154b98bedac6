import { beforeEach, describe, expect, test } from 'vitest';
import type { AccountName } from '../../../../src/domain/account.ts';
import { createLookupCache } from '../../../../src/http/api/claims/lookup-cache.ts';

const ALICE = { platform: 'farcaster', platformUserId: '1' } as const;
const BOB = { platform: 'farcaster', platformUserId: '2' } as const;
const BOBS_HANDLE = { platform: 'twitter', handle: '2' } as const;

interface Look {
  readonly asOf: string;
  readonly body: string | null;
}

interface Question extends PromiseWithResolvers<Look> {
  readonly identifiers: readonly AccountName[];
  readonly since: string | null;
}

/** What the cache has asked so far, each of which a test answers. */
let questions: Question[];
let find: (...identifiers: AccountName[]) => Promise<string>;

beforeEach(() => {
  questions = [];
  const cached = createLookupCache((identifiers, since) => {
    const question = { ...Promise.withResolvers<Look>(), identifiers, since };
    questions.push(question);
    return question.promise;
  });
  find = (...identifiers) => cached(identifiers);
});

/** A look-up whose question is answered at once; what it had asked, and the body. */
async function found(look: Look, ...identifiers: AccountName[]): Promise<[string | null | undefined, string]> {
  const answer = find(...identifiers);
  questions.at(-1)?.resolve(look);
  return [questions.at(-1)?.since, await answer];
}

describe('look-ups that are kept', () => {
  test('behavior: each asks whether the kept body is still right in the latest state', async () => {
    expect(await found({ asOf: '1', body: 'a' }, ALICE)).toEqual([null, 'a']);
    expect(await found({ asOf: '5', body: null }, ALICE)).toEqual(['1', 'a']);
    expect(await found({ asOf: '6', body: 'a2' }, ALICE)).toEqual(['5', 'a2']);
    expect(await found({ asOf: '6', body: null }, ALICE)).toEqual(['6', 'a2']);
  });

  test('behavior: accounts and handles are kept apart, and of several accounts none', async () => {
    await found({ asOf: '1', body: 'a' }, ALICE);
    expect(await found({ asOf: '1', body: 'b' }, BOB)).toEqual([null, 'b']);
    expect(await found({ asOf: '1', body: 'of a handle' }, BOBS_HANDLE)).toEqual([null, 'of a handle']);
    for (const body of ['both', 'both again']) {
      expect(await found({ asOf: '1', body }, ALICE, BOB)).toEqual([null, body]);
    }
    expect(await found({ asOf: '1', body: null }, BOB)).toEqual(['1', 'b']);
  });

  test('behavior: a body that is read slowly is kept with the state that it was read from', async () => {
    const slow = find(ALICE);
    expect(await found({ asOf: '2', body: 'new' }, ALICE)).toEqual([null, 'new']);
    questions[0]?.resolve({ asOf: '1', body: 'old' });
    expect(await slow).toBe('old');
    expect(await found({ asOf: '2', body: 'new' }, ALICE)).toEqual(['1', 'new']);
  });

  test('error: when the store does not answer, nothing that was kept is answered, and it is asked again', async () => {
    await found({ asOf: '1', body: 'a' }, ALICE);
    const failed = find(ALICE);
    questions.at(-1)?.reject(new Error('disk I/O error'));
    await expect(failed).rejects.toThrow('disk I/O error');
    expect(await found({ asOf: '2', body: 'a2' }, ALICE)).toEqual(['1', 'a2']);
  });
});
