/** What carries no meaning between words. JavaScript counts U+FEFF as white space too, but nobody can see it. */
const WHITE_SPACE = /[^\S\uFEFF]+/gu;

/** Everything else that cannot be seen is suspicious; U+2800 is the Braille pattern without a dot. */
export const INVISIBLE = /[\p{Default_Ignorable_Code_Point}\p{Cf}\p{Cc}\p{Co}\p{Cn}\u2800]/gu;

/** What a command may be typed in: ASCII, and the same in full width, as East Asian keyboards write it. */
const TYPED = /^[\p{ASCII}\uFF01-\uFF5E]*$/u;

/** The longest text that is looked at for a command, in UTF-16 units. */
export const MAX_COMMAND_LENGTH = 500;

/** The text with one plain space for each run of white space, and none at its ends. */
export function foldSpaces(text: string): string {
  return text.replace(WHITE_SPACE, ' ').replace(/^ | $/g, '');
}

/** Whether a text with folded spaces consists of what a command may be typed in. */
export function isTyped(text: string): boolean {
  return TYPED.test(text);
}

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

/** What a reader may take the text for: letters and digits of any script as those of ASCII that they look like. */
export function skeleton(text: string): string {
  const bare = text.normalize('NFKD').replace(/\p{M}/gu, '');
  const letters = Array.from(bare, (letter) => {
    if (letter <= '\u007f') return letter;
    if (/\p{Nd}/u.test(letter)) return digitValue(letter);
    return LETTER_FOR.get(letter) ?? LETTER_FOR.get(letter.toLowerCase()) ?? letter;
  });
  return letters.join('');
}
