import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { statusReply } from '../../src/bot/commands/status.ts';
import { whyReply } from '../../src/bot/commands/why.ts';
import type { Target } from '../../src/domain/earning/act.ts';
import { type Earning, REFUSAL_REASONS } from '../../src/domain/earning/earning.ts';
import type { GigEarning } from '../../src/services/gigs/show/find-earnings.ts';
import { OWN_TIPS, type OwnEarning } from '../../src/services/gigs/show/show-earnings.ts';
import { SAMPLE_FACTS, SAMPLE_RULES } from '../support/earning.ts';
import { FARCASTER, postable, X } from './measures.ts';
import { DAY, funding, gig, NOW, token } from './samples.ts';

const TWO = 2n * 10n ** 18n;
const POST: Target = { kind: 'post', postId: '0xab', authorId: '5' };
const overview: GigEarning = {
  rules: SAMPLE_RULES,
  target: POST,
  settlesAt: NOW + DAY,
  nextDivisionAt: null,
  decidedBy: null,
  byHandHint: null,
  isDecided: false,
  counts: { held: 0, eligible: 0, awarded: 0, refused: 0 },
  sums: { held: 0n, eligible: 0n, awarded: 0n, refused: 0n },
};
const like = gig({ gigType: 'like', status: 'live' });
const earning: Earning = {
  platform: 'farcaster',
  platformUserId: '1001',
  gigId: 42,
  state: 'held',
  reason: null,
  observationId: 1,
  rankedAt: NOW,
  dueAt: NOW + DAY / 2,
  facts: null,
  round: null,
  weight: null,
  amount: null,
  tipId: null,
  updatedAt: NOW,
};
const own = (overrides: Partial<OwnEarning> = {}): OwnEarning => {
  return { gig: like, overview, earning, missing: null, tips: [], ...overrides };
};
const why = (of: OwnEarning, platform = 'farcaster') => whyReply(of, { viewer: { platform }, now: NOW }, FARCASTER);

const RULE = 'Each account that likes the cast gets 2 DEGEN, first come, until the reward is used up';

describe('the state of a gig with rules', () => {
  const status = { now: NOW, funding: null, frozen: false, earning: overview };
  const told = 'Gig 42 is live until 22 Nov 2026, 12:00 UTC. Reward: 100 DEGEN.';

  test('behavior: says who earns how, and what an account needs where that fits', () => {
    const roomy = { ...FARCASTER, replyLimit: 1_024 };
    expect(statusReply(like, status, roomy)).toBe(
      `${told} ${RULE}; it needs a score of at least 0.55, an account older than the gig and at least 7 days old, ` +
        'its own verified address and no spam label. Likes are held for 12 hours.',
    );
    expect(statusReply(like, status, X)).toBe(`${told} ${RULE}.`);
    expect(statusReply(like, status, { ...X, replyLimit: 100 })).toBe(told);
  });

  test('behavior: says how something is submitted to a bounty, until its end', () => {
    const bounty = gig({ gigType: 'custom_bounty', status: 'live' });
    const how = 'To submit your work, mention me with "submit 42 …", or reply to the cast.';
    expect(statusReply(bounty, status, FARCASTER)).toContain(how);
    expect(statusReply(bounty, status, { ...FARCASTER, replyLimit: 200 })).toBe(`${told} ${how}`);
    expect(statusReply(bounty, { ...status, now: NOW + 9 * DAY }, FARCASTER)).not.toContain('submit 42');
  });

  test('behavior: an owner learns of the wallet first', () => {
    const wallet = `Its wallet 0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed holds 0 of 105 DEGEN.`;
    const planned = { ...like, status: 'created' } as const;
    const reply = (replyLimit: number) =>
      statusReply(planned, { ...status, funding: funding() }, { ...FARCASTER, replyLimit });
    expect(reply(1_024)).toContain(`${RULE}; it needs`);
    expect(reply(1_024).endsWith(`Likes are held for 12 hours. ${wallet}`)).toBe(true);
    expect(reply(200).endsWith(`Reward: 100 DEGEN. ${wallet}`)).toBe(true);
  });

  test('security: a keyword is no tag in a reply', () => {
    const mention = gig({ gigType: 'mention', status: 'live' });
    for (const keyword of ['$degen', 'degen']) {
      const about = { ...status, earning: { ...overview, target: { kind: 'keyword', keyword } as const } };
      expect(statusReply(mention, about, X)).toContain('Each account that mentions "degen" in a cast gets 2 DEGEN');
    }
  });
});

describe('why', () => {
  test('behavior: says of a held account what is not there any more', () => {
    expect(why(own({ missing: 'like' }))).toBe(
      'Gig 42: Held until 22 Nov 2026, 00:00 UTC. The decision follows. The like is no longer there.',
    );
    expect(why(own({ missing: 'follow', earning: { ...earning, dueAt: NOW } }))).toBe(
      'Gig 42: Held. The decision is due now. The follow is no longer there.',
    );
  });

  test.each<[string, Partial<Earning>, string]>([
    ['held', {}, 'Gig 42: Held until 22 Nov 2026, 00:00 UTC. The decision follows.'],
    ['due', { dueAt: NOW }, 'Gig 42: Held. The decision is due now.'],
    ['accepted', { state: 'eligible' }, 'Gig 42: Approved. The tip is pending.'],
    ['awarded', { state: 'awarded', amount: TWO, tipId: 1 }, 'Gig 42: Awarded 2 DEGEN.'],
    ...['sold likes', 'sold likes.', 'sold likes: https://x.example/1'].map(
      (voidReason): [string, Partial<Earning>, string] => [
        `awarded a tip that was voided (${voidReason})`,
        { state: 'awarded', amount: TWO, tipId: 1, voidReason },
        'Gig 42: Awarded 2 DEGEN, but the operator voided the tip: sold likes.',
      ],
    ),
    ...['https://x.example', 'foo.com', '@', '\u3164', 'too long '.repeat(50)].map(
      (voidReason): [string, Partial<Earning>, string] => [
        `awarded a tip that was voided for what has no words, or too many (${voidReason})`,
        { state: 'awarded', amount: TWO, tipId: 1, voidReason },
        'Gig 42: Awarded 2 DEGEN, but the operator voided the tip.',
      ],
    ),
    [
      'refused unseen',
      { state: 'refused', reason: 'reward_used_up' },
      'Gig 42: Not eligible: the reward was used up before your account was checked.',
    ],
    [
      'refused at last',
      { state: 'refused', reason: 'reward_used_up', facts: SAMPLE_FACTS },
      'Gig 42: Not eligible: the reward was used up.',
    ],
    [
      'refused',
      { state: 'refused', reason: 'too_young', facts: { ...SAMPLE_FACTS, registeredAt: NOW - 3 * DAY } },
      'Gig 42: Not eligible: your account was 3 days old; this gig requires 7.',
    ],
  ])('behavior: an account that is %s learns it', (_, of, told) => {
    expect(why(own({ earning: { ...earning, ...of } }))).toBe(told);
  });

  test('behavior: an account that did nothing learns how to earn', () => {
    expect(why(own({ earning: null }))).toContain(
      `I haven't seen anything from you that counts for gig 42. ${RULE}; it needs`,
    );
    const planned = { ...like, status: 'created' } as const;
    expect(why(own({ gig: planned, earning: null }))).toContain('Gig 42 is not started. Each account that likes');
    const cancelled = { ...planned, cancelledAt: NOW };
    expect(why(own({ gig: cancelled, earning: null }))).toBe('Gig 42 is cancelled.');
  });

  test('behavior: on another platform, and of a gig whose tips are awarded by request', () => {
    expect(why(own({ earning: null }), 'twitter')).toBe('Gig 42 is on Farcaster: ask me there.');
    const manual = own({ overview: null, earning: null });
    expect(why(manual)).toBe('The organizer of gig 42 awards tips by hand. You have none yet.');
  });

  test('behavior: what an organizer awarded is told with its sum and its day, or the way to claim it', () => {
    const pending = { amount: TWO, status: 'pending', claimedAt: null } as const;
    const paid = (claimedAt: number) => ({ amount: TWO, status: 'claimed', claimedAt }) as const;
    const told = (...tips: OwnEarning['tips']) => why(own({ overview: null, earning: null, tips }));
    const way = 'To claim, mention me with "claim my rewards".';
    expect([
      told(pending, pending),
      told(paid(NOW), pending),
      told(paid(NOW), paid(NOW)),
      told(paid(NOW - DAY), paid(NOW)),
    ]).toEqual([
      `You earned 4 DEGEN from gig 42, not paid yet. ${way}`,
      `You earned 4 DEGEN from gig 42; 2 DEGEN of it is not paid yet. ${way}`,
      'You earned 4 DEGEN from gig 42, paid on 21 Nov 2026.',
      'You earned 4 DEGEN from gig 42, last paid on 21 Nov 2026.',
    ]);
    const many = Array.from({ length: OWN_TIPS }, () => pending);
    expect(told(...many)).toContain('You earned at least 2000 DEGEN from gig 42');
  });

  test('security: whatever was decided, and whatever token and keyword are called, it can be posted', () => {
    const nasty = fc.constantFrom('$ETH', '@all', 'foo.com', 'www.x.io', '\u3164', '円'.repeat(200), 'DEGEN');
    const words = fc.constantFrom('$eth', 'com', '\u3164\u3164', 'ａｌｌ', '円'.repeat(32), '\u115fa');
    const facts = fc.record({
      score: fc.option(fc.nat(1_000_000)),
      followers: fc.option(fc.nat(1e9)),
      registeredAt: fc.option(fc.nat(NOW)),
      letters: fc.option(fc.nat(10_000)),
    });
    fc.assert(
      fc.property(
        nasty,
        words,
        fc.option(fc.constantFrom(...REFUSAL_REASONS)),
        facts,
        fc.bigInt({ min: 1n, max: 2n ** 256n - 1n }),
        (symbol, keyword, reason, known, amount) => {
          const mention = gig({ gigType: 'mention', status: 'live', token: token({ symbol }) });
          const about = { ...overview, target: { kind: 'keyword', keyword } as const };
          const decided: Earning = {
            ...earning,
            state: reason === null ? 'awarded' : 'refused',
            reason,
            facts: { ...SAMPLE_FACTS, ...known },
            amount: reason === null ? amount : null,
          };
          const viewer = { platform: 'farcaster' };
          for (const each of [decided, null]) {
            const of = own({ gig: mention, overview: about, earning: each });
            postable((measure) => whyReply(of, { viewer, now: NOW }, measure));
          }
          const status = { now: NOW, funding: funding(), frozen: true, earning: about };
          postable((measure) => statusReply(mention, status, measure));
        },
      ),
      { numRuns: 200 },
    );
  });
});
