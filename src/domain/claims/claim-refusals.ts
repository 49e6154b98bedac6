import type { Platform } from '../account.ts';
import { capitalized } from '../gigs/gig-type.ts';
import { REPLY_WORTH } from '../mentions/reply-worth.ts';
import { platformFacts } from '../platforms/platforms.ts';
import { refusalRow } from '../refusal-row.ts';

function notClaimed(why: string): string {
  return `The claim cannot be made: ${why}.`;
}

/** What is refused of a claim, which may be a post that asks for no payment, or for one that cannot be made. */
export const CLAIM_REFUSALS = {
  account_not_found: refusalRow<{ readonly platform: Platform; readonly username: string }>(
    404,
    'No account of the platform has this handle',
    {
      api: ({ platform, username }) => `No account of ${platformFacts(platform).label} has the handle ${username}`,
      cli: ({ platform, username }) => `${platformFacts(platform).label} has no account with the handle ${username}.`,
    },
  ),
  not_a_claim: refusalRow(400, 'The post does not ask to claim', {
    api: 'Message must contain "claim my rewards" with an optional Ethereum address',
    cli: notClaimed('not a claim'),
    bot: 'To be paid, mention me with "claim my rewards" and, if you like, one Ethereum address.',
  }),
  invalid_address: refusalRow(400, 'The post names an address that is not valid', {
    api: 'Invalid Ethereum address provided',
    cli: notClaimed('invalid address'),
    bot: 'I cannot pay to that address. It must be 0x and 40 hex digits, all in one case or with a valid checksum.',
    worth: REPLY_WORTH.lookUp,
  }),
  several_addresses: refusalRow(400, 'The post names several addresses', {
    api: 'Multiple Ethereum addresses found in the cast',
    cli: notClaimed('several addresses'),
    bot: 'Your post names several addresses. Please name one.',
    worth: REPLY_WORTH.lookUp,
  }),
  no_verified_address: refusalRow(400, 'The author has no verified address, and the post names none', {
    api: 'No verified address found',
    person: 'The account has no verified Ethereum address.',
    cli: notClaimed('no verified address'),
    bot: 'You have no verified Ethereum address. Verify one, or name one: "claim my rewards 0x…".',
    worth: REPLY_WORTH.lookUp,
  }),
  no_address: refusalRow(400, 'The post names no address, which the platform needs', {
    api: 'No verified address found',
    cli: notClaimed('no address'),
    bot: 'Please name the address to pay: "claim my rewards 0x…".',
    worth: REPLY_WORTH.lookUp,
  }),
  post_too_old: refusalRow(400, 'The post is too old to claim by', {
    api: 'The post is older than 24 hours',
    cli: notClaimed('post too old'),
    bot: 'That post is too old for a claim. Please post again.',
    worth: REPLY_WORTH.lookUp,
  }),
  /** `platform` is where it was looked for; Farcaster for a URL of no platform. */
  post_not_found: refusalRow<{ readonly platform: Platform }>(404, 'There is no such post', {
    api: ({ platform }) => `${capitalized(platformFacts(platform).post)} not found`,
    cli: notClaimed('post not found'),
    bot: 'I cannot find that post.',
  }),
  no_tips: refusalRow(404, 'The author has nothing to claim', {
    api: 'No tips found',
    person: 'Nothing is left to claim. Your latest claims are below.',
    cli: notClaimed('no tips'),
    bot: 'You have no claimable tokens at the moment.',
    worth: REPLY_WORTH.help,
  }),
  platform_off: refusalRow<{ readonly platform: Platform }>(503, 'The operator has not configured the platform', {
    api: ({ platform }) => `${platformFacts(platform).label} is turned off: the operator has not configured it`,
    cli: notClaimed('platform off'),
  }),
};
