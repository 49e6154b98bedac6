import type { FarcasterNetwork } from '../networks/farcaster.ts';
import { BOT, person } from '../people.ts';
import { StepError } from '../step-error.ts';
import type { WatchedGigs } from './watched-gig.ts';

const OWNER = 'bob';
const EARNER = 'alice';
/** Longer than the time between settlement and refund, which is 72 hours. */
const PAST_DELAY_MS = 73 * 3_600_000;
const REPLY_MS = 30_000;

/** What the step works with; the other steps with gigs have the same. */
export interface RefundStepParts {
  readonly farcaster: FarcasterNetwork;
  readonly gigs: WatchedGigs;
  /** Moves the time on, and tells so in these words. */
  readonly moveOn: (ms: number, words: string) => Promise<void>;
}

/**
 * A gig with a refund address from its creation to its refund: one tip is awarded, then its owner stops and settles it.
 * The tip is not claimed yet.
 * @returns the gig's id
 * @throws StepError
 */
export async function runToRefund({ farcaster, gigs, moveOn }: RefundStepParts): Promise<number> {
  async function command(text: string, expected: RegExp): Promise<void> {
    const { id } = farcaster.post({ author: OWNER, text: `@${BOT.username} ${text}` });
    const reply = await farcaster.waitForReply(id, REPLY_MS);
    if (reply === null) throw new StepError(`The bot did not answer “${text}” within ${REPLY_MS / 1_000} s.`);
    if (!expected.test(reply.text)) throw new StepError(`The bot answered “${text}”: ${reply.text}`);
  }

  const owner = { platform: 'farcaster', platform_user_id: String(person(OWNER).fid), username: OWNER };
  const terms = { gig_type: 'mention', duration: '1week', earning_criteria: 'The best posts, picked by hand.' };
  const gigId = await gigs.open({ ...terms, owners: [owner] });
  await gigs.award(gigId, { who: EARNER, value: '2' });
  await command(`stop gig ${gigId}`, /is stopped/);
  await command(`settle gig ${gigId}`, /is settled/);
  // A refund waits while the fee is under way, and is tried again a minute later.
  await gigs.untilPaid(gigId, 'fee');
  await moveOn(PAST_DELAY_MS, '3 d 1 h, past the time between settlement and refund');
  await gigs.untilPaid(gigId, 'refund');
  return gigId;
}
