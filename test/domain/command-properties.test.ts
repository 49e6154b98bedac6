import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseCommand } from '../../src/bot/commands/index.ts';

const BOTS = ['gigclaim', 'gig', 'gig.eth', 'gig-claim', 'g', 'gig_claim', 'my.gig-claim.eth'];

const bot = fc.constantFrom(...BOTS).map((username) => ({ username }));

/**
 * The rule of the start command, written once more: the words as they stand, without any handle, spaces folded.
 * Handles are cut by spelling alone, more freely than the parser does, so that this accepts more and never less.
 */
function saysStart(text: string, handle: string): number | null {
  const words = text
    .normalize('NFKC')
    .toLowerCase()
    .split(`@${handle}`)
    .join(' ')
    .split(/[\t\n\v\f\r \u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]+/)
    .filter((word) => word !== '')
    .join(' ');
  const found = /^start (?:gig )?#?([1-9][0-9]{0,14})$/.exec(words);
  return found === null ? null : Number(found[1]);
}

const SPACES = [' ', '  ', '\n', '\t', '\u00a0', '\u3000', ''];
const ODD = [
  ...['\u200b', '\u200d', '\ufeff', '\u00ad', '\ufe0f', '\u{e0061}', '\u202e', '\u3164', '\ud800', '\udfff', '\u0000'],
  ...['\u0430', '\u03b9', '\u{1d42c}', '٤', '²', '④', '２', '\u0301', '.', '!', '#', '-', '@', 'x', '0', '_', '\u017f'],
];

/** The right thing four times in five. */
function mostly(right: string, ...others: string[]) {
  return fc.oneof({ weight: 4, arbitrary: fc.constant(right) }, { weight: 1, arbitrary: fc.constantFrom(...others) });
}

const space = mostly(' ', ...SPACES);
const number = fc.oneof(
  { weight: 6, arbitrary: fc.integer({ min: 0, max: 9_999 }).map(String) },
  fc.stringMatching(/^[0-9]{1,17}$/),
  fc.constantFrom('042', '0', '4 2', '-42', '٤٢', '4²', '４２'),
);

/** Texts in and around the grammar of `start`, with something odd put in anywhere, or not. */
const nearMiss = (handle: string) =>
  fc
    .record({
      parts: fc.tuple(
        mostly(`@${handle}`, `@${handle.toUpperCase()}`, '', `@${handle}x`, `@x${handle}`, `@${handle}.x`),
        space,
        mostly('start', 'START', 'Start', 'stаrt', 'star', 'starts', 'ｓｔａｒｔ', 'unstart', 'start start'),
        space,
        fc.constantFrom('gig', 'gig #', 'gig #', '', '#', 'GIG #', 'gig # ', 'gig gig'),
        space,
        number,
        space,
        mostly('', `@${handle}`, 'please', '.', `@${handle}2`),
      ),
      odd: fc.option(fc.constantFrom(...ODD)),
      place: fc.nat(),
    })
    .map(({ parts, odd, place }) => {
      const text = parts.join('');
      const at = place % (text.length + 1);
      return odd === null ? text : text.slice(0, at) + odd + text.slice(at);
    });

describe('whatever the text', () => {
  const anyText = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 300 }),
    fc.string({ unit: 'grapheme', maxLength: 300 }),
    // Lone surrogates as well.
    fc.array(fc.nat({ max: 0xffff }), { maxLength: 300 }).map((units) => String.fromCharCode(...units)),
  );

  test('security: reading it never throws, and starts a gig only when its words say so', () => {
    fc.assert(
      fc.property(anyText, bot, (text, { username }) => {
        const command = parseCommand(text, { username });
        if (command.name === 'start') expect(saysStart(text, username)).toBe(command.gigId);
      }),
      { numRuns: 1_000 },
    );
  });

  test('security: ten thousand characters of anything are read without failing', () => {
    for (const piece of ['a', ' ', '@gigclaim ', '\u200b', '\ufdfa', '\ud800', 'а', '\u0301', 'start 42 ', '@', '٤']) {
      const text = piece.repeat(Math.ceil(10_000 / piece.length));
      expect(['unknown', 'claims', 'refused']).toContain(parseCommand(text, { username: 'gigclaim' }).name);
    }
  });
});

describe('texts near the start command', () => {
  test('security: a start comes out only when the words say so, with the number that they say', () => {
    let started = 0;
    fc.assert(
      fc.property(
        bot.chain(({ username }) => fc.tuple(fc.constant(username), nearMiss(username))),
        ([username, text]) => {
          const command = parseCommand(text, { username });
          if (command.name !== 'start') return;
          started += 1;
          expect(saysStart(text, username)).toBe(command.gigId);
        },
      ),
      { numRuns: 5_000 },
    );
    expect(started).toBeGreaterThan(20);
  });

  test('security: with anything invisible, or beyond ASCII and its full-width form, nothing is ever started', () => {
    const odd = fc.constantFrom(...ODD.filter((each) => /[^\p{ASCII}\uff01-\uff5e]/u.test(each)));
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 99_999 }),
        odd,
        fc.nat(),
        fc.boolean(),
        (gigId, hidden, place, replaces) => {
          const text = `@gigclaim start gig ${gigId}`;
          // Behind the handle: what stands in the handle makes it another one.
          const at = 10 + (place % (text.length - 9));
          const changed = text.slice(0, at) + hidden + text.slice(replaces ? at + 1 : at);
          expect(['refused', 'unknown']).toContain(parseCommand(changed, { username: 'gigclaim' }).name);
        },
      ),
      { numRuns: 2_000 },
    );
  });

  test('behavior: every way of writing the command that the grammar allows is understood', () => {
    const gap = fc.constantFrom(' ', '  ', '\n', '\t ', '\u00a0', '\u3000');
    const words = fc.constantFrom(['start'], ['start', 'gig'], ['START', 'Gig'], ['ｓｔａｒｔ']);
    fc.assert(
      fc.property(bot, words, gap, fc.integer({ min: 1, max: 999_999_999_999_999 }), (named, head, between, gigId) => {
        const text = [`@${named.username}`, ...head, gigId].join(between);
        expect(parseCommand(text, named)).toEqual({ name: 'start', gigId });
      }),
    );
  });
});
