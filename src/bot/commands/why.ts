import type { Platform } from '../../domain/account.ts';
import type { Earning } from '../../domain/earning/earning.ts';
import { earningSentence, forPublic, TO_CLAIM, toldBy } from '../../domain/earning/words/earning-words.ts';
import { pendingOf, tipsWords } from '../../domain/gigs/tip-words.ts';
import { gigAfter } from '../../domain/mentions/command.ts';
import { amountOf, type Measure } from '../../domain/mentions/reply-text.ts';
import { REPLY_WORTH } from '../../domain/mentions/reply-worth.ts';
import { platformFacts } from '../../domain/platforms/platforms.ts';
import { findOwnEarning, OWN_TIPS, type OwnEarning } from '../../services/gigs/show/show-earnings.ts';
import { defineCommand } from '../command.ts';
import { fitting, whoEarns } from '../who-earns.ts';

function manualWords({ gig: { id: gigId, token }, tips }: OwnEarning): string {
  if (tips.length === 0) return `The organizer of gig ${gigId} awards tips by hand. You have none yet.`;
  const amountText = (amount: bigint) => amountOf(amount, token);
  const told = `${tipsWords(tips, { who: 'You', gigId, amountText, most: OWN_TIPS })}.`;
  return pendingOf(tips).length === 0 ? told : `${told} ${TO_CLAIM}`;
}

/** The longest text first. */
function postable(earning: Earning): readonly Earning[] {
  const shown = forPublic(earning);
  return shown.voidReason ? [shown, { ...shown, voidReason: '' }] : [shown];
}

/** What the author earns from a gig, and why not. */
export function whyReply(
  own: OwnEarning,
  { viewer, now }: { viewer: { readonly platform: Platform }; now: number },
  measure: Measure,
): string {
  const { gig, overview, earning, missing } = own;
  if (overview === null) return manualWords(own);
  if (viewer.platform !== gig.platform) {
    return `Gig ${gig.id} is on ${platformFacts(gig.platform).label}: ask me there.`;
  }
  if (gig.cancelledAt !== null) return `Gig ${gig.id} is cancelled.`;
  if (earning === null) {
    const none =
      gig.status === 'created'
        ? `Gig ${gig.id} is not started.`
        : `I haven't seen anything from you that counts for gig ${gig.id}.`;
    return fitting(
      whoEarns(gig, overview, now).map((who) => `${none}${who}`),
      measure,
    );
  }
  const amountText = (amount: bigint) => amountOf(amount, gig.token);
  const told = { ...toldBy(overview.rules), missing, isOwn: true, now, amountText };
  return fitting(
    postable(earning).map((each) => `Gig ${gig.id}: ${earningSentence(each, told)}`),
    measure,
  );
}

/** What the author earns from a gig, and why not. */
export const whyCommand = defineCommand({
  name: 'why',
  worth: REPLY_WORTH.lookUp,
  help: '"why 42" (your part)',
  guide: [{ say: 'why 42', who: 'anyone', does: 'Says what you earned from the gig, or why you did not.' }],
  read: gigAfter('why', 'why gig'),
  async prepare({ deps, author: viewer, platform }, { gigId }) {
    const own = await findOwnEarning(deps, { gigId, viewer });
    return { text: whyReply(own, { viewer, now: deps.clock() }, platform) };
  },
});
