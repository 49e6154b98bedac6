import { CHAINS } from '../chains/chain.ts';
import { foldSpaces, INVISIBLE, skeleton } from '../mentions/command-text.ts';

/** A dot directly before a letter or digit, as in `alice.eth`; not that of a decimal number, nor one of several in a row. */
const DOTTED = /(?<!\.)[.\u3002](?!(?<=\p{N}\.)\p{N}+(?![\p{L}\p{N}]))[\p{L}\p{N}]/u;

/** An address of any chain, or a part of one. Scripts without spaces between words have long runs of their own. */
const LONG =
  /[[\p{L}\p{N}]--[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]]{25,}/v;

const CHAIN_NAMES = CHAINS.map(({ key }) => key).join('|');
/** A chain before an address: `base:0x…`, `eip155:1:…`, `solana:…`, or the name of one with any colon. */
const CHAIN_PREFIX = new RegExp(
  `\\p{L}\\p{N}*:[\\p{L}\\p{N}]|\\p{N}:\\p{L}|(?<![\\p{L}\\p{N}])(?:${CHAIN_NAMES}|eth|eip155) ?:`,
  'iu',
);

const TO = /(?<![\p{L}\p{N}])(?:to|into|onto)(?![\p{L}\p{N}])|[-=]>|\u2192/iu;

/** A word that denies, such as `don't` or `can't`; without their apostrophe only those that are no other word's end. */
const DENIAL =
  /(?<![\p{L}\p{N}])(?:not|never|cannot|dont|cant|wont|\p{L}+n['\u2018\u2019\u02bc`\u00b4]t)(?![\p{L}\p{N}])/iu;

/** A text as it may be read: as it is, without what cannot be seen, and with look-alike letters as plain ones. */
export function readings(text: string): string[] {
  const normal = text.normalize('NFKC');
  const visible = normal.replace(INVISIBLE, '');
  return [...new Set([normal, visible, skeleton(visible)])];
}

/** Whether a text has a chain's name before something, as in `base:0x…`. */
export function namesChain(text: string): boolean {
  return readings(foldSpaces(text)).some((form) => CHAIN_PREFIX.test(form));
}

/** Stands for the words of the claim. */
const CLAIM = '\u241e';

/**
 * Why the words around a claim without an address keep it from being paid to the default one: they deny it, or may name a
 * destination that is not understood. Null when they do neither.
 */
export function objectionTo(before: string, after: string): 'denied' | 'elsewhere' | null {
  const [said, then] = [before, after].map((text) => text.replaceAll(CLAIM, ' '));
  const forms = readings(foldSpaces(`${said}${CLAIM}${then}`)).map((whole) => ({ whole, parts: whole.split(CLAIM) }));
  if (forms.some(({ parts: [first = ''] }) => DENIAL.test(first))) return 'denied';
  const names = forms.some(
    ({ whole, parts: [, last = ''] }) =>
      [DOTTED, LONG, CHAIN_PREFIX].some((pattern) => pattern.test(whole)) || TO.test(last),
  );
  return names ? 'elsewhere' : null;
}
