import { type Gig, unawardedOf } from '../../domain/gigs/gig.ts';
import { awardsUntil, refundDueAt, refundRecipient } from '../../domain/gigs/gig-end.ts';
import { checksummed } from '../../domain/gigs/token.ts';
import { gigAfter } from '../../domain/mentions/command.ts';
import { amountOf } from '../../domain/mentions/reply-text.ts';
import { REPLY_WORTH } from '../../domain/mentions/reply-worth.ts';
import { minuteText } from '../../domain/time.ts';
import { prepareEnd, previewEnd } from '../../services/ends/end-gig.ts';
import { ENDING_NAMES, type Ending } from '../../services/ends/endings.ts';
import { defineCommand } from '../command.ts';

/** Where money of an ended gig goes. `when` follows the recipient, if there is one. */
function backTo(gig: Gig, { it, when = '' }: { it: string; when?: string }): string {
  const recipient = refundRecipient(gig);
  return recipient === null
    ? `${it} stays in the wallet until the operator sets a refund address.`
    : `${it} returns to ${checksummed(recipient)}${when}.`;
}

function stopped(gig: Gig): string {
  const until = gig.awardDays === 0 ? '' : ` Tips can be awarded until ${minuteText(awardsUntil(gig))}.`;
  return `Gig ${gig.id} is stopped. New activity no longer counts; tips already earned are kept.${until}`;
}

function settled(gig: Gig, refundDelayMs: number): string {
  const left = unawardedOf(gig);
  const closed = `Gig ${gig.id} is settled: no more tips are awarded. Tips already earned can still be claimed.`;
  if (left === 0n) return closed;
  const due = refundDueAt(gig, refundDelayMs) ?? 0;
  return `${closed} Left: ${amountOf(left, gig.token)}. ${backTo(gig, { it: 'It', when: ` after ${minuteText(due)}` })}`;
}

function cancelled(gig: Gig): string {
  return `Gig ${gig.id} is cancelled. Do not send it any more money. ${backTo(gig, { it: 'Its money' })}`;
}

const REPLIES: Readonly<Record<Ending, (gig: Gig, refundDelayMs: number) => string>> = {
  stop: stopped,
  settle: settled,
  cancel: cancelled,
};

/** The reply to a command that ended a gig. */
export function endedReply(gig: Gig, { ending, refundDelayMs }: { ending: Ending; refundDelayMs: number }): string {
  return REPLIES[ending](gig, refundDelayMs);
}

const ENDINGS = ENDING_NAMES.map((ending) => ({
  ending,
  read: gigAfter(ending, `${ending} gig`),
}));

/** Ends a gig: now, permanently after its end, or without a start. `stop` alone turns replies off. */
export const endCommand = defineCommand({
  name: 'end',
  worth: REPLY_WORTH.start,
  guide: [
    { say: 'stop gig 42', who: 'an owner of the gig', does: 'Ends a live gig now. Tips already earned are kept.' },
    { say: 'settle gig 42', who: 'an owner of the gig', does: 'Closes the books of a gig that has ended.' },
    { say: 'cancel gig 42', who: 'an owner of the gig', does: 'Ends a gig that never started, and returns its money.' },
  ],
  changes: true,
  ranksRefusals: true,
  notices: 'told',
  isStrict: true,
  read(words) {
    for (const { ending, read } of ENDINGS) {
      const named = read(words);
      if (named !== null) return { ...named, ending };
    }
    return null;
  },
  /** The reply describes the gig after the end. The transaction that ends it checks every rule again. */
  async prepare({ deps, actor, mention }, { gigId, ending }) {
    const holder = `${actor.requestId}:${mention.lease}`;
    const after = await previewEnd(deps, { gigId, ending, actor });
    const text = endedReply(after, { ending, refundDelayMs: deps.refundDelayMs });
    return { text, ...prepareEnd({ gigId, ending, actor, holder }) };
  },
});
