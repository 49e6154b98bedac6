import { gigAfter } from '../../domain/command.ts';
import { REPLY_WORTH } from '../../domain/reply-worth.ts';
import { findGigEarning } from '../../services/gigs/find-earnings.ts';
import { findGigStatus } from '../../services/gigs/find-gigs.ts';
import { defineCommand } from '../command.ts';
import { statusReply } from '../gig-replies.ts';

export const statusCommand = defineCommand({
  name: 'status',
  worth: REPLY_WORTH.lookUp,
  help: '"gig 42" (its state)',
  read: gigAfter('gig', 'status', 'status gig'),
  async prepare({ deps, actor: viewer, platform }, { gigId }) {
    const { gig, ...status } = await findGigStatus(deps, { gigId, viewer });
    const earning = await findGigEarning(deps, gig);
    return { text: statusReply(gig, { now: deps.clock(), ...status, earning }, platform) };
  },
});
