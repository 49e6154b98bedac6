import { countOf } from '../../count.ts';
import type { Gig } from '../../gigs/gig.ts';
import { platformFacts } from '../../platforms/platforms.ts';
import { HOUR_MS, minuteText } from '../../time.ts';
import type { EntryTerms } from '../holding/entry.ts';
import { holdingWords } from '../holding/holding.ts';
import { enterSentence } from './sentence.ts';

/** The outcome of an entry that was not made before. */
export type NewEntry =
  | { readonly kind: 'not_entered' | 'elsewhere' | 'only_in_console'; readonly gig: Gig }
  | { readonly kind: 'not_live'; readonly gig: Gig; readonly phase: 'created' | 'cancelled' | 'scheduled' | 'ended' }
  | { readonly kind: 'entered'; readonly gig: Gig; readonly terms: EntryTerms };

function closedWords({ id, startTime, endTime }: Gig, phase: 'created' | 'cancelled' | 'scheduled' | 'ended'): string {
  switch (phase) {
    case 'ended':
      return `Gig ${id} ended at ${minuteText(endTime)}, so nobody enters any more.`;
    case 'cancelled':
      return `Gig ${id} is cancelled.`;
    case 'created':
      return `Gig ${id} is not started, so nobody enters yet.`;
    case 'scheduled':
      return `You can enter gig ${id} from ${minuteText(startTime)}.`;
  }
}

/** The outcome of an entry, for its account. @param where it reads it: on a page, or in a post to the bot */
export function joinedWords(entry: NewEntry, where: 'page' | 'post'): string {
  const { gig } = entry;
  const { label } = platformFacts(gig.platform);
  switch (entry.kind) {
    case 'not_entered':
      return `Gig ${gig.id} takes no entries. ${where === 'page' ? 'Its page says how to earn.' : `To see how to earn from it, mention me with "gig ${gig.id}".`}`;
    case 'elsewhere':
      return `Gig ${gig.id} is on ${label}: enter there.`;
    case 'only_in_console':
      return `On ${label} nobody is paid for a post. ${enterSentence(gig, 'me')}`;
    case 'not_live':
      return closedWords(gig, entry.phase);
    case 'entered': {
      const { holding, forMs } = entry.terms;
      const hours = countOf(forMs / HOUR_MS, 'hour');
      return `You entered gig ${gig.id}. Hold ${holdingWords(holding)} now and for ${hours}. To see the result, mention me with "why ${gig.id}".`;
    }
  }
}
