import { describe, expect, test } from 'vitest';
import { parseCommand } from '../../../src/bot/commands/index.ts';

const BOT = { username: 'gigclaim' };
const parse = (text: string, username = BOT.username) => parseCommand(text, { username });
const start = (gigId: number) => ({ name: 'start', gigId });
const why = (gigId: number) => ({ name: 'why', gigId });
const status = (gigId: number) => ({ name: 'status', gigId });
const INVISIBLE = { name: 'refused', reason: 'invisible' };
const LOOK_ALIKE = { name: 'refused', reason: 'look_alike' };
const UNKNOWN = { name: 'unknown' };

describe('the commands', () => {
  test.each(['claims', 'check', 'tips', 'balance', 'my tips', 'what can i claim'])(
    'behavior: "%s" asks for the claimable tokens',
    (words) => {
      expect(parse(`@gigclaim ${words}`)).toEqual({ name: 'claims' });
      expect(parse(words)).toEqual({ name: 'claims' });
    },
  );

  test('behavior: nothing but the handle asks for them as well; without the handle there is no command', () => {
    for (const text of ['@gigclaim', ' @GigClaim ', '@gigclaim!', '@gigclaim @gigclaim', '@gigclaim https://t.co/abc'])
      expect([text, parse(text)]).toEqual([text, { name: 'claims' }]);
    for (const text of ['', ' ', '!', '?', ',', 'https://t.co/abc', '\u200b', '@alice', '@gigclaim @alice'])
      expect([text, parse(text)]).toEqual([text, UNKNOWN]);
  });

  test.each(['help', 'stop', 'unstop'])('behavior: "%s" is a command of its own', (word) => {
    expect(parse(`@gigclaim ${word}`)).toEqual({ name: word });
  });

  test.each(['start gig 42', 'start 42', 'start gig #42', 'start #42'])('behavior: "%s" starts gig 42', (words) => {
    expect(parse(`@gigclaim ${words}`)).toEqual(start(42));
  });

  test.each(['notify gig 42', 'notify 42', 'notify gig #42', 'notify #42', 'NOTIFY 42'])(
    'behavior: "%s" asks for notices of gig 42, and the same with "un" ends them',
    (words) => {
      expect(parse(`@gigclaim ${words}`)).toEqual({ name: 'notify', gigId: 42 });
      expect(parse(`@gigclaim un${words}`)).toEqual({ name: 'unnotify', gigId: 42 });
      expect(parse(`@gigclaim please ${words}`)).toEqual(UNKNOWN);
    },
  );

  test.each(['why 42', 'why gig 42', 'why #42', 'why gig #42', 'WHY 42', '  why   42 '])(
    'behavior: "%s" asks what is earned from gig 42',
    (words) => {
      expect(parse(`@gigclaim ${words}`)).toEqual(why(42));
    },
  );

  test.each(['gig 42', 'gig #42', 'status 42', 'status #42', 'status gig 42', 'status gig #42'])(
    'behavior: "%s" asks how gig 42 stands',
    (words) => {
      expect(parse(`@gigclaim ${words}`)).toEqual(status(42));
    },
  );

  test('behavior: case and white space do not matter', () => {
    expect(parse('  START\n\tGig   #42 \r\n @GIGCLAIM')).toEqual(start(42));
    expect(parse('@gigclaim\u00a0what\u2003can\u3000I claim')).toEqual({ name: 'claims' });
  });

  test('behavior: full-width letters of an East Asian keyboard are the same letters', () => {
    expect(parse('＠gigclaim　ｓｔａｒｔ　４２')).toEqual(start(42));
    expect(parse('@gigclaim ｓｔａｒｔ ｇｉｇ ＃４２')).toEqual(start(42));
  });

  test('behavior: the largest gig number is one that a number can hold', () => {
    expect(parse('start 999999999999999')).toEqual(start(999_999_999_999_999));
    expect(parse('start 1000000000000000')).toEqual(UNKNOWN);
  });

  test.each([
    ...['start', 'start gig', 'start gig forty-two', 'start 0', 'start 042', 'start -42', 'start +42', 'start 42.0'],
    ...['start 4 2', 'start 42 43', 'start 42!', 'start 42.', 'start # 42', 'start ##42', 'start gig # 42'],
    ...['start gig #42 #43', 'start gig gig 42', 'startgig 42', 'start42', 'start 0x2a', 'start 4e1'],
    ...['please start 42', 'do not start 42', 'start gig 42 please', '"start 42"', '> start 42'],
    ...['gig', 'gig # 42', 'gig ##42', 'status', 'status status 42'],
    ...['why', 'why # 42', 'why ##42', 'why 042', 'why not 42'],
    ...['claim', 'please claims', 'constructor', '__proto__', 'toString'],
  ])('security: "%s" is not a command, and nothing is made of it', (words) => {
    expect(parse(`@gigclaim ${words}`)).toEqual(UNKNOWN);
  });
});

describe('what people put beside a command', () => {
  test.each([
    ['@gigclaim, claims', { name: 'claims' }],
    ['@gigclaim: claims', { name: 'claims' }],
    ['@gigclaim , what can I claim ?', { name: 'claims' }],
    ['claims! @gigclaim', { name: 'claims' }],
    ['my tips @gigclaim.', { name: 'claims' }],
    ['＠gigclaim： ｈｅｌｐ！', { name: 'help' }],
    ['@gigclaim help?', { name: 'help' }],
    ['@gigclaim: gig #42.', status(42)],
    ['@gigclaim status 42?', status(42)],
    ['@gigclaim why gig 42?', why(42)],
    ['@gigclaim, notify 42!', { name: 'notify', gigId: 42 }],
    ['@gigclaim unstop.', { name: 'unstop' }],
    ['@gigclaim, submit 42 my poem', { name: 'submit', gigId: 42 }],
    ['@alice @gigclaim claims', { name: 'claims' }],
    ['@gigclaim @bob.eth help', { name: 'help' }],
    ['@gigclaim claims https://t.co/AbC1', { name: 'claims' }],
    ['@gigclaim status 42 https://t.co/AbC1 https://t.co/d', status(42)],
    ['@gigclaim claims please', { name: 'claims' }],
    ['@gigclaim status 42, thank you!', status(42)],
    ['@gigclaim claims \u{1f64f}', { name: 'claims' }],
    ['@gigclaim gig 42\u2764\ufe0f \u{1f64f}\u{1f3fd}', status(42)],
    ['@gigclaim why 42 please! \u{1f468}\u200d\u{1f469}\u200d\u{1f467} https://t.co/AbC1', why(42)],
    [`@gigclaim unlink 0x${'aB'.repeat(20)}`, { name: 'unlink' }],
    ['@gigclaim unlink please', { name: 'unlink' }],
    ['@gigclaim unmute', { name: 'unstop' }],
  ])('behavior: %j is a command that moves no money, and is understood', (text, command) => {
    expect(parse(text)).toEqual(command);
  });

  test.each([
    ...['@gigclaim, start 42', '@gigclaim: start 42', '@gigclaim start 42!', '@gigclaim start 42?'],
    '@gigclaim start 42.',
    ...['@gigclaim, claim my rewards', '@gigclaim claim my rewards!', '@gigclaim: claim my rewards'],
    ...['@gigclaim stop 42.', '@gigclaim, settle 42', '@gigclaim cancel 42!', '@alice @gigclaim cancel 42'],
    ...['@gigclaim start 42 https://t.co/AbC1', '@gigclaim claim my rewards https://t.co/AbC1'],
    ...['@gigclaim start 42 \u{1f680}', '@gigclaim stop 42 please', '@gigclaim claim my rewards \u{1f64f}'],
    ...[`@gigclaim link 0x${'ab'.repeat(20)} please`, `@gigclaim claim my rewards 0x${'ab'.repeat(20)} \u{1f64f}`],
  ])('security: %j moves money or ends a gig, and the words must stand alone', (text) => {
    expect(parse(text)).toEqual(UNKNOWN);
  });

  test.each([
    ...['@gigclaim claims!!', '@gigclaim claims?!', '@gigclaim claims,', '@gigclaim;claims', '@gigclaim ,, claims'],
    ...['@gigclaim \u{1f64f}', '@gigclaim thanks', '@gigclaim \u{1f64f}\u{1f64f} please'],
    '@gigclaim claims please please',
    ...['@gigclaim claims @alice', '@gigclaim claims "', '@gigclaim https://t.co/AbC1 claims', '@gigclaim - claims'],
  ])('error: with more than that, as in %j, it is no command', (text) => {
    expect(parse(text)).toEqual(UNKNOWN);
  });
});

describe('words that ask to be left alone', () => {
  test.each([
    ...['stop', 'stop.', 'Stop!', 'STOP', 'stop!!!', 'stop…', '"stop"', 'please stop', 'Please, stop!', 'stop please'],
    ...['mute', 'Mute me', 'mute please', 'stop all', 'STOP STOP', 'stop, stop, STOP!!', 'Stop stop all now'],
    ...['stop replying', 'Stop replying to me.', 'please stop replying', 'stop it', 'stop now', 'stop tagging me'],
    ...['unsubscribe', 'Unsubscribe!', 'unsubscribe me', 'opt out', 'opt-out', 'optout', 'opt me out'],
    ...['leave me alone', 'stop \u{1f6d1}', 'stop https://t.co/AbC1'],
    ...['s\u200btop', 'st\u043ep', '\u{1d42c}\u{1d42d}\u{1d428}\u{1d429}', 'ｓｔｏｐ'],
  ])('security: %j stops replies, with and without handles', (words) => {
    const toBot = [`@gigclaim ${words}`, `${words} @gigclaim`, `@alice @gigclaim, ${words}`, `@gigclaim\n${words}`];
    for (const text of [words, ...toBot]) expect([text, parse(text)]).toEqual([text, { name: 'stop' }]);
  });

  test.each([
    ...["don't stop", 'do not stop', 'never stop', 'unstop 42', 'stop gig', 'stop the gig', 'stop paying bob'],
    'nonstop',
    ...['mute 42', 'stop all gigs', 'stop stop 42', 'commute', 'unlink x', 'unlink alice.eth'],
    ...['stop четыре', 'start', 'please', 'stopping', 'stop at nothing', 'when does it stop', 'stop claims', 'opt in'],
  ])('behavior: %j asks for nothing of the kind', (words) => {
    expect(parse(`@gigclaim ${words}`)).toEqual(UNKNOWN);
  });

  test('security: with a number it ends a gig, as before', () => {
    for (const words of ['stop 42', 'stop gig 42', 'stop #42', 'STOP GIG #42'])
      expect(parse(`@gigclaim ${words}`)).toEqual({ name: 'end', ending: 'stop', gigId: 42 });
    expect(parse('@gigclaim stop ٤٢')).toEqual(LOOK_ALIKE);
    expect(parse('@gigclaim stop\u200b42')).toEqual(INVISIBLE);
  });
});

describe("the bot's handle", () => {
  test('behavior: it may stand anywhere, more than once, in any case', () => {
    expect(parse('start 42 @gigclaim')).toEqual(start(42));
    expect(parse('@gigclaim start @GigClaim 42 @gigclaim')).toEqual(start(42));
  });

  test('behavior: it may hold dots and hyphens', () => {
    expect(parse('@gig.claim.eth start 42', 'gig.claim.eth')).toEqual(start(42));
    expect(parse('@gig-claim start 42', 'gig-claim')).toEqual(start(42));
    expect(parse('@GIG-CLAIM.ETH start 42', 'gig-claim.eth')).toEqual(start(42));
  });

  test('security: a dot in it stands for a dot only', () => {
    expect(parse('@gigxeth start 42', 'gig.eth')).toEqual(UNKNOWN);
  });

  test('security: a longer handle that begins with it is somebody else', () => {
    for (const other of ['@gigclaimer', '@gigclaim_', '@gigclaim2', '@gigclaim-bot', '@gigclaim.eth', '@gigclaimé']) {
      expect(parse(`${other} start 42`)).toEqual(UNKNOWN);
    }
  });

  test('security: a handle that ends with it is somebody else', () => {
    for (const other of ['me@gigclaim', '@thegigclaim', '@@gigclaimx', 'é@gigclaim']) {
      expect(parse(`${other} start 42`)).toEqual(UNKNOWN);
    }
  });

  test('security: without its @ it is a word like any other', () => {
    expect(parse('gigclaim start 42')).toEqual(UNKNOWN);
  });

  test('security: a command to another account as well is not one to the bot alone', () => {
    expect(parse('@gigclaim @other start 42')).toEqual(UNKNOWN);
  });
});

describe('characters that are not what they seem', () => {
  test.each([
    ['zero-width space', '\u200b'],
    ['zero-width non-joiner', '\u200c'],
    ['zero-width joiner', '\u200d'],
    ['byte order mark', '\ufeff'],
    ['soft hyphen', '\u00ad'],
    ['word joiner', '\u2060'],
    ['variation selector', '\ufe0f'],
    ['supplementary variation selector', '\u{e0100}'],
    ['tag letter', '\u{e0073}'],
    ['right-to-left override', '\u202e'],
    ['left-to-right isolate', '\u2066'],
    ['right-to-left mark', '\u200f'],
    ['Arabic letter mark', '\u061c'],
    ['Hangul filler', '\u3164'],
    ['half-width Hangul filler', '\uffa0'],
    ['Hangul choseong filler', '\u115f'],
    ['Mongolian vowel separator', '\u180e'],
    ['combining grapheme joiner', '\u034f'],
    ['Braille blank', '\u2800'],
    ['private use', '\ue000'],
    ['noncharacter', '\uffff'],
    ['null', '\u0000'],
    ['escape', '\u001b'],
    ['next line', '\u0085'],
  ])('security: a command with an invisible %s is refused', (_, hidden) => {
    const commands = [
      `sta${hidden}rt 42`,
      `start${hidden}42`,
      `start 4${hidden}2`,
      `start 42${hidden}`,
      `claims${hidden}`,
    ];
    for (const text of [...commands.map((words) => `@gigclaim ${words}`), `${hidden}@gigclaim start 42`])
      expect(parse(text)).toEqual(INVISIBLE);
  });

  test('security: a hidden character inside the handle is seen as well', () => {
    expect(parse('@gig\u200bclaim start 42')).toEqual(INVISIBLE);
  });

  test.each([
    ['Cyrillic', 'st\u0430rt 42'],
    ['Cyrillic capitals', '\u0405\u0422\u0410R\u0422 42'],
    ['Greek', 'start g\u03b9g 42'],
    ['Greek capitals', '\u0397ELP'],
    ['Greek lunate sigma', '\u03f2laims'],
    ['mathematical bold', '\u{1d42c}\u{1d42d}\u{1d41a}\u{1d42b}\u{1d42d} 42'],
    ['mathematical digits', 'start \u{1d7d2}\u{1d7d0}'],
    ['circled letters', 'ⓢⓣⓐⓡⓣ 42'],
    ['circled digits', 'start ④②'],
    ['superscripts', 'start 4²'],
    ['subscripts', 'start 4₂'],
    ['Arabic-Indic digits', 'start ٤٢'],
    ['Devanagari digits', 'start ४२'],
    ['Roman numerals', 'cⅼaims'],
    ['long s', '\u017ftart 42'],
    ['a ligature', '\ufb06art 42'],
    ['Kelvin sign', 'chec\u212a'],
    ['accents', 'stárt 42'],
    ['combining marks', 'sta\u0301rt 42'],
    ['small capitals', 'ꜱᴛᴀʀᴛ 42'],
    ['a musical sharp', 'start gig ♯42'],
    ['a small number sign', 'start gig ﹟42'],
  ])('security: a command in %s is refused', (_, words) => {
    expect(parse(`@gigclaim ${words}`)).toEqual(LOOK_ALIKE);
  });

  test('security: a half of a surrogate pair makes it no command', () => {
    expect(parse('@gigclaim start 42\ud800')).toEqual(UNKNOWN);
    expect(parse('\udc00start 42')).toEqual(UNKNOWN);
  });

  test('behavior: ordinary text in any script is unknown, not suspicious', () => {
    for (const text of ['gm! \u{1f44b}', 'привет, как дела?', 'こんにちは', 'شكرا', 'thanks ❤️', 'I ❤️ this gig']) {
      expect(parse(`@gigclaim ${text}`)).toEqual(UNKNOWN);
    }
  });
});

test('security: a text of more than 500 UTF-16 units is no command, whatever would be left of it', () => {
  for (const command of ['claims', 'start gig 42', 'claim my rewards', 'help', 'claim\u200bs']) {
    const padded = (length: number) => `@gigclaim ${command}`.padEnd(length, ' ');
    expect(parse(padded(501)), command).toEqual(UNKNOWN);
    expect(parse(padded(500)), command).not.toEqual(UNKNOWN);
  }
});
