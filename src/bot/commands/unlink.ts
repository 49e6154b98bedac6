import { REPLY_WORTH } from '../../domain/mentions/reply-worth.ts';
import { unlinkedAddresses } from '../../domain/owners/link.ts';
import { endLinkOf } from '../../services/owners/links.ts';
import { defineCommand } from '../command.ts';

export function unlinkedReply(): string {
  return 'All your links have ended. No wallet can sign in for you any more.';
}

/** Ends all links of its author at once, also those of one who wants no replies. */
export const unlinkCommand = defineCommand({
  name: 'unlink',
  worth: REPLY_WORTH.lookUp,
  changes: true,
  guide: [{ say: 'unlink', who: 'anyone', does: 'Ends all links of your account at once.' }],
  needs: 'wallet',
  whenOptedOut: 'silent',
  /** An account has one linked wallet, so an address behind it changes nothing. */
  read: (words) => (unlinkedAddresses(words) === null ? null : {}),
  prepare: ({ deps, actor, author }) => ({
    text: unlinkedReply(),
    commit: (tx) => endLinkOf(tx, { actor, now: deps.clock() }, author),
  }),
});
