import type { ClaimableGroup } from '../../domain/gigs/tip.ts';
import { anyOf } from '../../domain/mentions/command.ts';
import { amountOf, MARK_LENGTH, type Measure } from '../../domain/mentions/reply-text.ts';
import { REPLY_WORTH } from '../../domain/mentions/reply-worth.ts';
import { findClaimable } from '../../services/claims/find-claimable.ts';
import { claimPage } from '../claim-page.ts';
import { defineCommand } from '../command.ts';

/** The shortest line about a token, which bounds how many lines are tried. */
const SHORTEST_LINE = '1 A (1 tip, 1 gig)'.length;

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

function groupLine(group: ClaimableGroup): string {
  return `${amountOf(group.total, group.token)} (${counted(group.tips.length, 'tip')}, ${counted(group.gigCount, 'gig')})`;
}

/**
 * What the author can claim, the token with the most tips first, as many tokens as fit.
 * @param page the URL of the full list, added when not all fit; null where replies carry no links
 */
export function claimsReply(groups: readonly ClaimableGroup[], measure: Measure, page: string | null = null): string {
  if (groups.length === 0) return 'You have no claimable tokens at the moment.';
  const lines = groups.toSorted((a, b) => b.tips.length - a.tips.length || a.token.id - b.token.id).map(groupLine);
  const room = measure.replyLimit - MARK_LENGTH;
  const render = (shown: number, link: string | null): string => {
    const more = lines.length - shown;
    const parts = [...lines.slice(0, shown), ...(more === 0 ? [] : [`+${more} more`])];
    return `Your claimable tokens: ${parts.join(' · ')}${more === 0 || link === null ? '' : `: ${link}`}`;
  };
  // A truncated link is useless.
  const link = measure.measure(render(1, page)) > room ? null : page;
  let shown = Math.min(lines.length, Math.ceil(room / SHORTEST_LINE));
  while (shown > 1 && measure.measure(render(shown, link)) > room) shown -= 1;
  return render(shown, link);
}

/** What the author can claim; the bot's handle alone also asks for it. */
export const claimsCommand = defineCommand({
  name: 'claims',
  worth: REPLY_WORTH.lookUp,
  help: '"claims" (your tokens)',
  guide: [{ say: 'claims', who: 'anyone', does: 'Lists the tokens that you can claim.' }],
  read: anyOf('', 'claims', 'check', 'tips', 'balance', 'my tips', 'what can i claim'),
  async prepare(ctx) {
    const groups = await findClaimable(ctx.deps, { identifiers: [ctx.author] });
    return { text: claimsReply(groups, ctx.platform, claimPage(ctx)) };
  },
});
