import { type Address, checksummed } from '../../domain/gigs/token.ts';
import { REPLY_WORTH } from '../../domain/mentions/reply-worth.ts';
import { type LinkProblem, linkedAddresses, readWallet, unlinkedAddresses } from '../../domain/owners/link.ts';
import { endLinkOf, linkWallet } from '../../services/owners/links.ts';
import { isLostRecipient } from '../../services/recipients.ts';
import { type CommandAnswer, type CommandContext, defineCommand } from '../command.ts';

export function linkedReply(wallet: Address): string {
  return `Linked your account to ${checksummed(wallet)}. In 10 minutes that wallet can sign in for you, if your post is still up. To end all your links at once, mention me with "unlink".`;
}

export function notLinkedReply(problem: LinkProblem): string {
  switch (problem) {
    case 'no_address':
      return 'Please name the wallet to link: "link 0x…".';
    case 'several_addresses':
      return 'Your post names several addresses. Please name one.';
    case 'invalid_address':
      return 'I cannot link that address. It must be 0x and 40 hex digits, all in one case or with a valid checksum.';
  }
}

export function unlinkedReply(): string {
  return 'All your links have ended. No wallet can sign in for you any more.';
}

async function link(ctx: CommandContext, { named }: { readonly named: readonly string[] }): Promise<CommandAnswer> {
  const { deps, actor, author: account, mention } = ctx;
  const read = readWallet(named);
  if (typeof read === 'string') return { text: notLinkedReply(read) };
  const { wallet } = read;
  // Nobody signs in with the wallets of the service, nor with a token's address.
  if (await isLostRecipient(deps, wallet)) return { text: notLinkedReply('invalid_address') };
  const request = { account, wallet, postId: mention.postId, mentionId: mention.id };
  return { text: linkedReply(wallet), commit: (tx) => linkWallet(tx, { actor, now: deps.clock() }, request) };
}

/** Links its author's account to a wallet, whose sessions then reach the gigs of the account. */
export const linkCommand = defineCommand({
  name: 'link',
  worth: REPLY_WORTH.lookUp,
  help: '"link 0x…"',
  guide: [{ say: 'link 0x…', who: 'anyone', does: 'Lets this wallet sign in for your account.' }],
  changes: true,
  needs: 'wallet',
  isStrict: true,
  /** The addresses are kept as typed, because the case carries the checksum. */
  read(words) {
    const named = linkedAddresses(words);
    return named === null ? null : { named };
  },
  prepare: link,
});

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
