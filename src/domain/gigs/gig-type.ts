import type { Platform } from '../account.ts';
import { PLATFORMS, type PlatformFacts, platformFacts } from '../platforms/platforms.ts';
import type { GigType } from './gig.ts';

export interface GigTypeDisplay {
  readonly icon: string;
  readonly label: string;
  readonly filter_id: string;
  /** Whether the type needs the URL of a post. */
  readonly with_input: boolean;
  readonly how_to_earn: string;
  readonly earning_criteria: string;
  readonly input_placeholder: string;
}

interface Words {
  readonly icon: string;
  readonly label: string;
  readonly how: string;
}

/** The gig types that are about one post and need its URL. */
export const ABOUT_A_POST: ReadonlySet<GigType> = new Set(['like', 'recast', 'boost', 'reply']);

function wordsOf(type: GigType, { post, repost }: PlatformFacts): Words {
  switch (type) {
    case 'mention':
      return { icon: 'at', label: 'Mention', how: `Mention the account in a ${post}.` };
    case 'like':
      return { icon: 'heart', label: 'Like', how: `Like the ${post}.` };
    case 'recast': {
      const label = capitalized(repost);
      return { icon: 'repeat', label, how: `${label} the ${post}.` };
    }
    case 'boost':
      return { icon: 'rocket', label: 'Boost', how: `Like and ${repost} the ${post}.` };
    case 'reply':
      return { icon: 'message', label: 'Reply', how: `Reply to the ${post}.` };
    case 'follow':
      return { icon: 'user-plus', label: 'Follow', how: 'Follow the account.' };
    case 'hold':
      return { icon: 'coins', label: 'Hold', how: 'Enter, and hold the token.' };
    case 'custom_bounty':
      return { icon: 'trophy', label: 'Bounty', how: 'Do what the bounty asks for.' };
  }
}

/** Who earns from a gig that nothing watches, and that says nothing else. */
export const ORGANIZER_DECIDES = 'The organizer decides who earns.';

export function capitalized(word: string): string {
  return word.slice(0, 1).toUpperCase() + word.slice(1);
}

/** The display of a gig type on a platform; a gig's own texts take precedence. */
export function gigTypeDisplay(type: GigType, platform: Platform): GigTypeDisplay {
  const facts = platformFacts(platform);
  const { icon, label, how } = wordsOf(type, facts);
  const isAboutAPost = ABOUT_A_POST.has(type);
  return {
    icon,
    label,
    filter_id: type,
    with_input: isAboutAPost,
    how_to_earn: how,
    earning_criteria: type === 'custom_bounty' ? 'Its verifier decides.' : ORGANIZER_DECIDES,
    input_placeholder: isAboutAPost ? facts.examplePostUrl : '',
  };
}

/** The displays of a gig type by platform slug. */
export function gigTypeDisplays(type: GigType): Record<string, GigTypeDisplay> {
  return Object.fromEntries(PLATFORMS.map(({ id, slug }) => [slug, gigTypeDisplay(type, id)]));
}
