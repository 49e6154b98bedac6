import { checksummed } from '../../../domain/gigs/token.ts';
import { REPLY_WORTH } from '../../../domain/mentions/reply-worth.ts';
import { type NamedClaim, readNamedClaim } from '../../../domain/names/claim-to-name.ts';
import { confirmationOf } from '../../../domain/names/ens-name.ts';
import { claimToName, type NameQuestion, type NameRefusal, tellName } from '../../../services/claims/claim-to-name.ts';
import { type CommandAnswer, type CommandContext, defineCommand } from '../../command.ts';
import { answerClaim } from '../claim.ts';

const INSTEAD = 'Name an address instead: "claim my rewards 0x…", with 0x and 40 hex digits.';

/** The whole address, and the post that confirms it. The name stands there once: it may be long. */
export function askNameReply({ name, address, why }: NameQuestion): string {
  const confirming = `To be paid to ${checksummed(address)}, post "claim my rewards ${name} ${confirmationOf(address)}".`;
  switch (why) {
    case 'new':
      return confirming;
    case 'moved':
      return `That name leads elsewhere now, so I paid nothing. ${confirming}`;
    case 'misread':
      return `Those digits do not fit, so I paid nothing. ${confirming}`;
    case 'early':
      return `You posted that before I answered, so I paid nothing. ${confirming}`;
  }
}

export function nameRefusedReply(refusal: NameRefusal): string {
  switch (refusal.kind) {
    case 'off':
      return `I do not pay to names here. ${INSTEAD}`;
    case 'too_long':
      return `That name is too long for me. ${INSTEAD}`;
    case 'unfit':
      return `I do not pay to that name: it mixes scripts, or has characters that no name has. ${INSTEAD}`;
    case 'written_otherwise':
      return `ENS writes that name "${refusal.written}". Post it in exactly these letters if you mean it, or name an address.`;
    case 'unset':
      return `${refusal.name} has no address. ${INSTEAD}`;
    case 'unanswered':
      return `The server that keeps ${refusal.name} does not answer. ${INSTEAD}`;
    case 'lost':
      return `${refusal.name} leads to ${checksummed(refusal.address)}, where your tokens would be lost. ${INSTEAD}`;
  }
}

const LINKED = `I may not post links, and a part of that name would be one. ${INSTEAD}`;

async function claim(ctx: CommandContext, { word, digits }: NamedClaim): Promise<CommandAnswer> {
  const { deps, actor, author: account } = ctx;
  const { postId, postedAt, receivedAt: seenAt } = ctx.mention;
  const outcome = await claimToName(deps, {
    ...account,
    postId,
    postedAt,
    seenAt,
    word,
    digits,
    requestId: actor.requestId,
  });
  if (outcome.kind === 'claim') return await answerClaim(ctx, outcome.status);
  const text = outcome.kind === 'ask' ? askNameReply(outcome) : nameRefusedReply(outcome);
  // Anybody can have the bot repeat any name.
  const isLinked = ctx.platform.hasLink?.(text) === true;
  if (outcome.kind !== 'ask' || isLinked) return { text: isLinked ? LINKED : text, worth: REPLY_WORTH.lookUp };
  const { name, address } = outcome;
  return {
    text,
    commit: (tx, now) => tellName(tx, { actor, now }, { account, name, address }),
  };
}

export const claimToNameCommand = defineCommand({
  name: 'claim_to_name',
  worth: REPLY_WORTH.claim,
  guide: [
    {
      say: 'claim my rewards alice.eth',
      who: 'anyone',
      does: 'Tells you where the name leads, and the post by which you are paid there.',
    },
  ],
  guideNeeds: 'names',
  changes: true,
  ranksRefusals: true,
  isStrict: true,
  unreachable:
    'I could not look up that name just now, so nothing was changed. Please try again later, or name an address: "claim my rewards 0x…".',
  /** As it was posted: of a name, look-alike letters are part. */
  readPosted: readNamedClaim,
  prepare: claim,
});
