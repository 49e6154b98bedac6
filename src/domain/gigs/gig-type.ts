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
  /** The label of the choice in a form, where `label` says too little. */
  readonly choice?: string;
  readonly how: string;
}

/** What sets a gig type apart from others, for all that would ask for it by name. */
export interface GigTypeTraits {
  /**
   * What the URL of a gig names: the post that it is about, which it needs; an account, or a post of one; a post whose
   * replies count as well; or nothing, because the gig is about a token.
   */
  readonly url: 'its_post' | 'account' | 'also_post' | 'none';
  /** The command by which accounts take part: they tell the bot. Null where the platform tells what they do. */
  readonly command: 'submit' | 'join' | null;
}

const ABOUT_A_POST: GigTypeTraits = { url: 'its_post', command: null };
const ABOUT_AN_ACCOUNT: GigTypeTraits = { url: 'account', command: null };

export const GIG_TYPE_TRAITS: Readonly<Record<GigType, GigTypeTraits>> = {
  mention: ABOUT_AN_ACCOUNT,
  like: ABOUT_A_POST,
  recast: ABOUT_A_POST,
  boost: ABOUT_A_POST,
  reply: ABOUT_A_POST,
  follow: ABOUT_AN_ACCOUNT,
  custom_bounty: { url: 'also_post', command: 'submit' },
  hold: { url: 'none', command: 'join' },
};

export function isAboutAPost(type: GigType): boolean {
  return GIG_TYPE_TRAITS[type].url === 'its_post';
}

export function isAboutAnAccount(type: GigType): boolean {
  return GIG_TYPE_TRAITS[type].url === 'account';
}

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
      return {
        icon: 'rocket',
        label: 'Boost',
        choice: `Boost (${repost} or quote)`,
        how: `${capitalized(repost)} or quote the ${post}.`,
      };
    case 'reply':
      return { icon: 'message', label: 'Reply', how: `Reply to the ${post}.` };
    case 'follow':
      return { icon: 'user-plus', label: 'Follow', how: 'Follow the account.' };
    case 'hold':
      return { icon: 'coins', label: 'Hold', choice: 'Hold a token', how: 'Enter, and hold the token.' };
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
  const needsPost = isAboutAPost(type);
  return {
    icon,
    label,
    filter_id: type,
    with_input: needsPost,
    how_to_earn: how,
    earning_criteria: type === 'custom_bounty' ? 'Its verifier decides.' : ORGANIZER_DECIDES,
    input_placeholder: needsPost ? facts.examplePostUrl : '',
  };
}

/** The displays of a gig type by platform slug. */
export function gigTypeDisplays(type: GigType): Record<string, GigTypeDisplay> {
  return Object.fromEntries(PLATFORMS.map(({ id, slug }) => [slug, gigTypeDisplay(type, id)]));
}

/** What a form calls the choice of a type. */
export function gigTypeChoice(type: GigType, platform: PlatformFacts): string {
  const { label, choice = label } = wordsOf(type, platform);
  return choice;
}
