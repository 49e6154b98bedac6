import { gigAfter } from '../../domain/command.ts';
import { REPLY_WORTH } from '../../domain/reply-worth.ts';
import { endOwnGig, previewEnd } from '../../services/ends/end-gig.ts';
import { defineCommand } from '../command.ts';
import { endedReply } from '../end-replies.ts';

const ENDINGS = (['stop', 'settle', 'cancel'] as const).map((ending) => ({
  ending,
  read: gigAfter(ending, `${ending} gig`),
}));

/** Ends a gig: now, for good after its end, or without a start. `stop` alone turns replies off. */
export const endCommand = defineCommand({
  name: 'end',
  worth: REPLY_WORTH.start,
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
  /** The reply tells of the gig as it will be: what is broken by then is refused in the transaction that ends it. */
  async prepare({ deps, actor, mention }, { gigId, ending }) {
    const request = { gigId, ending, holder: `${actor.requestId}:${mention.lease}` };
    const gig = await previewEnd(deps, request, { actor, now: deps.clock() });
    return {
      text: endedReply(gig, { ending, refundDelayMs: deps.refundDelayMs }),
      commit: (tx) => endOwnGig(tx, request, { actor, now: deps.clock() }),
    };
  },
});
