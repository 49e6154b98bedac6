/** What somebody asks of the bot. */
export type Command =
  | { readonly name: 'claims' }
  | { readonly name: 'start'; readonly gigId: number }
  | { readonly name: 'status'; readonly gigId: number }
  /** `address` is what follows, as it was typed; whether it is one is for the claim to say. */
  | { readonly name: 'claim'; readonly address: string | null }
  | { readonly name: 'help' }
  | { readonly name: 'stop' }
  | { readonly name: 'unstop' }
  /** It would be a command but for characters that cannot be seen or that look like others. Never carried out. */
  | { readonly name: 'refused'; readonly reason: 'invisible' | 'look_alike' }
  | { readonly name: 'unknown' };

const WORDS = {
  '': { name: 'claims' },
  claims: { name: 'claims' },
  check: { name: 'claims' },
  tips: { name: 'claims' },
  balance: { name: 'claims' },
  'my tips': { name: 'claims' },
  'what can i claim': { name: 'claims' },
  help: { name: 'help' },
  stop: { name: 'stop' },
  unstop: { name: 'unstop' },
} as const satisfies Record<string, Command>;

const START = /^start (?:gig #?)?([1-9][0-9]{0,14})$/;
const STATUS = /^(?:gig|status) ([1-9][0-9]{0,14})$/;

/** Several addresses are no command either, but worth an answer of their own. */
const CLAIM = /^claim my rewards((?: 0x[0-9a-z]{1,64}){0,4})$/i;

const UNKNOWN: Command = { name: 'unknown' };

/**
 * The longest text that can be a command, in UTF-16 units. Long casts hold 10,000 bytes and long posts 25,000 characters,
 * each of which normalisation may make eighteen; no command is near this.
 */
const MAX_TEXT = 500;

/** What carries no meaning between words. JavaScript counts U+FEFF as white space too, but nobody can see it. */
const WHITE_SPACE = /[^\S\uFEFF]+/gu;

/** Everything else that cannot be seen is suspicious; U+2800 is the Braille pattern without a dot. */
const INVISIBLE = /[\p{Default_Ignorable_Code_Point}\p{Cf}\p{Cc}\p{Co}\p{Cn}\u2800]/gu;

/** What a command may be typed in: ASCII, and the same in full width, as East Asian keyboards write it. */
const TYPED = /^[\p{ASCII}\uFF01-\uFF5E]*$/u;

/**
 * Letters of other scripts that pass for those of the commands, by the letter they pass for.
 * After Unicode's table of confusables (UTS #39), cut to the letters that occur in commands.
 */
const LOOK_ALIKES: Readonly<Record<string, string>> = {
  a: 'аɑαᴀꭺ⍺',
  b: 'ЬьƅᏏᖯΒВ',
  c: 'сςᴄⲥꮯ',
  d: 'ԁᏧᑯꓒ',
  e: 'еҽєꬲᴇΕ',
  f: 'ꞙքꬵ',
  g: 'ɡցɢ',
  h: 'һհᏂʜΗН',
  i: 'іιıɩɪӏⲓ',
  k: 'кκᴋⲕ',
  l: 'ӏاןاᒪʟǀ∣',
  m: 'мᴍΜ',
  n: 'ոռпɴΝ',
  o: 'оοօᴏσⲟჿ',
  p: 'рρᴘⲣ',
  r: 'гᴦʀⲅ',
  s: 'ѕꜱƽꮪ',
  t: 'тτᴛⲧ',
  u: 'υսᴜʋц',
  w: 'ԝѡաᴡш',
  x: 'хᕁᕽ×',
  y: 'уүγʏყΥ',
  '#': '♯',
};

const LETTER_FOR: ReadonlyMap<string, string> = new Map(
  Object.entries(LOOK_ALIKES).flatMap(([letter, others]) => [...others].map((other) => [other, letter] as const)),
);

/** The value of a decimal digit of any script: Unicode puts each script's ten in a row, zero first. */
function digitValue(digit: string): string {
  const code = digit.codePointAt(0) ?? 0;
  let zero = code;
  while (zero > code - 9 && /\p{Nd}/u.test(String.fromCodePoint(zero - 1))) zero -= 1;
  return String(code - zero);
}

/** What a reader may take the text for. */
function skeleton(text: string): string {
  const bare = text.normalize('NFKD').replace(/\p{M}/gu, '');
  const letters = Array.from(bare, (letter) => {
    if (letter <= '\u007f') return letter;
    if (/\p{Nd}/u.test(letter)) return digitValue(letter);
    return LETTER_FOR.get(letter) ?? LETTER_FOR.get(letter.toLowerCase()) ?? letter;
  });
  return letters.join('');
}

/** The words of a text: without the bot's handle, with one plain space between them. */
function words(text: string, bot: { username: string }): string {
  const name = bot.username.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  const handle = new RegExp(`(?<![\\p{L}\\p{N}_])@${name}(?![\\p{L}\\p{N}_-]|\\.[\\p{L}\\p{N}])`, 'giu');
  return text.replace(handle, ' ').replace(WHITE_SPACE, ' ').replace(/^ | $/g, '');
}

function match(text: string): Command {
  const command = text.toLowerCase();
  const word = Object.hasOwn(WORDS, command) ? WORDS[command as keyof typeof WORDS] : undefined;
  if (word !== undefined) return word;
  const start = START.exec(command)?.[1];
  if (start !== undefined) return { name: 'start', gigId: Number(start) };
  const status = STATUS.exec(command)?.[1];
  if (status !== undefined) return { name: 'status', gigId: Number(status) };
  // In its own case, because an address carries its checksum there.
  const claim = CLAIM.exec(text);
  return claim === null ? UNKNOWN : { name: 'claim', address: claim[1]?.trim() || null };
}

/**
 * Reads the command in a mention: the author's own text, NFKC-normalised, without the bot's handle, white space folded,
 * case ignored. Whatever is not exactly a command is `unknown`, as is any text of more than 500 UTF-16 units, whatever is left
 * of it afterwards; nothing is guessed or repaired.
 * Never throws.
 */
export function parseCommand(text: string, bot: { username: string }): Command {
  if (text.length > MAX_TEXT) return UNKNOWN;
  const clean = words(text.normalize('NFKC'), bot);
  const command = match(clean);
  if (command !== UNKNOWN) {
    // NFKC also turns `4²` into `42` and fancy letters into plain ones: what was written so is not surely what was meant.
    return TYPED.test(words(text, bot)) ? command : { name: 'refused', reason: 'look_alike' };
  }
  const visible = words(clean.replace(INVISIBLE, ''), bot);
  const spaced = words(clean.replace(INVISIBLE, ' '), bot);
  if (visible !== clean && (match(visible) !== UNKNOWN || match(spaced) !== UNKNOWN)) {
    return { name: 'refused', reason: 'invisible' };
  }
  const seen = words(skeleton(visible), bot);
  if (seen !== clean && match(seen) !== UNKNOWN) return { name: 'refused', reason: 'look_alike' };
  return UNKNOWN;
}
