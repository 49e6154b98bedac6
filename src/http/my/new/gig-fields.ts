import { formatAmount } from '../../../domain/amount.ts';
import { chainById } from '../../../domain/chains/chain.ts';
import { readStoredRules, writeRules } from '../../../domain/earning/terms/rules-json.ts';
import type { Gig } from '../../../domain/gigs/gig.ts';
import { defaultAwardDays } from '../../../domain/gigs/gig-end.ts';
import { checksummed } from '../../../domain/gigs/token.ts';
import { isoText } from '../../../domain/time.ts';
import type { MyContext } from '../context.ts';
import { type Filled, fillCriteria } from './earning-fields.ts';
import { OTHER } from './fields.ts';
import { durationName, tokenValue } from './page.ts';

function startOf({ start, startTime }: Gig, now: number): Filled {
  if (start === 'when_funded') return { start, start_time: '' };
  // As a browser writes a time without its zone.
  return startTime > now
    ? { start: 'at', start_time: isoText(startTime).slice(0, 16) }
    : { start: 'now', start_time: '' };
}

/** The form's fields with the terms of a gig. */
export async function fillGig({ store, clock }: MyContext, gig: Gig): Promise<Filled> {
  const { token, gigType, refundAddress } = gig;
  const stored = await store.earningRules(gig.id);
  const rules = stored && readStoredRules(stored.rules);
  return {
    ...fillCriteria(rules && writeRules(rules, token.decimals)),
    ...startOf(gig, clock()),
    title: gig.title ?? '',
    gig_type: gigType === 'custom_bounty' && stored === null ? OTHER : gigType,
    platform: gig.platform,
    url: gig.externalUrl ?? '',
    keyword: stored?.target.kind === 'keyword' ? stored.target.keyword : '',
    // Where nothing watches the gig, its criteria are words as well.
    how_to_earn: gig.howToEarn ?? (stored === null ? gig.earningCriteria : null) ?? '',
    asset: tokenValue(chainById(token.chainId)?.key ?? '', token.address),
    amount: formatAmount(gig.rewardAmount, token.decimals),
    duration: durationName(gig.duration),
    award_days: gig.awardDays === defaultAwardDays({ gigType, rules }) ? '' : String(gig.awardDays),
    refund_address: refundAddress === null ? '' : checksummed(refundAddress),
  };
}
