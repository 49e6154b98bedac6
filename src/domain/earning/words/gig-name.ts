import type { Gig } from '../../gigs/gig.ts';
import { capitalized } from '../../gigs/gig-type.ts';
import { platformFacts } from '../../platforms/platforms.ts';
import type { Target } from '../act.ts';
import { howToEarn, unnamedAct } from './sentence.ts';

/** The most characters of a gig's name. */
const MAX_NAME = 60;

export interface NamedGig {
  readonly id: number;
  readonly title: string | null;
  readonly gigType: Gig['gigType'];
  readonly platform: Gig['platform'];
  readonly howToEarn: string | null;
  readonly externalUrl: string | null;
}

/** Whole words, as many as fit. */
function firstWords(text: string): string {
  const line = text.replace(/\s+/gu, ' ').trim();
  const characters = Array.from(line);
  if (characters.length <= MAX_NAME) return line.replace(/[.:,;]$/u, '');
  const cut = characters.slice(0, MAX_NAME - 1).join('');
  const end = cut.lastIndexOf(' ');
  return `${(end > 0 ? cut.slice(0, end) : cut).replace(/[.:,;]$/u, '')}…`;
}

/**
 * The name of a gig, at most 60 characters: its title, or the first words of how it is earned. Its number always stands beside it,
 * because names repeat.
 * @param target what is watched; null for a manual gig, or where the list does not know it
 */
export function gigName(gig: NamedGig, target: Target | null): string {
  if (gig.title !== null) return gig.title;
  const unnamed = unnamedAct(gig, target);
  if (unnamed !== null) return `${capitalized(unnamed)} on ${platformFacts(gig.platform).label}`;
  // How one enters or submits stands on a line below, and is no name.
  return firstWords(gig.howToEarn ?? howToEarn(gig, target).split('\n', 1).join());
}
