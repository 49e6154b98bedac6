import { describe, expect, test } from 'vitest';
import { addressUnknownReply } from '../../src/bot/commands/claim.ts';
import { claimsReply } from '../../src/bot/commands/claims.ts';
import { refusedCharactersReply } from '../../src/bot/commands/help.ts';
import { commandsFor, helpOf, parseCommand } from '../../src/bot/commands/index.ts';
import { linkedReply, notLinkedReply, unlinkedReply } from '../../src/bot/commands/link.ts';
import { startedReply } from '../../src/bot/commands/start.ts';
import { statusReply } from '../../src/bot/commands/status.ts';
import { stoppedReply, unstoppedReply } from '../../src/bot/commands/stop.ts';
import { finishReply, unreachableReply } from '../../src/bot/replies.ts';
import { refusalReply } from '../../src/domain/errors.ts';
import { safeSymbol } from '../../src/domain/mentions/reply-text.ts';
import { FARCASTER, PLATFORMS, postable, X } from './measures.ts';
import { DAY, ETHER, funding, gig, group, NOW, token } from './samples.ts';

const HELP_WORDS = helpOf(commandsFor([]));
const HELP_WITH_LINKS = helpOf(commandsFor(['wallet']));
const ADDRESS = '0x4ed4e862860bed51a9570b96d89af5e1b0efefed';

/** So many groups of one token each, which `of` tells more of. */
const groups = (count: number, of: (index: number) => Partial<Parameters<typeof group>[0]> = () => ({})) =>
  Array.from({ length: count }, (_, index) =>
    group({ token: token({ id: index, symbol: `TOKEN${index}` }), total: ETHER, tips: 1, ...of(index) }),
  );

describe('claimable tokens', () => {
  test('behavior: each token with its total, its tips and its gigs', () => {
    expect(claimsReply([group({ total: 12n * ETHER + ETHER / 2n, tips: 3, gigs: 2 })], FARCASTER)).toBe(
      'Your claimable tokens: 12.5 DEGEN (3 tips, 2 gigs)',
    );
    expect(claimsReply([group({ total: 1n, tips: 1 })], X)).toBe(
      'Your claimable tokens: 0.000000000000000001 DEGEN (1 tip, 1 gig)',
    );
  });

  test('behavior: nothing to claim is said', () => {
    expect(claimsReply([], X)).toBe('You have no claimable tokens at the moment.');
  });

  test('behavior: the largest count comes first, whatever the amounts; of equals the older token', () => {
    const several = [
      group({ token: token({ id: 3, symbol: 'THREE' }), total: 900n * ETHER, tips: 1 }),
      group({ token: token({ id: 2, symbol: 'TWO' }), total: ETHER, tips: 5 }),
      group({ token: token({ id: 1, symbol: 'ONE' }), total: ETHER, tips: 1 }),
    ];
    expect(claimsReply(several, X)).toBe(
      'Your claimable tokens: 1 TWO (5 tips, 5 gigs) · 1 ONE (1 tip, 1 gig) · 900 THREE (1 tip, 1 gig)',
    );
  });

  test.each(PLATFORMS)('behavior: on $platform what does not fit is counted', ({ measure }) => {
    const text = claimsReply(
      groups(30, (index) => ({ tips: 100 - index, gigs: 1 })),
      measure,
    );
    const shown = text.match(/TOKEN[0-9]+/g) ?? [];
    expect(shown.length).toBeGreaterThan(4);
    expect(shown).toEqual(Array.from({ length: shown.length }, (_, index) => `TOKEN${index}`));
    expect(text).toMatch(new RegExp(` · \\+${30 - shown.length} more$`));
    // One more would not have fitted, with the mark that X needs.
    const next = ` · 1 TOKEN${shown.length} (${100 - shown.length} tips, 1 gig)`;
    expect(measure.measure(text + next)).toBeGreaterThan(measure.replyLimit - 12);
  });

  test('behavior: all of them are shown when all of them fit', () => {
    expect(claimsReply(groups(4), X)).not.toContain('more');
  });

  const page = 'https://gigclaim.example/claim/farcaster/1001';

  test('behavior: where all of them are shown is named when not all fit', () => {
    const text = claimsReply(groups(30), FARCASTER, page);
    const shown = text.match(/TOKEN[0-9]+/g) ?? [];
    expect(shown.length).toBeGreaterThan(4);
    expect(text.endsWith(` · +${30 - shown.length} more: ${page}`)).toBe(true);
    expect(FARCASTER.measure(text)).toBeLessThanOrEqual(320);
    // One more would not have fitted.
    expect(FARCASTER.measure(`${text} · 1 TOKEN${shown.length} (1 tip, 1 gig)`)).toBeGreaterThan(320 - 12);
  });

  test('behavior: a list that is whole needs no link', () => {
    expect(claimsReply([group({ total: ETHER, tips: 1 })], FARCASTER, page)).not.toContain('https');
    expect(claimsReply([], FARCASTER, page)).not.toContain('https');
  });

  test('behavior: a link for which there is no room is left out, never cut', () => {
    const two = [1, 2].map((id) => group({ token: token({ id, decimals: 0 }), total: 10n ** 60n, tips: 1 }));
    const long = `https://gigclaim.example/${'a'.repeat(200)}`;
    expect(claimsReply(two, FARCASTER, long)).toBe(
      `Your claimable tokens: 1${'0'.repeat(60)} DEGEN (1 tip, 1 gig) · 1${'0'.repeat(60)} DEGEN (1 tip, 1 gig)`,
    );
    const three = [...two, group({ token: token({ id: 3, decimals: 0 }), total: 10n ** 70n, tips: 1 }), ...two];
    expect(claimsReply(three, FARCASTER, long)).toMatch(/ · \+[0-9] more$/);
  });

  test('behavior: thousands of tokens are cut as well', () => {
    for (const text of postable((measure) => claimsReply(groups(5_000), measure)))
      expect(text).toMatch(/\+49[0-9][0-9] more/);
  });
});

describe('symbols', () => {
  test.each([
    ['DEGEN', 'DEGEN'],
    ['$ETH', 'ETH'],
    ['@everyone', 'everyone'],
    ['https://evil.example', 'httpsevilexample'],
    ['foo.com', 'foocom'],
    ['evil。com', 'evilcom'],
    ['evil．com', 'evilcom'],
    ['＠everyone', 'everyone'],
    ['#tag', 'tag'],
    ['A B\nC', 'ABC'],
    ['abc\u202edef', 'abcdef'],
    ['A\u200bB\u00adC', 'ABC'],
    ['stETH-2_v+', 'stETH-2_v+'],
    ['円', '円'],
    ['X'.repeat(200), 'XXXXXXXXXXXXXXXX'],
  ])('security: of the symbol %j only %j is posted', (symbol, shown) => {
    expect(safeSymbol({ symbol, address: ADDRESS })).toBe(shown);
  });

  test.each(['', '   ', '$$$', '\u200b', '\u3164', '\uffa0\u115f', '\u{1f4b0}', '...', '\ud800'])(
    'behavior: a token whose symbol %j leaves nothing goes by its address',
    (symbol) => {
      expect(safeSymbol({ symbol, address: ADDRESS })).toBe('0x4ed4…efed');
    },
  );
});

describe('a gig', () => {
  test('behavior: a start says until when the gig is live, or from when', () => {
    expect(startedReply(gig({ status: 'live' }), NOW)).toBe('Gig 42 is live until 22 Nov 2026, 12:00 UTC.');
    expect(startedReply(gig({ status: 'live', startTime: NOW + DAY, endTime: NOW + 2 * DAY }), NOW)).toBe(
      'Gig 42 started. It is live from 22 Nov 2026, 12:00 UTC until 23 Nov 2026, 12:00 UTC.',
    );
  });

  test.each([
    ['created', gig(), NOW - 1, 'is not started. Planned: 21 Nov 2026, 12:00 UTC to 22 Nov 2026, 12:00 UTC'],
    ['created, at its planned time', gig(), NOW, 'is not started. Planned: 1 day from its start'],
    [
      'created for a week',
      gig({ duration: 7 * DAY, endTime: NOW + 7 * DAY }),
      NOW + DAY,
      'is not started. Planned: 7 days from its start',
    ],
    [
      'scheduled',
      gig({ status: 'live' }),
      NOW - 1,
      'is started, live from 21 Nov 2026, 12:00 UTC until 22 Nov 2026, 12:00 UTC',
    ],
    ['live', gig({ status: 'live' }), NOW, 'is live until 22 Nov 2026, 12:00 UTC'],
    ['ended', gig({ status: 'live' }), NOW + DAY, 'ended at 22 Nov 2026, 12:00 UTC'],
  ])('behavior: the status of a gig that is %s', (phase, of, now, words) => {
    const decides = phase === 'cancelled' || phase === 'ended' ? '' : ' The organizer decides who earns.';
    expect(statusReply(of, { now, funding: null, frozen: false, earning: null }, X)).toBe(
      `Gig 42 ${words}. Reward: 100 DEGEN.${decides}`,
    );
  });

  test('behavior: amounts have separators for thousands', () => {
    const large = gig({ status: 'live', rewardAmount: 12_000n * ETHER });
    expect(statusReply(large, { now: NOW, funding: null, frozen: false, earning: null }, X)).toContain(
      'Reward: 12,000 DEGEN.',
    );
  });

  test('behavior: an owner also learns of the funding', () => {
    const wallet = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed';
    const of = (status: 'created' | 'live', held: 'unknown' | bigint) => {
      const seen = held === 'unknown' ? held : funding({ actual: held });
      const told = statusReply(gig({ status }), { now: NOW, funding: seen, frozen: false, earning: null }, X);
      return told.split('Reward: 100 DEGEN. The organizer decides who earns. ')[1];
    };
    expect(of('created', 3n * ETHER)).toBe(`Its wallet ${wallet} holds 3 of 105 DEGEN.`);
    expect(of('live', 90n * ETHER)).toBe(`Its wallet ${wallet} holds 90 DEGEN.`);
    expect(of('created', 'unknown')).toBe('Its wallet cannot be read right now.');
  });
});

describe('a gig that is not funded', () => {
  const refusal = (overrides: Parameters<typeof funding>[0]) =>
    ({ code: 'gig_not_funded', gigId: 42, funding: funding(overrides) }) as const;

  test('behavior: it says what is missing and where to send it', () => {
    expect(refusalReply(refusal({ actual: 60n * ETHER }), X)).toBe(
      'Gig 42 is not funded: it needs exactly 105 DEGEN and holds 60. Send 45 more: token 0x4ed4E862860beD51a9570b96d89aF5E1B0Efefed on base (chain id 8453), gig wallet 0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed.',
    );
  });

  test('behavior: one base unit too much is too much', () => {
    expect(refusalReply(refusal({ actual: 105n * ETHER + 1n }), X)).toContain(
      'holds 105.000000000000000001, 0.000000000000000001 too much. Its page names the reward that fits. For a full refund, mention me with "cancel gig 42".',
    );
  });

  test.each([
    [0n, 105n * ETHER, '0', '105'],
    [1_049_999_999_999n * 10n ** 6n, 2_000_000n * ETHER, '1.049999999999', '2000000'],
    // Eighteen digits behind the point on both sides, as dust leaves them.
    [
      999_999_999_999_999_999_999_999n,
      1_234_567_123_456_789_012_345_678n,
      '999999.999999999999999999',
      '1234567.123456789012345678',
    ],
    [
      1_234_567_123_456_789_012_345_678n,
      999_999_999_999_999_999_999_999n,
      '1234567.123456789012345678',
      '999999.999999999999999999',
    ],
  ])(
    'behavior: with %s held of %s the sums and what to do are posted on both platforms',
    (actual, expected, held, needed) => {
      for (const text of postable((measure) => refusalReply(refusal({ actual, expected }), measure))) {
        const where = 'token 0x4ed4E862860beD51a9570b96d89aF5E1B0Efefed on base (chain id 8453)';
        const remedy =
          actual > expected
            ? ['Its page names the reward that fits.', 'mention me with "cancel gig 42".']
            : [where, 'gig wallet 0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed.'];
        for (const each of [`exactly ${needed} DEGEN`, `holds ${held}`, ...remedy]) expect(text).toContain(each);
      }
    },
  );
});

describe('other sentences', () => {
  test('behavior: every broken rule has its own', () => {
    const say = (refusal: Parameters<typeof refusalReply>[0]) => refusalReply(refusal, X);
    expect(say({ code: 'gig_not_found', gigId: 9 })).toBe('There is no gig 9.');
    expect(say({ code: 'gig_already_live', gigId: 9 })).toBe('Gig 9 is already live.');
    expect(say({ code: 'gig_ended', gigId: 9 })).toBe('Gig 9 has ended already.');
    expect(say({ code: 'gig_not_running', gigId: 9, phase: 'ended' })).toBe('Gig 9 has ended.');
    expect(say({ code: 'gig_in_progress', gigId: 9 })).toBe(
      'Gig 9 is being processed right now. Try again in a minute.',
    );
    expect(say({ code: 'not_gig_owner', gigId: 9, act: 'start' })).toBe('Only an owner of gig 9 can start it.');
    const cancel = 'To end it, mention me with "cancel gig" and its number.';
    expect(say({ code: 'gig_not_stoppable', gigId: 9, phase: 'created' })).toBe(
      `Gig 9 has not started, so there is nothing to stop. ${cancel}`,
    );
    expect(say({ code: 'gig_not_settleable', gigId: 9, why: 'created' })).toBe(
      `Gig 9 has not started, so there is nothing to settle. ${cancel}`,
    );
  });

  test('security: a refusal that no command can meet tells nothing of its text', () => {
    expect(refusalReply({ code: 'invalid_request', message: 'see https://evil.example' }, X)).toBe(
      'That did not work.',
    );
    expect(refusalReply({ code: 'invalid_api_key' }, X)).toBe('That did not work.');
  });

  test('behavior: every fixed sentence fits both platforms whole', () => {
    const sentences = [
      HELP_WORDS,
      HELP_WITH_LINKS,
      linkedReply(`0x${'ab'.repeat(20)}`),
      notLinkedReply('no_address'),
      notLinkedReply('several_addresses'),
      notLinkedReply('invalid_address'),
      unlinkedReply(),
      stoppedReply(),
      unstoppedReply(),
      refusedCharactersReply('invisible'),
      refusedCharactersReply('look_alike'),
      unreachableReply(),
      addressUnknownReply(),
    ];
    for (const sentence of sentences) {
      // Cut texts end in an ellipsis: say it in fewer words.
      for (const text of postable(() => sentence)) expect(text.slice(0, sentence.length)).toBe(sentence);
    }
    expect(new Set(sentences).size).toBe(13);
  });

  test('behavior: help is made of what the commands say of themselves', () => {
    expect(HELP_WORDS).toBe(
      'Mention me with: "claims" (your tokens), "claim my rewards 0x…" (get paid), "gig 42", "why 42" (your part), "start 42", "notify 42", "stop" or "unstop" (replies), "help". Post "start" and "claim" on their own.',
    );
    expect(HELP_WITH_LINKS).toBe(HELP_WORDS.replace('"stop" or', '"link 0x…", "stop" or'));
    expect(helpOf(commandsFor(['farcaster']))).toBe(HELP_WORDS);
  });
});

test('behavior: help says what keeps a command from being one, as a mark at the end of one that moves money does', () => {
  for (const text of ['@gigclaim claim my rewards!', '@gigclaim start 42.', '@gigclaim please claims']) {
    expect(parseCommand(text, { username: 'gigclaim' })).toEqual({ name: 'unknown' });
  }
  for (const text of ['@gigclaim claims!', '@gigclaim gig 42.', '@gigclaim, help!']) {
    expect(parseCommand(text, { username: 'gigclaim' }).name).not.toBe('unknown');
  }
  expect(HELP_WORDS).toMatch(/ Post "start" and "claim" on their own\.$/);
});

describe('the text as it is posted', () => {
  const onX = (text: string, postId: string) => finishReply(text, { platform: 'twitter', postId }, X);

  test('behavior: a Farcaster reply is posted as it is', () => {
    expect(finishReply('Hi.', { platform: 'farcaster', postId: '0xc1' }, FARCASTER)).toBe('Hi.');
  });

  test('behavior: on X the same answer to two posts is two texts', () => {
    const texts = ['2080765813578191303', '2080765813578191304', '1'].map((postId) => onX('Hi.', postId));
    expect(new Set(texts).size).toBe(3);
    for (const text of texts) expect(text).toMatch(/^Hi\. \[[0-9a-z]{1,6}\]$/);
  });

  test('behavior: too long a text is cut, and the mark stays', () => {
    const text = onX('word '.repeat(100), '2080765813578191303');
    expect(text).toMatch(/…\x20\[[0-9a-z]{6}\]$/);
    expect(X.measure(text)).toBe(280);
  });

  test('behavior: a cut never splits a character', () => {
    const text = finishReply('\u{1f4b0}'.repeat(200), { platform: 'farcaster', postId: '0xc1' }, FARCASTER);
    expect(text).toBe(`${'\u{1f4b0}'.repeat(79)}…`);
  });
});
