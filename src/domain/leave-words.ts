import { foldSpaces, INVISIBLE, skeleton } from './command-text.ts';

const HANDLES_AND_LINKS = /@[\p{L}\p{N}_][\p{L}\p{N}_.-]*|https?:\/\/\S+/giu;

/** Everything but letters and digits: marks, emoji, hyphens. */
const SIGNS = /[^\p{L}\p{N}]+/gu;

const ACT =
  '(?: (?:it|this|now|(?:replying|answering|mentioning|tagging|messaging|posting|spamming)(?: (?:to |at )?me)?))?';
const LEAVE = new RegExp(
  `^(?:(?:please|pls) )?(?:stop${ACT}|unsubscribe(?: me)?|opt(?: me)? ?out|leave me alone)(?: (?:now|please|pls|thanks|thank you))?$`,
);

/**
 * Whether a text asks the bot for no more replies: `stop`, `Stop!`, `please stop`, `unsubscribe`, `opt out`. It needs no
 * grammar, as it moves no money: handles, links, signs and look-alike letters do not matter. `stop 42` ends a gig.
 */
export function asksToLeave(text: string): boolean {
  const visible = foldSpaces(text.normalize('NFKC')).replace(INVISIBLE, '');
  const said = skeleton(visible).replace(HANDLES_AND_LINKS, ' ').toLowerCase().replace(SIGNS, ' ');
  return LEAVE.test(foldSpaces(said));
}
