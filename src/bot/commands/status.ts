import { groupedAmount } from '../../domain/amount.ts';
import { lengthFromStart } from '../../domain/earning/words/sentence.ts';
import { type Funding, type Gig, gigPhase } from '../../domain/gigs/gig.ts';
import { ORGANIZER_DECIDES } from '../../domain/gigs/gig-type.ts';
import { checksummed, type Token } from '../../domain/gigs/token.ts';
import { gigAfter } from '../../domain/mentions/command.ts';
import { type Measure, safeSymbol } from '../../domain/mentions/reply-text.ts';
import { REPLY_WORTH } from '../../domain/mentions/reply-worth.ts';
import { minuteText } from '../../domain/time.ts';
import { findGigStatus } from '../../services/gigs/find-gigs.ts';
import { findGigEarning } from '../../services/gigs/show/find-earnings.ts';
import { defineCommand } from '../command.ts';
import { frozenWords, NOTHING_IS_LOST } from '../replies.ts';
import { type Earned, fitting, whoEarns } from '../who-earns.ts';

function readable(amount: bigint, token: Token): string {
  return `${groupedAmount(amount, token.decimals)} ${safeSymbol(token)}`;
}

function walletWords(gig: Gig, funding: Funding | 'unknown' | null, isCreated: boolean): string {
  if (funding === null) return '';
  if (funding === 'unknown') return ' Its wallet cannot be read right now.';
  const held = groupedAmount(funding.actual, gig.token.decimals);
  const wallet = ` Its wallet ${checksummed(gig.walletAddress)} holds ${held}`;
  return isCreated ? `${wallet} of ${readable(funding.expected, gig.token)}.` : `${wallet} ${safeSymbol(gig.token)}.`;
}

/**
 * The status of a gig. `funding` is its wallet's, for an owner, or `unknown` when the chain did not answer; `earning` is
 * null for a manual gig.
 */
export function statusReply(
  gig: Gig,
  options: { now: number; funding: Funding | 'unknown' | null; frozen: boolean; earning: Earned | null },
  measure: Measure,
): string {
  const { now, funding, frozen, earning } = options;
  const phase = gigPhase(gig, now);
  const words = {
    cancelled: 'is cancelled',
    created: `is not started. Planned: ${lengthFromStart(gig, now) ?? `${minuteText(gig.startTime)} to ${minuteText(gig.endTime)}`}`,
    scheduled: `is started, live from ${minuteText(gig.startTime)} until ${minuteText(gig.endTime)}`,
    live: `is live until ${minuteText(gig.endTime)}`,
    ended: `ended at ${minuteText(gig.endTime)}`,
  }[phase];
  const told = `Gig ${gig.id} ${words}. Reward: ${readable(gig.rewardAmount, gig.token)}.`;
  const base = frozen ? `${told} ${frozenWords(`gig ${gig.id}`)}. ${NOTHING_IS_LOST}` : told;
  const wallet = walletWords(gig, funding, phase === 'created');
  const isOver = phase === 'ended' || phase === 'cancelled';
  const byHand = isOver ? [''] : [` ${ORGANIZER_DECIDES}`, ''];
  const earners = earning === null ? byHand : whoEarns(gig, earning, now);
  return fitting(
    earners.map((who) => `${base}${who}${wallet}`),
    measure,
  );
}

export const statusCommand = defineCommand({
  name: 'status',
  worth: REPLY_WORTH.lookUp,
  help: '"gig 42"',
  guide: [{ say: 'gig 42', who: 'anyone', does: 'Shows the state of the gig, its reward, its time and who earns.' }],
  read: gigAfter('gig', 'status', 'status gig'),
  async prepare({ deps, author: viewer, platform }, { gigId }) {
    const { gig, ...status } = await findGigStatus(deps, { gigId, viewer });
    const earning = await findGigEarning(deps, gig);
    return { text: statusReply(gig, { now: deps.clock(), ...status, earning }, platform) };
  },
});
