import { gigAfter } from '../../domain/command.ts';
import { REPLY_WORTH } from '../../domain/reply-worth.ts';
import { findOwnEarning } from '../../services/gigs/show-earnings.ts';
import { defineCommand } from '../command.ts';
import { whyReply } from '../gig-replies.ts';

/** What the author earns from a gig, and why not. */
export const whyCommand = defineCommand({
  name: 'why',
  worth: REPLY_WORTH.lookUp,
  help: '"why 42" (what you earn)',
  read: gigAfter('why', 'why gig'),
  async prepare({ deps, actor: viewer, platform }, { gigId }) {
    const own = await findOwnEarning(deps, { gigId, viewer });
    return { text: whyReply(own, { viewer, now: deps.clock() }, platform) };
  },
});
