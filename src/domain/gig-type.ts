import type { GigType } from './gig.ts';

/** How a client shows a gig type on one network. */
export interface GigTypeDisplay {
  /** The name of an icon. */
  readonly icon: string;
  readonly label: string;
  readonly filter_id: string;
  /** Whether the type is about a post whose URL is asked for. */
  readonly with_input: boolean;
  readonly how_to_earn: string;
  readonly earning_criteria: string;
  readonly input_placeholder: string;
}

const CAST_URL = 'https://farcaster.xyz/alice/0x1234abcd';
const POST_URL = 'https://x.com/alice/status/1234567890';

interface Words {
  readonly icon: string;
  readonly label: string;
  readonly how: string;
  readonly criteria: string;
}

function display(type: GigType, words: Words, placeholder: string): GigTypeDisplay {
  return {
    icon: words.icon,
    label: words.label,
    filter_id: type,
    with_input: placeholder !== '',
    how_to_earn: words.how,
    earning_criteria: words.criteria,
    input_placeholder: placeholder,
  };
}

function both(
  type: GigType,
  options: { farcaster: Words; x: Words; aboutAPost: boolean },
): { x: GigTypeDisplay; farcaster: GigTypeDisplay } {
  return {
    x: display(type, options.x, options.aboutAPost ? POST_URL : ''),
    farcaster: display(type, options.farcaster, options.aboutAPost ? CAST_URL : ''),
  };
}

const ONCE = 'Whoever runs the gig checks it.';

/** How each gig type is shown; what a gig says itself comes first. */
export const GIG_TYPE_DISPLAY: Readonly<Record<GigType, { x: GigTypeDisplay; farcaster: GigTypeDisplay }>> = {
  mention: both('mention', {
    farcaster: { icon: 'at', label: 'Mention', how: 'Mention the account in a cast.', criteria: ONCE },
    x: { icon: 'at', label: 'Mention', how: 'Mention the account in a post.', criteria: ONCE },
    aboutAPost: false,
  }),
  like: both('like', {
    farcaster: { icon: 'heart', label: 'Like', how: 'Like the cast.', criteria: ONCE },
    x: { icon: 'heart', label: 'Like', how: 'Like the post.', criteria: ONCE },
    aboutAPost: true,
  }),
  recast: both('recast', {
    farcaster: { icon: 'repeat', label: 'Recast', how: 'Recast the cast.', criteria: ONCE },
    x: { icon: 'repeat', label: 'Repost', how: 'Repost the post.', criteria: ONCE },
    aboutAPost: true,
  }),
  boost: both('boost', {
    farcaster: { icon: 'rocket', label: 'Boost', how: 'Like and recast the cast.', criteria: ONCE },
    x: { icon: 'rocket', label: 'Boost', how: 'Like and repost the post.', criteria: ONCE },
    aboutAPost: true,
  }),
  reply: both('reply', {
    farcaster: { icon: 'message', label: 'Reply', how: 'Reply to the cast.', criteria: ONCE },
    x: { icon: 'message', label: 'Reply', how: 'Reply to the post.', criteria: ONCE },
    aboutAPost: true,
  }),
  follow: both('follow', {
    farcaster: { icon: 'user-plus', label: 'Follow', how: 'Follow the account.', criteria: ONCE },
    x: { icon: 'user-plus', label: 'Follow', how: 'Follow the account.', criteria: ONCE },
    aboutAPost: false,
  }),
  custom_bounty: both('custom_bounty', {
    farcaster: {
      icon: 'trophy',
      label: 'Bounty',
      how: 'Do what the bounty asks for.',
      criteria: 'Its verifier decides.',
    },
    x: { icon: 'trophy', label: 'Bounty', how: 'Do what the bounty asks for.', criteria: 'Its verifier decides.' },
    aboutAPost: false,
  }),
};
