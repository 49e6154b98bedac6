import { ActError, describeAct, findWatchedTarget, planAct, readAsked, type Verb } from '../acting.ts';
import { showPost } from '../networks/door.ts';
import type { FarcasterNetwork } from '../networks/farcaster.ts';
import type { readTargets } from '../watched-gigs.ts';
import type { Outcome } from './actions.ts';
import type { Story } from './story.ts';

/** What users say by a button, each in words of its own: a text that another account has used earns nothing. */
const TEXTS: Readonly<Partial<Record<Verb, string>>> = {
  quote: 'thinks that everybody should see this',
  reply: 'has read it and likes what it says',
  mention: 'wants to tell everybody about it',
};

/** Lets a user do something about what a watched gig is about, in the words of `npm run act`. */
export function createActPress(options: {
  farcaster: FarcasterNetwork;
  /** The watched gigs, as they are on disk now. */
  targets: () => ReturnType<typeof readTargets>;
  story: Story;
}): (gigId: number, fields: { who: string; verb: string }) => Promise<Outcome> {
  const { farcaster, targets, story } = options;

  async function perform(gigId: number, { who, verb }: { who: string; verb: string }): Promise<string> {
    const said = TEXTS[verb as Verb];
    const text = said === undefined ? [] : [`${who} ${said}`];
    const asked = readAsked(['farcaster', who, verb, ...text, 'gig', String(gigId)]);
    const gig = findWatchedTarget(await targets(), gigId);
    const { path, body } = planAct(asked, gig.target, {
      casts: farcaster.posts().map(showPost),
      users: farcaster.users(),
    });
    if (path === '/posts') return describeAct(asked, gig, { changed: true, url: farcaster.post(body).url });
    const change = farcaster.act(body);
    const url = change !== null && 'post' in change ? change.post.url : null;
    return describeAct(asked, gig, { changed: change !== null, url });
  }

  return async (gigId, fields) => {
    const show = `gig-${gigId}`;
    try {
      const message = await perform(gigId, fields);
      story.tell({ scene: 'Farcaster', text: message });
      return { ok: true, message, show };
    } catch (error) {
      if (!(error instanceof ActError) && !(error instanceof RangeError)) throw error;
      return { ok: false, message: error.message, show };
    }
  };
}
