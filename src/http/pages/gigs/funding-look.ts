import { AdapterError } from '../../../domain/errors.ts';
import { type Gig, gigPhase, type ReadFunding, rewardNeeding } from '../../../domain/gigs/gig.ts';
import { mayEarnOn } from '../../../domain/gigs/terms.ts';
import { checksummed } from '../../../domain/gigs/token.ts';
import { paymentUri } from '../../../domain/payments/payment-uri.ts';
import { summarizeError } from '../../../log.ts';
import { tryFunding } from '../../../services/gigs/read-funding.ts';
import type { PageContext } from '../../context.ts';
import { amountText } from '../../ui/amounts.ts';
import { drawQrCode } from '../../ui/qr-code.ts';
import { createShortMemory } from '../short-memory.ts';
import { type FundingView, isShort } from './gig-page.ts';

/** How long a chain's answer is kept per gig, because clients may reload the page at will. */
const KEEP_MS = 3_000;
const GIGS_KEPT = 1_000;

export interface FundingReader {
  /**
   * Never fails because of the chain: what is not known is told as such.
   * @param isFresh whether the chain is asked now, also for those who look after this
   */
  look(gig: Gig, isFresh?: boolean): Promise<FundingView>;
}

/** A {@link FundingReader} with a memory of its own. */
export function createFundingReader(deps: PageContext): FundingReader {
  const { clock, log, feeBps, earningOnX } = deps;
  const fundings = createShortMemory<ReadFunding | 'unknown'>({ clock, keepMs: KEEP_MS, limit: GIGS_KEPT });

  async function readHeld(gig: Gig): Promise<ReadFunding | 'unknown'> {
    const funding = await tryFunding(deps, gig);
    if (!(funding instanceof AdapterError)) return funding;
    log.warn({ gigId: gig.id, error: summarizeError(funding) }, 'cannot read gig funding for its page');
    return 'unknown';
  }

  /** The key holds the inputs of the result: terms may change until the gig is live. */
  async function findFunding(gig: Gig, isFresh: boolean): Promise<ReadFunding | 'unknown' | null> {
    if (gigPhase(gig, clock()) !== 'created') return null;
    const { id, token, rewardAmount, feeAmount } = gig;
    return await fundings.find([id, token.id, rewardAmount, feeAmount].join(), () => readHeld(gig), isFresh);
  }

  /** A change is checked like a new gig, so a gig that could not be created now cannot be changed either. */
  function fitReward({ platform }: Gig, funding: ReadFunding | 'unknown' | null): bigint | null {
    if (funding === null || funding === 'unknown' || funding.actual <= funding.expected) return null;
    return mayEarnOn(platform, earningOnX) ? rewardNeeding(funding.actual, feeBps) : null;
  }

  async function requestMissing({ token, walletAddress: to }: Gig, funding: ReadFunding | 'unknown' | null) {
    if (!isShort(funding)) return null;
    const amount = funding.expected - funding.actual;
    const uri = paymentUri(token, { to, amount });
    const label = `QR code of a payment of ${amountText(amount, token)} to ${checksummed(to)}`;
    return { uri, qrCode: await drawQrCode(uri, label) };
  }

  return {
    async look(gig, isFresh = false) {
      const funding = await findFunding(gig, isFresh);
      return { funding, fittingReward: fitReward(gig, funding), request: await requestMissing(gig, funding) };
    },
  };
}
