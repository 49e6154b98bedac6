/** White space between words, without U+FEFF: JavaScript counts it as white space, but it is invisible. */
const WHITE_SPACE = /[^\S\uFEFF]+/gu;

/** All other invisible characters, which are suspicious; U+2800 is the Braille pattern without a dot. */
export const INVISIBLE = /[\p{Default_Ignorable_Code_Point}\p{Cf}\p{Cc}\p{Co}\p{Cn}\u2800]/gu;

/** The characters of a command: ASCII, and its full-width forms, which East Asian keyboards write. */
const TYPED = /^[\p{ASCII}\uFF01-\uFF5E]*$/u;

/** The longest text that is parsed for a command, in UTF-16 units. */
export const MAX_COMMAND_LENGTH = 500;

/** The text with each run of white space as one space, trimmed. */
export function foldSpaces(text: string): string {
  return text.replace(WHITE_SPACE, ' ').replace(/^ | $/g, '');
}

const MOST_PATTERNS = 100;
const patterns = new Map<string, RegExp>();

/**
 * A handle where it stands as a word of its own; a longer handle that begins or ends with it is another account's. It is shared,
 * because making one takes longer than using it: not for `test` and `exec`, which go on where they ended.
 */
export function handlePattern(username: string): RegExp {
  const known = patterns.get(username);
  if (known !== undefined) return known;
  const name = username.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  const pattern = new RegExp(`(?<![\\p{L}\\p{N}_])@${name}(?![\\p{L}\\p{N}_-]|\\.[\\p{L}\\p{N}])`, 'giu');
  if (patterns.size >= MOST_PATTERNS) patterns.clear();
  patterns.set(username, pattern);
  return pattern;
}

/** The words of a text without the bot's handle, separated by single spaces. */
export function wordsTo(bot: { readonly username: string }, text: string): string {
  return foldSpaces(text.replace(handlePattern(bot.username), ' '));
}

/** A part of a text, in UTF-16 units; the end is exclusive. */
export interface TextPart {
  readonly start: number;
  readonly end: number;
}

/** What stands directly before and after a part, with the changes that were made after it: so many UTF-16 units. */
interface Around {
  readonly before: string;
  readonly after: string;
}
const NEAR = 4;

function apart<Part extends TextPart>(parts: readonly Part[]): Part[] {
  let furthest = 0;
  return parts
    .toSorted((a, b) => a.start - b.start)
    .filter(({ start, end }) => {
      const isApart = furthest <= start;
      furthest = Math.max(furthest, end);
      return isApart;
    });
}

/** Of parts that overlap, only the first is changed. A long post may have thousands. */
function changeParts<Part extends TextPart>(
  text: string,
  parts: readonly Part[],
  change: (part: Part, around: Around) => string,
): string {
  const pieces: string[] = [];
  let done = text.length;
  let after = '';
  for (const part of apart(parts).toReversed()) {
    const between = text.slice(part.end, done);
    after = `${between.slice(0, NEAR)}${after}`.slice(0, NEAR);
    const changed = change(part, { before: text.slice(Math.max(0, part.start - NEAR), part.start), after });
    pieces.push(between, changed);
    after = `${changed}${after}`.slice(0, NEAR);
    done = Math.min(part.start, text.length);
  }
  return [text.slice(0, done), ...pieces.reverse()].join('');
}

/** The text without these parts, each of which becomes a space. */
export function withoutParts(text: string, parts: readonly TextPart[]): string {
  return changeParts(text, parts, () => ' ');
}

/** A handle in a text, with the account that the platform says it names. */
export interface MarkedHandle extends TextPart {
  readonly accountId: string;
}

/**
 * A text in which the bot's handle, in the spelling of the configuration, stands as a word of its own where the platform says
 * that the account is named, and nowhere else: the account may have had another name, and something may be glued to it.
 * Another account's handle in that spelling becomes its id.
 */
export function textForBot(
  text: string,
  handles: readonly MarkedHandle[],
  bot: { readonly id: string; readonly username: string },
): string {
  const own = `@${bot.username}`;
  const spelled = ({ start, end }: TextPart) => text.slice(start, end).toLowerCase() === own.toLowerCase();
  const changed = handles.filter((handle) => handle.accountId === bot.id || spelled(handle));
  return changeParts(text, changed, (handle, { before, after }) => {
    const isOwn = handle.accountId === bot.id;
    const name = isOwn ? (spelled(handle) ? text.slice(handle.start, handle.end) : own) : `@${handle.accountId}`;
    const left = /[\p{L}\p{N}_]$/u.test(before) ? ' ' : '';
    const right = /^(?:[\p{L}\p{N}_@-]|\.[\p{L}\p{N}])/u.test(after) ? ' ' : '';
    return `${left}${name}${right}`;
  });
}

/** Whether a text has nothing that can be seen but links. */
export function isWordless(text: string): boolean {
  return foldSpaces(text.replace(/https?:\/\/\S+/gi, ' ').replace(INVISIBLE, ' ')) === '';
}

/** Whether a text with folded spaces holds only characters that a command may have. */
export function isTyped(text: string): boolean {
  return TYPED.test(text);
}

/**
 * Letters of other scripts, by the ASCII letter that they look like; from Unicode's table of confusables (UTS #39).
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
  j: 'ϳјյ',
  k: 'кκᴋⲕ',
  l: 'ӏاןاᒪʟǀ∣',
  m: 'мᴍΜ',
  n: 'ոռпɴΝ',
  o: 'оοօᴏσⲟჿ',
  p: 'рρᴘⲣ',
  q: 'ԛգզ',
  r: 'гᴦʀⲅ',
  s: 'ѕꜱƽꮪ',
  t: 'тτᴛⲧ',
  u: 'υսᴜʋц',
  v: 'ѵνᴠⱱט',
  w: 'ԝѡաᴡш',
  x: 'хᕁᕽ×',
  y: 'уүγʏყΥ',
  z: 'ᴢꮓ',
  '#': '♯',
};

const LETTER_FOR: ReadonlyMap<string, string> = new Map(
  Object.entries(LOOK_ALIKES).flatMap(([letter, others]) => [...others].map((other) => [other, letter] as const)),
);

/** The value of a decimal digit of any script: Unicode has each script's ten digits in a row, zero first. */
function digitValue(digit: string): string {
  const code = digit.codePointAt(0) ?? 0;
  let zero = code;
  while (zero > code - 9 && /\p{Nd}/u.test(String.fromCodePoint(zero - 1))) zero -= 1;
  return String(code - zero);
}

function replaceLookAlikes(text: string): string {
  const letters = Array.from(text, (letter) => {
    if (letter <= '\u007f') return letter;
    if (/\p{Nd}/u.test(letter)) return digitValue(letter);
    return LETTER_FOR.get(letter) ?? LETTER_FOR.get(letter.toLowerCase()) ?? letter;
  });
  return letters.join('');
}

/** The text with letters and digits of any script replaced by the ASCII ones that they look like. */
export function skeleton(text: string): string {
  return replaceLookAlikes(text.normalize('NFKD').replace(/\p{M}/gu, ''));
}

/** As {@link skeleton}, for texts in any language: the marks that are a script's own vowels stay. */
export function textSkeleton(text: string): string {
  return replaceLookAlikes(text.normalize('NFKD').replace(/\p{Script=Inherited}/gu, '')).normalize('NFKC');
}
