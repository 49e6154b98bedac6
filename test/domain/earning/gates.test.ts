import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { SEEING_GRACE_MS } from '../../../src/domain/earning/due.ts';
import type { Observation, RefusalReason } from '../../../src/domain/earning/earning.ts';
import { type Candidate, type Judging, judgeAccount, targetAccount } from '../../../src/domain/earning/gates.ts';
import type { AccountFacts } from '../../../src/domain/earning/platform.ts';
import { payoutOf } from '../../../src/domain/earning/rules/index.ts';
import type { EarningRules, Gates, HeldRule } from '../../../src/domain/earning/terms/rules.ts';
import { SAMPLE_RULES } from '../../support/earning.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const START = 1_000 * DAY;
const END = START + 7 * DAY;
const CREATED = START - HOUR;
const ADDRESS = '0x00000000000000000000000000000000000000aa';

const { gates: GATES } = SAMPLE_RULES;

const RULES: Judging['rules'] = { ...SAMPLE_RULES, rule: { type: 'fixed', amount: 1n } };

const LIKE: Observation = {
  id: 1,
  gigId: 42,
  platform: 'farcaster',
  platformUserId: '1001',
  kind: 'like',
  objectId: '',
  actedAt: START + HOUR,
  firstSeenAt: START + HOUR,
  lastSeenAt: START + 13 * HOUR,
  rankedAt: START + HOUR,
  source: 'webhook',
  undoneAt: null,
  textHash: null,
  letters: null,
};

const REPLY: Observation = { ...LIKE, kind: 'reply', objectId: '0x01', textHash: 'aa', letters: 20 };
const LATER: Observation = {
  ...REPLY,
  id: 2,
  objectId: '0x02',
  actedAt: START + 2 * HOUR,
  firstSeenAt: START + 2 * HOUR,
  rankedAt: START + 2 * HOUR,
  textHash: 'bb',
};
const FOLLOW: Observation = { ...LIKE, kind: 'follow' };

const FACTS: AccountFacts = {
  accountId: '1001',
  username: 'alice',
  score: 900_000,
  followers: 100,
  registeredAt: START - 100 * DAY,
  addresses: [ADDRESS],
  follows: null,
};

const CANDIDATE: Candidate = {
  accountId: '1001',
  observations: [LIKE],
  isBlocked: false,
  label: 'unknown',
  facts: FACTS,
  dueAgainAt: START + 14 * HOUR,
  posts: new Set(['0x01', '0x02']),
};

const JUDGING: Judging = {
  rules: RULES,
  window: { startTime: START, endTime: END },
  gigCreatedAt: CREATED,
  watch: { sweptAt: START + 13 * HOUR, goneAt: null },
  settleBy: START + 13 * HOUR,
  ownAccounts: new Set(['1', '2']),
  addressHolders: new Map(),
  textHolders: new Map(),
};

interface Change {
  readonly act?: Partial<Observation>;
  readonly acts?: readonly Observation[];
  readonly facts?: Partial<AccountFacts> | 'gone';
  readonly candidate?: Partial<Candidate>;
  readonly gates?: Partial<Gates>;
  readonly judging?: Partial<Judging>;
}

function judge({ act, acts, facts, candidate, gates, judging }: Change) {
  const about: Candidate = {
    ...CANDIDATE,
    observations: acts ?? [{ ...LIKE, ...act }],
    facts: facts === 'gone' ? 'gone' : { ...FACTS, ...facts },
    ...candidate,
  };
  const rules = { ...RULES, gates: { ...GATES, ...gates } };
  return judgeAccount(about, { ...JUDGING, rules, ...judging });
}

const reasonOf = (change: Change) => {
  const judgement = judge(change);
  return judgement.state === 'refused' ? judgement.reason : judgement.state;
};

const other = { addressHolders: new Map([[ADDRESS, '7']] as const) };
const copied = { textHolders: new Map([['aa', '7']]) };
const gone = { watch: { sweptAt: null, goneAt: START + DAY } };

describe('gates', () => {
  test('behavior: who passes them is eligible, with what was known', () => {
    expect(judge({})).toEqual({
      state: 'eligible',
      observation: LIKE,
      facts: {
        username: 'alice',
        score: 900_000,
        followers: 100,
        registeredAt: START - 100 * DAY,
        label: 'unknown',
        verifiedAddresses: 1,
        letters: null,
      },
      addresses: [ADDRESS],
      textHash: null,
    });
  });

  test.each<[title: string, reason: RefusalReason, change: Change]>([
    ['an act before the start', 'before_start', { act: { actedAt: START - 1 } }],
    ['an act seen before the start', 'before_start', { act: { actedAt: null, rankedAt: START - 1 } }],
    ['a follower at the start', 'before_start', { act: { ...FOLLOW, source: 'start', actedAt: null } }],
    ['an act at the end', 'after_end', { act: { actedAt: END } }],
    ['an act that a sweep after the end did not find', 'after_end', { act: { actedAt: null, rankedAt: END } }],
    ['an act seen too late', 'after_end', { act: { firstSeenAt: END + SEEING_GRACE_MS + 1 } }],
    ['an own account', 'own_account', { candidate: { accountId: '2' } }],
    ['a blocked account', 'blocked', { candidate: { isBlocked: true } }],
    ['a like that the sweep did not find', 'withdrawn', { act: { lastSeenAt: START + 12 * HOUR } }],
    ['a reply that was deleted', 'withdrawn', { act: REPLY, candidate: { posts: new Set() } }],
    ['an account that follows no more', 'withdrawn', { act: FOLLOW, facts: { follows: false } }],
    ['an unfollow in the window', 'withdrawn', { act: { ...FOLLOW, undoneAt: END - 1 }, facts: { follows: true } }],
    ['an unfollow, and the target is gone', 'withdrawn', { act: { ...FOLLOW, undoneAt: END - 1 }, judging: gone }],
    ['an account that is gone', 'account_gone', { facts: 'gone' }],
    ['a follower that is gone', 'account_gone', { act: FOLLOW, facts: 'gone' }],
    ['no score', 'score_unknown', { facts: { score: null } }],
    ['a low score', 'score_too_low', { facts: { score: 549_999 } }],
    ['a young account', 'too_young', { facts: { registeredAt: START + HOUR - 7 * DAY + 1 } }],
    ['an account of unknown age', 'too_young', { facts: { registeredAt: null } }],
    [
      'an account that is younger than the gig',
      'too_young',
      { facts: { registeredAt: CREATED + 1 }, gates: { minAccountAgeDays: 0 } },
    ],
    ['few followers', 'too_few_followers', { facts: { followers: 9 }, gates: { minFollowers: 10 } }],
    ['unknown followers', 'too_few_followers', { facts: { followers: null }, gates: { minFollowers: 1 } }],
    ['a spam label', 'labelled_spam', { candidate: { label: 'spam' } }],
    ['no trusted label', 'labelled_spam', { gates: { spamLabel: 'trusted' } }],
    ['no verified address', 'no_verified_address', { facts: { addresses: [] } }],
    ['an address of another account here', 'same_address', { judging: other }],
    ['the same, where none is needed', 'same_address', { judging: other, gates: { verifiedAddress: false } }],
    ['a short text', 'text_too_short', { act: { ...REPLY, letters: 9 } }],
    ['a post without text', 'text_too_short', { act: { ...REPLY, letters: null, textHash: null } }],
    ['a text of another account here', 'duplicate_text', { act: REPLY, judging: copied }],
  ])('behavior: %s is refused: %s', (_, reason, change) => {
    expect(reasonOf(change)).toBe(reason);
  });

  test.each<[title: string, change: Change]>([
    ['an act at the start', { act: { actedAt: START, rankedAt: START } }],
    [
      'an act in the last millisecond, seen in time',
      { act: { actedAt: END - 1, firstSeenAt: END + SEEING_GRACE_MS }, judging: { settleBy: END + DAY } },
    ],
    ['an act of unknown time', { act: { actedAt: null } }],
    ['a follower', { act: FOLLOW, facts: { follows: true } }],
    ['an unfollow after the window, undone again', { act: { ...FOLLOW, undoneAt: END }, facts: { follows: true } }],
    ['a like that was undone, of a target that is gone', { act: { lastSeenAt: 0 }, judging: gone }],
    ['a deleted reply to a target that is gone', { act: REPLY, candidate: { posts: new Set() }, judging: gone }],
    ['an account without a score where none is needed', { facts: { score: null }, gates: { minScore: 0 } }],
    ['the lowest score', { facts: { score: 550_000 } }],
    ['an account that is just old enough', { facts: { registeredAt: START + HOUR - 7 * DAY } }],
    ['an account of unknown age where any will do', { facts: { registeredAt: null }, gates: { minAccountAgeDays: 0 } }],
    ['a trusted label', { candidate: { label: 'trusted' }, gates: { spamLabel: 'trusted' } }],
    ['a spam label where any will do', { candidate: { label: 'spam' }, gates: { spamLabel: 'any' } }],
    ['no address where none is needed', { facts: { addresses: [] }, gates: { verifiedAddress: false } }],
    ['its own address, once more', { judging: { addressHolders: new Map([[ADDRESS, '1001']] as const) } }],
    ['its own text, once more', { act: REPLY, judging: { textHolders: new Map([['aa', '1001']]) } }],
    ['no letter where none is needed', { act: { ...REPLY, letters: 0, textHash: null }, gates: { minLetters: 0 } }],
  ])('behavior: %s passes', (_, change) => {
    expect(reasonOf(change)).toBe('eligible');
  });

  /** Each gate, failed alone. */
  const FAILED: readonly [RefusalReason, Change][] = [
    ['before_start', { act: { actedAt: START - 1 } }],
    ['own_account', { candidate: { accountId: '2' } }],
    ['blocked', { candidate: { isBlocked: true } }],
    ['withdrawn', { candidate: { posts: new Set() } }],
    ['score_too_low', { facts: { score: 0 } }],
    ['too_young', { facts: { registeredAt: START } }],
    ['too_few_followers', { gates: { minFollowers: 1_000 } }],
    ['labelled_spam', { candidate: { label: 'spam' } }],
    ['same_address', { judging: { addressHolders: other.addressHolders } }],
    ['text_too_short', { act: { letters: 1 } }],
    ['duplicate_text', { judging: { textHolders: copied.textHolders } }],
  ];

  test('behavior: the first gate that fails is the reason', () => {
    fc.assert(
      fc.property(fc.subarray([...FAILED], { minLength: 1 }), (failed) => {
        const changes = failed.map(([, change]) => change);
        const all = <Part extends object>(part: (change: Change) => Part | undefined): Part =>
          Object.assign({}, ...changes.map(part));
        const reason = reasonOf({
          acts: [{ ...REPLY, ...all((change) => change.act) }],
          facts: all((change) => (change.facts === 'gone' ? undefined : change.facts)),
          candidate: all((change) => change.candidate),
          gates: all((change) => change.gates),
          judging: all((change) => change.judging),
        });
        expect(reason).toBe(failed[0]?.[0]);
      }),
    );
  });

  test('behavior: an account that one answer lacks is held until the next one', () => {
    const missing = { candidate: { facts: 'missing' } } as const;
    expect(judge(missing)).toEqual({ state: 'held', observation: LIKE, facts: null, dueAt: CANDIDATE.dueAgainAt });
    expect(reasonOf({ ...missing, act: { lastSeenAt: 0 } })).toBe('withdrawn');
  });

  test('behavior: of an account that is gone no facts are kept', () => {
    expect(judge({ facts: 'gone' })).toEqual({
      state: 'refused',
      reason: 'account_gone',
      observation: LIKE,
      facts: null,
    });
  });
});

describe('several acts', () => {
  const acts = [REPLY, LATER];
  const due = { settleBy: START + 14 * HOUR };
  const onlyLater = { posts: new Set(['0x02']) };

  test('behavior: the earliest that stands and passes counts', () => {
    expect(judge({ acts, judging: due })).toMatchObject({ state: 'eligible', observation: REPLY, textHash: 'aa' });
    const later = { state: 'eligible', observation: LATER, textHash: 'bb' };
    expect(judge({ acts, judging: due, candidate: onlyLater })).toMatchObject(later);
    expect(judge({ acts, judging: { ...due, ...copied } })).toMatchObject(later);
    expect(judge({ acts: [{ ...REPLY, letters: 1 }, LATER], judging: due })).toMatchObject({
      ...later,
      facts: { letters: 20 },
    });
  });

  test('behavior: a later one has its own hold', () => {
    const held = { state: 'held', observation: LATER, dueAt: START + 14 * HOUR };
    expect(judge({ acts, candidate: onlyLater })).toMatchObject(held);
    expect(judge({ acts, candidate: onlyLater, judging: { settleBy: START + 14 * HOUR } }).state).toBe('eligible');
  });

  test('behavior: a later one that cannot pass is not waited for', () => {
    expect(reasonOf({ acts: [REPLY, { ...LATER, letters: 1 }], candidate: onlyLater })).toBe('text_too_short');
    expect(reasonOf({ acts, candidate: { isBlocked: true } })).toBe('blocked');
    expect(reasonOf({ acts, candidate: { posts: new Set() } })).toBe('withdrawn');
  });

  test('behavior: when none passes, the one that came furthest gives the reason', () => {
    const judgement = judge({ acts: [{ ...REPLY, letters: 1 }, LATER], candidate: { posts: new Set(['0x01']) } });
    expect(judgement).toMatchObject({ state: 'refused', reason: 'text_too_short', observation: { id: 1 } });
  });

  test('error: there is no act', () => {
    expect(() => judge({ acts: [] })).toThrow(TypeError);
  });
});

test('behavior: a target or its author is an own account, a keyword has none', () => {
  expect(targetAccount({ kind: 'post', postId: '0x01', authorId: '7' })).toBe('7');
  expect(targetAccount({ kind: 'account', accountId: '8' })).toBe('8');
  expect(targetAccount({ kind: 'keyword', keyword: '$usdc' })).toBeNull();
});

describe('holds', () => {
  const window = { startTime: START, endTime: START + 25 * HOUR };
  const rounds: EarningRules['rule'] = { type: 'split', roundMs: 10 * HOUR, maxAmount: 1n };

  /** An act that was seen when it was done, so many hours after the start, or so many later. */
  const seen = (hours: number, later = 0) => {
    const rankedAt = START + hours * HOUR;
    return { rankedAt, firstSeenAt: rankedAt + later * HOUR };
  };

  const dueAt = (held: HeldRule, act: ReturnType<typeof seen>) => payoutOf(held.rule).dueOf(held, window, act);

  test('behavior: an act is held from when it was first seen', () => {
    expect(dueAt(RULES, seen(1))).toBe(START + 13 * HOUR);
    expect(dueAt({ rule: { type: 'raffle', winners: 1 }, holdMs: 0 }, seen(1))).toBe(START + HOUR);
  });

  test.each([
    [-1, 10],
    [0, 10],
    [9.9, 10],
    [10, 20],
    [19, 20],
    [20, 25],
    [24.9, 25],
    [25.1, 25.1],
  ])('behavior: in rounds, one that is done after %d h is held from %d h', (hours, from) => {
    expect(dueAt({ rule: rounds, holdMs: HOUR }, seen(hours))).toBe(START + from * HOUR + HOUR);
  });

  test('behavior: in rounds, one belongs to the round of its rank, and is held from when it was seen after that', () => {
    expect(dueAt({ rule: rounds, holdMs: HOUR }, seen(9, 0.5))).toBe(START + 11 * HOUR);
    expect(dueAt({ rule: rounds, holdMs: HOUR }, seen(9, 2))).toBe(START + 12 * HOUR);
  });
});
