import { type Gig, gigPhase } from '../../domain/gigs/gig.ts';
import { gigAfter } from '../../domain/mentions/command.ts';
import { REPLY_WORTH } from '../../domain/mentions/reply-worth.ts';
import { minuteText } from '../../domain/time.ts';
import { prepareStart } from '../../services/gigs/start-gig.ts';
import { defineCommand } from '../command.ts';

export function startedReply(gig: Gig, now: number): string {
  return gigPhase(gig, now) === 'scheduled'
    ? `Gig ${gig.id} started. It is live from ${minuteText(gig.startTime)} until ${minuteText(gig.endTime)}.`
    : `Gig ${gig.id} is live until ${minuteText(gig.endTime)}.`;
}

export const startCommand = defineCommand({
  name: 'start',
  worth: REPLY_WORTH.start,
  help: '"start 42"',
  guide: [{ say: 'start gig 42', who: 'an owner of the gig', does: 'Starts the gig once its wallet is funded.' }],
  changes: true,
  ranksRefusals: true,
  notices: 'told',
  isStrict: true,
  read: gigAfter('start', 'start gig'),
  async prepare({ deps, actor, mention, confirm }, { gigId }) {
    const { requestId } = actor;
    const { started, commit, abandon } = await prepareStart(deps, {
      gigId,
      actor,
      // A retry after a crash takes over its own lock, and a stale worker must not release the retry's lock.
      holder: `${requestId}:${mention.lease}`,
      takesOver: `${requestId}:`,
      confirm,
    });
    return { text: startedReply(started, deps.clock()), commit, abandon };
  },
});
