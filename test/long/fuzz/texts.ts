import fc from 'fast-check';

/** What a text does, by the words of the documented grammar alone. */
export type Effect = 'start' | 'pay' | 'none';

/** A full-width character as the plain one that it is. */
const plain = (text: string) =>
  text
    .replace(/[\uff01-\uff5e]/g, (wide) => String.fromCharCode(wide.charCodeAt(0) - 0xfee0))
    .replaceAll('\u3000', ' ');

/**
 * The grammar as people are told it, read without any help of the bot's own reader: after the mention, and but for case,
 * white space and full-width forms, exactly `start gig 42`, `start 42`, either with `#`, or `claim my rewards` with
 * addresses.
 */
export function effectOf(text: string, bot: string): Effect {
  const words = plain(text)
    .split(/[^\S\ufeff]+/)
    .filter((word) => word !== '' && word.toLowerCase() !== `@${bot}`)
    .map((word) => word.toLowerCase());
  if (words.some((word) => !/^[\x21-\x7e]+$/.test(word))) return 'none';
  const [first, second, third] = words;
  const isNumber = (word: string | undefined) => word !== undefined && /^[1-9][0-9]*$/.test(word);
  if (first === 'start' && words.length === 2 && isNumber(second?.replace(/^#/, ''))) return 'start';
  if (first === 'start' && second === 'gig' && words.length === 3 && isNumber(third?.replace(/^#/, ''))) return 'start';
  const [, , , ...addresses] = words;
  const claims = words.slice(0, 3).join(' ') === 'claim my rewards';
  return claims && addresses.every((word) => /^0x[0-9a-z]{1,64}$/.test(word)) ? 'pay' : 'none';
}

/**
 * Whether the words of a post, read without any help of the bot's own reader, may be paid to an address that it names:
 * handles, the three words, one address, perhaps an end mark, handles.
 */
export function paysNamed(text: string, address: string): boolean {
  const words = plain(text)
    .split(/[^\S\ufeff]+/)
    .filter((word) => word !== '');
  const isHandle = (word: string | undefined) => /^@[\w.-]+!?$/.test(word ?? '');
  while (isHandle(words[0])) words.shift();
  while (isHandle(words.at(-1))) words.pop();
  const said = words
    .join(' ')
    .toLowerCase()
    .replace(/ ?[.!]$/, '');
  return text.toLowerCase().includes(address) && said === `claim my rewards ${address}`;
}

/**
 * Whether the words of a post, read without any help of the bot's own reader, name a destination or deny the claim, so that
 * its author's default address must not be paid.
 */
export function forbidsDefault(text: string): boolean {
  const [before = '', after = ''] = plain(text).toLowerCase().split('claim my rewards');
  const words = `${before} ${after}`.split(/[\s,!?()"“”]+/);
  const names = words.some(
    (word) => /[a-z]\.[a-z]/.test(word) || /[a-z0-9]{25}/.test(word) || /^(?:base|eip155):\S/.test(word),
  );
  return names || /(?:^|\s)to(?:\s|$)/.test(after) || /(?:^|\s)(?:never|not|don't)(?:\s|$)/.test(before);
}

/** Each letter with some that look like it, and signs that nobody sees. */
const LOOK_ALIKES: Readonly<Record<string, string>> = {
  a: 'аɑ𝐚ⓐª',
  c: 'сϲ𝖼',
  e: 'еҽ𝑒ℯ',
  g: 'ɡց𝗀',
  i: 'іⅰı𝕚',
  l: 'ӏ|1ⅼ',
  m: 'мⅿ',
  r: 'гᴦ',
  s: 'ѕꜱſ',
  t: 'тτ†',
  w: 'ѡᴡ',
  y: 'уʏ',
  '1': '١１¹①l',
  '2': '２²②٢',
  '3': '３³٣',
  '4': '４⁴٤',
  '#': '♯＃',
  ' ': '\u00a0\u2009\u3000\u200b\u2060_-.',
  '@': '＠',
};
const INVISIBLE = [
  ...'\u200b\u200c\u200d\u2060\u00ad\u034f\u061c\u180e\u202e\u2066\ufeff\ufe0f\u2800\u3164\u0000',
  '\u{e0001}',
  '\u{e0041}',
];
const ADDRESS = `0x${'3C44CdDdB6a900fa2b585dd299e03d12FA4293BC'}`;

/** Everything near the grammar that is not in it, and the grammar itself. `gigs` are ids to aim at. */
export function commandTexts(options: { bot: string; gigs: readonly number[] }): fc.Arbitrary<string> {
  const { bot, gigs } = options;
  const gig = fc.constantFrom(...gigs).map(String);
  const number = fc.oneof(
    { weight: 4, arbitrary: gig },
    {
      weight: 3,
      arbitrary: fc
        .tuple(
          gig,
          fc.constantFrom(
            ...['0#', '+#', '-#', '#.0', '#e0', '0x#', '#,', '(#)', '# ?', '“#”'],
            ...['#st', '##', '#/1', '#n', '#_', '#%', '=#'],
          ),
        )
        .map(([id, form]) => form.replaceAll('#', id)),
    },
  );
  const start = number.chain((id) =>
    fc.constantFrom(
      ...[`start gig ${id}`, `start ${id}`, `start gig #${id}`, `start #${id}`, `start gig${id}`, `start gig # ${id}`],
      ...[`gig ${id} start`, `start gigs ${id}`, `restart gig ${id}`, `start the gig ${id}`, `please start gig ${id}`],
      ...[`don't start gig ${id}`, `start gig ${id}!`, `start gig ${id} now`],
      ...[`start gig ${id} ${id}`, `start gig ${id}; start gig ${id}`],
      ...[`"start gig ${id}"`, `> start gig ${id}`, `\`start gig ${id}\``, `/start ${id}`],
      ...[`!start ${id}`, `st art gig ${id}`, `stop start ${id}`],
      ...[`start gig\n${id}`, `START GIG ${id}`, `help start gig ${id}`],
      ...[`start gig ${id} claim my rewards`, `start: ${id}`, `start-gig ${id}`],
    ),
  );
  const claim = fc.constantFrom(
    ...['claim my rewards', `claim my rewards ${ADDRESS}`, `claim my rewards to ${ADDRESS}`],
    ...[`claim my rewards: ${ADDRESS}`, `claim my rewards ${ADDRESS}!`, `claim my rewards ${ADDRESS} @#`],
    ...[`never post "claim my rewards ${ADDRESS}"`, `> claim my rewards ${ADDRESS}`],
    ...[`RT @#: claim my rewards ${ADDRESS}`, `lol it says claim my rewards ${ADDRESS}`],
    ...[`claim my rewards @alice ${ADDRESS}`],
    ...['claim my reward', 'claim rewards', 'claim', 'claim my rewards please'],
    ...['i claim my rewards', 'claim my rewards!'],
    ...['claim  all my rewards', 'claimmyrewards', `${ADDRESS} claim my rewards`],
    ...['do not claim my rewards', 'claim your rewards'],
    ...['claim my rewards claim my rewards', 'claim my rewards vitalik.eth', 'gm! claim my rewards to my vault'],
    ...[`claim my rewards base:${ADDRESS}`, 'claim my rewards eip155:1:alice', `claim my rewards ${'1ab'.repeat(9)}`],
    ...["don't claim my rewards", `claim my rewards ${ADDRESS.slice(2)}`, '“claim my rewards”'],
  );
  const command = fc.oneof(start, start, claim);
  const disguised = command.chain((text) => {
    const spots = fc.nat({ max: Math.max(0, text.length - 1) });
    const look = fc.tuple(spots, fc.nat()).map(([at, pick]) => {
      const others = [...(LOOK_ALIKES[(text[at] ?? '').toLowerCase()] ?? '\u0301')];
      return `${text.slice(0, at)}${others[pick % others.length]}${text.slice(at + 1)}`;
    });
    const hidden = fc
      .tuple(spots, fc.constantFrom(...INVISIBLE))
      .map(([at, sign]) => text.slice(0, at) + sign + text.slice(at));
    const noisy = fc
      .tuple(spots, fc.string({ unit: 'grapheme', minLength: 1, maxLength: 4 }))
      .map(([at, noise]) => text.slice(0, at) + noise + text.slice(at));
    const wide = fc.constant(
      [...text]
        .map((letter) => (/[!-~]/.test(letter) ? String.fromCharCode(letter.charCodeAt(0) + 0xfee0) : letter))
        .join(''),
    );
    const backwards = fc.constant(`\u202e${[...text].reverse().join('')}`);
    return fc.oneof(
      { weight: 4, arbitrary: look },
      { weight: 4, arbitrary: hidden },
      { weight: 4, arbitrary: noisy },
      wide,
      backwards,
    );
  });
  const body = fc.oneof(
    { weight: 3, arbitrary: command },
    { weight: 6, arbitrary: disguised },
    { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 60 }).map((text) => text.toWellFormed()) },
    { weight: 1, arbitrary: fc.tuple(command, command).map((both) => both.join('\n')) },
  );
  const address = fc.constantFrom(
    ...['@#', '@#', '@#', '@# @#', '@#\n\n', '@# hey,', '@#:', '@#,', 'hi @#'],
    ...['@#.eth @#', '@#x @#', '.@#', '@#\u200b'],
  );
  return fc
    .tuple(address, body)
    .map(([form, text]) => `${form.replaceAll('#', bot)} ${text.replaceAll('@#', `@${bot}`)}`);
}
