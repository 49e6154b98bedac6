import { anyOf } from '../../domain/command.ts';
import { REPLY_WORTH } from '../../domain/reply-worth.ts';
import { findClaimable } from '../../services/claims/find-claimable.ts';
import { claimPage } from '../claim-page.ts';
import { defineCommand } from '../command.ts';
import { claimsReply } from '../replies.ts';

/** What the author can claim; the bot's handle alone asks for it, too. */
export const claimsCommand = defineCommand({
  name: 'claims',
  worth: REPLY_WORTH.lookUp,
  help: '"claims" (your tokens)',
  read: anyOf('', 'claims', 'check', 'tips', 'balance', 'my tips', 'what can i claim'),
  async prepare(ctx) {
    const groups = await findClaimable(ctx.deps, { identifiers: [ctx.actor] });
    return { text: claimsReply(groups, ctx.platform, claimPage(ctx)) };
  },
});
