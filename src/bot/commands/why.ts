import type { Platform } from '../../domain/account.ts';
import type { Earning } from '../../domain/earning/earning.ts';
import { earningSentence, forPublic, TO_CLAIM, toldBy } from '../../domain/earning/words/earning-words.ts';
import { gigAfter } from '../../domain/mentions/command.ts';
import { amountOf, type Measure } from '../../domain/mentions/reply-text.ts';
import { REPLY_WORTH } from '../../domain/mentions/reply-worth.ts';
import { platformFacts } from '../../domain/platforms/platforms.ts';
import { dayText } from '../../domain/time.ts';
import { findOwnEarning, OWN_TIPS, type OwnEarning } from '../../services/gigs/show/show-earnings.ts';
import { defineCommand } from '../command.ts';
import { fitting, whoEarns } from '../who-earns.ts';

function manualWords({ gig: { id, token }, tips }: OwnEarning): string {
  if (tips.length === 0) return `The organizer of gig ${id} awards tips by hand. You have none yet.`;
  const sum = (some: OwnEarning['tips']) => some.reduce((total, { amount }) => total + amount, 0n);
  const least = tips.length < OWN_TIPS ? '' : 'at least ';
  const earned = `You earned ${least}${amountOf(sum(tips), token)} from gig ${id}`;
  const pending = sum(tips.filter(({ status }) => status === 'pending'));
  if (pending === sum(tips)) return `${earned}, not paid yet. ${TO_CLAIM}`;
  if (pending > 0n) return `${earned}; ${amountOf(pending, token)} of it is not paid yet. ${TO_CLAIM}`;
  const days = new Set(tips.map(({ claimedAt }) => dayText(claimedAt ?? 0)));
  return `${earned}, ${days.size === 1 ? '' : 'last '}paid on ${dayText(Math.max(...tips.map(({ claimedAt }) => claimedAt ?? 0)))}.`;
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
