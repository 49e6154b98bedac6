import { describe, expect, test } from 'vitest';
import { type EarningFacts, REFUSAL_REASONS, type RefusalReason } from '../../../../src/domain/earning/earning.ts';
import type { Rule } from '../../../../src/domain/earning/rules/index.ts';
import type { EarningRules, Gates } from '../../../../src/domain/earning/terms/rules.ts';
import { type RefusalFacts, reasonWords } from '../../../../src/domain/earning/words/reason-words.ts';
import { type DescribedGig, describeRules, howToEarn } from '../../../../src/domain/earning/words/sentence.ts';
import { SAMPLE_RULES } from '../../../support/earning.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

const GIG: DescribedGig = {
  gigType: 'like',
  platform: 'farcaster',
  target: { kind: 'post', postId: '0x01', authorId: '7' },
  token: { decimals: 6, symbol: 'USDC' },
};

const { gates: GATES } = SAMPLE_RULES;

const NO_GATES: Gates = {
  minScore: 0,
  minAccountAgeDays: 0,
  minFollowers: 0,
  verifiedAddress: false,
  spamLabel: 'any',
  minLetters: 0,
};

const FIXED: Rule = { type: 'fixed', amount: 2_000_000n };
const ROUND = { roundMs: 24 * HOUR, maxAmount: 5_500_000n };
const RULES: EarningRules = { ...SAMPLE_RULES, rule: FIXED };
const BARE: EarningRules = { ...RULES, gates: NO_GATES, holdMs: 0 };

const NEEDS =
  'needs a score of at least 0.55, an account older than the gig and at least 7 days old, its own verified address and no spam label';

describe('how to earn', () => {
  const POST = { kind: 'post', postId: '0x01', authorId: '7' } as const;
  const ACCOUNT = { kind: 'account', accountId: '7' } as const;

  test.each<[gigType: DescribedGig['gigType'], target: DescribedGig['target'], text: string]>([
    ['like', POST, 'Like the cast.'],
    ['recast', POST, 'Recast the cast.'],
    ['boost', POST, 'Recast or quote the cast.'],
    ['boost', null, 'Recast or quote the cast.'],
    ['reply', POST, 'Reply to the cast.'],
    ['follow', ACCOUNT, 'Follow the account.'],
    ['mention', ACCOUNT, 'Mention the account in a cast.'],
    ['mention', { kind: 'keyword', keyword: 'hello' }, 'Write "hello" in a cast.'],
    ['mention', null, 'Ask the organizer which account to mention.'],
    ['follow', null, 'Ask the organizer which account to follow.'],
    [
      'custom_bounty',
      POST,
      'Do what the bounty asks for.\nTo submit your work, mention the bot with "submit 15 …", or reply to the cast.',
    ],
    [
      'custom_bounty',
      ACCOUNT,
      'Do what the bounty asks for.\nTo submit your work, mention the bot with "submit 15 …".',
    ],
    ['custom_bounty', null, 'Do what the bounty asks for.'],
  ])('behavior: a %s gig about %j says what counts', (gigType, target, text) => {
    const gig = { id: 15, gigType, platform: 'farcaster', howToEarn: null, externalUrl: null } as const;
    expect(howToEarn(gig, target)).toBe(text);
    const [, how] = text.split('\n');
    const own = how === undefined ? 'Say hello.' : `Say hello.\n${how}`;
    expect(howToEarn({ ...gig, howToEarn: 'Say hello.' }, target)).toBe(own);
    expect(howToEarn({ ...gig, howToEarn: own }, target)).toBe(own);
  });

  test.each([
    ['mention', 'Mention the account in a cast.'],
    ['follow', 'Follow the account.'],
  ] as const)('behavior: a manual %s gig speaks of the account that its URL names', (gigType, text) => {
    const externalUrl = 'https://farcaster.xyz/alice';
    const gig = { id: 15, gigType, platform: 'farcaster', howToEarn: null, externalUrl } as const;
    expect(howToEarn(gig, null)).toBe(text);
  });
});

describe('rules in words', () => {
  test.each<{ rules: Partial<EarningRules>; text: string }>([
    {
      rules: {},
      text: `Each account that likes the cast gets 2 USDC, first come, until the reward is used up; it ${NEEDS}. Likes are held for 12 hours.`,
    },
    {
      rules: { rule: { type: 'split', ...ROUND } },
      text: `Every 24 hours the accounts that like the cast share a part of the reward equally, at most 5.5 USDC each; each ${NEEDS}. Each part is divided 12 hours after each round.`,
    },
    {
      rules: { rule: { type: 'weighted', by: 'score_reach', ...ROUND, roundMs: HOUR }, holdMs: HOUR },
      text: `Every hour the accounts that like the cast share a part of the reward by score and reach, at most 5.5 USDC each; each ${NEEDS}. Each part is divided 1 hour after each round.`,
    },
    {
      rules: { rule: { type: 'weighted', by: 'score', ...ROUND }, holdMs: 0 },
      text: `Every 24 hours the accounts that like the cast share a part of the reward by score, at most 5.5 USDC each; each ${NEEDS}.`,
    },
    {
      rules: { rule: { type: 'raffle', winners: 10 } },
      text: `After the end 10 of the accounts that like the cast are drawn and get 1/10 each of what is left of the reward; each ${NEEDS}. Likes are held for 12 hours.`,
    },
    {
      rules: { rule: { type: 'raffle', winners: 1 }, gates: NO_GATES, holdMs: 0 },
      text: 'After the end 1 of the accounts that like the cast is drawn and gets what is left of the reward; each needs an account older than the gig.',
    },
    { rules: { rule: { type: 'manual' } }, text: 'Tips are awarded by request.' },
  ])('behavior: $text', ({ rules, text }) => {
    expect(describeRules({ ...RULES, ...rules }, GIG)).toBe(text);
  });

  test.each<[gig: Partial<DescribedGig>, doing: string]>([
    [{ gigType: 'recast' }, 'recasts the cast'],
    [{ gigType: 'boost' }, 'recasts or quotes the cast'],
    [{ gigType: 'reply' }, 'replies to the cast'],
    [{ gigType: 'mention', target: { kind: 'account', accountId: '7' } }, 'mentions the account'],
    [{ gigType: 'mention', target: { kind: 'keyword', keyword: '$usdc' } }, 'mentions "$usdc" in a cast'],
    [{ gigType: 'follow', target: { kind: 'account', accountId: '7' } }, 'follows the account'],
    [{ gigType: 'custom_bounty', target: null }, 'submits its work'],
  ])('behavior: %j is in the words of its type', (gig, doing) => {
    const text = describeRules({ ...RULES, gates: NO_GATES }, { ...GIG, ...gig });
    expect(text).toContain(`Each account that ${doing} gets 2 USDC, first come, until the reward is used up`);
    expect(text).toMatch(/\. [A-Z][a-z ]+ are held for 12 hours\.$/);
  });

  test('behavior: a verifier decides about submissions', () => {
    const rule: Rule = { type: 'verifier', maxAmount: 1n };
    expect(describeRules({ ...BARE, rule }, { ...GIG, gigType: 'custom_bounty', target: null })).toBe(
      'For each account that submits its work the verifier decides what it gets, at most 0.000001 USDC; it needs an account older than the gig and its own text.',
    );
  });

  test.each<[gates: Partial<Gates>, needs: string]>([
    [{}, 'an account older than the gig'],
    [{ minScore: 999_999 }, 'a score of at least 0.999999 and an account older than the gig'],
    [{ minAccountAgeDays: 1 }, 'an account older than the gig and at least 1 day old'],
    [{ minFollowers: 1 }, 'an account older than the gig and at least 1 follower'],
    [
      { minFollowers: 25, verifiedAddress: true },
      'an account older than the gig, at least 25 followers and its own verified address',
    ],
    [{ spamLabel: 'trusted' }, 'an account older than the gig and a trusted label'],
  ])('behavior: %j is needed', (gates, needs) => {
    const text = describeRules({ ...BARE, gates: { ...NO_GATES, ...gates } }, GIG);
    expect(text).toBe(
      `Each account that likes the cast gets 2 USDC, first come, until the reward is used up; it needs ${needs}.`,
    );
  });

  test('behavior: letters are needed where there is a text', () => {
    const rules = { ...BARE, gates: { ...NO_GATES, minLetters: 10 } };
    expect(describeRules(rules, { ...GIG, gigType: 'reply' })).toContain('and its own text with at least 10 letters.');
    expect(describeRules(rules, { ...GIG, gigType: 'boost' })).toContain(
      'and for a quote its own text with at least 10 letters.',
    );
    expect(describeRules(rules, GIG)).not.toContain('letters');
  });
});

const FACTS: EarningFacts = {
  username: 'alice',
  score: 412_300,
  followers: 1,
  registeredAt: 1_000 * DAY,
  label: 'spam',
  verifiedAddresses: 0,
  letters: 3,
};

describe('reasons in words', () => {
  const words = (reason: RefusalReason, change: Partial<RefusalFacts> = {}) =>
    reasonWords(reason, { facts: FACTS, gates: GATES, rankedAt: 1_003.5 * DAY, ...change });

  test.each<[reason: RefusalReason, text: string, change?: Partial<RefusalFacts>]>([
    ['score_too_low', 'the Farcaster score is 0.4123; this gig requires 0.55'],
    ['too_young', 'the account was 3 days old; this gig requires 7'],
    ['too_young', 'the account was 1 day old; this gig requires 7', { rankedAt: 1_001 * DAY }],
    ['too_young', 'the account was 0 days old; this gig requires 7', { rankedAt: 999 * DAY }],
    ['too_young', 'the account was created after the gig', { rankedAt: 1_007 * DAY }],
    [
      'too_young',
      'the age of the account is unknown; this gig requires 7 days',
      { facts: { ...FACTS, registeredAt: null } },
    ],
    ['too_few_followers', 'the account has 1 follower; this gig requires 9', { gates: { ...GATES, minFollowers: 9 } }],
    [
      'too_few_followers',
      'the number of followers is unknown; this gig requires 9',
      { gates: { ...GATES, minFollowers: 9 }, facts: { ...FACTS, followers: null } },
    ],
    ['labelled_spam', 'the account is labeled as spam'],
    ['labelled_spam', 'the account is not labeled as trusted', { gates: { ...GATES, spamLabel: 'trusted' } }],
    ['text_too_short', 'the text has 3 letters besides links and names; this gig requires 10'],
    ['account_gone', 'the account no longer exists', { facts: null }],
  ])('behavior: %s: %s', (reason, text, change) => {
    expect(words(reason, change)).toBe(text);
  });

  test('behavior: the account itself is addressed', () => {
    const own = (reason: RefusalReason) => words(reason, { isOwn: true });
    expect([own('score_too_low'), own('withdrawn'), own('too_young')]).toEqual([
      'your Farcaster score is 0.4123; this gig requires 0.55',
      'you undid it before the decision',
      'your account was 3 days old; this gig requires 7',
    ]);
  });

  test('behavior: every reason has words of its own, with and without facts', () => {
    const all = REFUSAL_REASONS.map((reason) => words(reason));
    expect(new Set(all).size).toBe(REFUSAL_REASONS.length);
    for (const text of [...all, ...REFUSAL_REASONS.map((reason) => words(reason, { facts: null }))]) {
      expect(text).toMatch(/^[a-z].*[a-z0-9]$/);
    }
  });
});
