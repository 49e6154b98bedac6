/** How a value may be shortened: an address in its middle, a text at its end, a time to its minute. */
export type Cut = 'middle' | 'end' | 'time';

const ASCII = /^[\x20-\x7e]*$/;
/** East Asian wide characters and emoji take two places of a terminal. */
const WIDE =
  /\p{Emoji_Presentation}|\u{fe0f}|[\u{1100}-\u{115f}\u{2e80}-\u{a4cf}\u{ac00}-\u{d7a3}\u{f900}-\u{faff}\u{fe30}-\u{fe6f}\u{ff00}-\u{ff60}\u{ffe0}-\u{ffe6}\u{20000}-\u{3fffd}]/u;

/** Made when it is needed: to load it takes 15 ms, and most of what is printed is ASCII. */
let segmenter: Intl.Segmenter | undefined;

function charactersOf(text: string): string[] {
  if (ASCII.test(text)) return text.split('');
  segmenter ??= new Intl.Segmenter();
  return Array.from(segmenter.segment(text), ({ segment }) => segment);
}

function placesOf(characters: readonly string[]): number {
  return characters.reduce((sum, character) => sum + (WIDE.test(character) ? 2 : 1), 0);
}

/** How many places of a terminal a text without control characters takes. */
export function widthOf(text: string): number {
  return ASCII.test(text) ? text.length : placesOf(charactersOf(text));
}

/** As many characters from the beginning as fit. */
function fitting(characters: readonly string[], width: number): string {
  let left = width;
  const end = characters.findIndex((character) => {
    left -= placesOf([character]);
    return left < 0;
  });
  return (end < 0 ? characters : characters.slice(0, end)).join('');
}

/** The text within `width` places, where that can be done. */
export function shorten(text: string, width: number, cut: Cut): string {
  if (widthOf(text) <= width) return text;
  if (cut === 'time') return text.replace(/:\d\d\.\d{3}Z$/, 'Z');
  const characters = charactersOf(text);
  if (cut === 'end') return `${fitting(characters, width - 1)}…`;
  const tail = Math.floor((width - 1) / 2) - 1;
  return `${fitting(characters, width - 1 - tail)}…${characters.slice(-tail).join('')}`;
}
