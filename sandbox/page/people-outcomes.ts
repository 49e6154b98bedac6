import { formatAmount } from '../../src/domain/amount.ts';
import type { World } from './world.ts';

/** What came of a walk, in a sentence, and whether that is what its step is there to show. */
interface WalkOutcome {
  readonly text: string;
  readonly asMeant: boolean;
}

/** A person, and the gig that the walk was about. */
interface Walk {
  readonly author: string;
  readonly gigId: number;
}

/** What the list of the owner awards in all, in wei: 0.2 and 0.1 ETH. */
const LISTED = 3n * 10n ** 17n;

/** An owner's gig that started by itself and was awarded from by a list; null until the store shows both. */
export function ownerOutcome({ author, gigId }: Walk, { records }: World): WalkOutcome | null {
  const gig = records.gigs.get(gigId);
  if (gig === undefined || gig.status !== 'live' || gig.awardedAmount === 0n) return null;
  const { decimals, symbol } = gig.token;
  const awarded = `${formatAmount(gig.awardedAmount, decimals)} ${symbol}`;
  return {
    text: `${author} paid gig ${gigId} from the wallet, and it started by itself. The list awarded ${awarded} to two accounts; the line that names nobody was left out.`,
    asMeant: gig.awardedAmount === LISTED,
  };
}

/** A claim by button that was pressed twice; null until its payments have ended. */
export function buttonOutcome({ author, gigId }: Walk, { records }: World): WalkOutcome | null {
  const payouts = [...records.payments.values()].filter(({ kind }) => kind === 'payout');
  const ofGig = payouts.filter((payment) => payment.gigId === gigId);
  const [first] = ofGig;
  const claim = first?.claimId == null ? undefined : records.claims.get(first.claimId);
  if (claim === undefined) return null;
  const together = payouts.filter(({ claimId }) => claimId === claim.id);
  if (together.some(({ state }) => state !== 'confirmed' && state !== 'failed')) return null;
  if (together.some(({ state }) => state === 'failed')) {
    return { text: `${author} was not paid everything.`, asMeant: false };
  }
  const amounts = together.map(({ amount, token }) => `${formatAmount(amount, token.decimals)} ${token.symbol}`);
  const isOnce = ofGig.length === 1 && claim.source === 'page';
  return {
    text: isOnce
      ? `${author} was paid ${amounts.join(', ')} by the button, without a post. The second click paid nothing more.`
      : `${author} was paid by ${ofGig.length} payments of gig ${gigId}, the first for a claim by ${claim.source}.`,
    asMeant: isOnce,
  };
}
