import { formatAmount } from '../amount.ts';
import type { Claim } from '../claims/claim.ts';
import type { TipRecord } from '../gigs/tip.ts';
import type { TokenUnit } from '../gigs/token.ts';
import { isoText } from '../time.ts';
import { accountFact, type Fact, fact, type Told } from './fact.ts';

export interface ShownTip {
  readonly tip: TipRecord;
  readonly token: TokenUnit;
  /** The claim that pays it, or paid it last: a paid tip names it no more. */
  readonly claim: Claim | null;
}

function voidTold({ tip: { voidedAt, voidReason } }: ShownTip): Told {
  return voidedAt === null ? 'no' : ['since ', { moment: voidedAt }, `: ${voidReason ?? ''}`];
}

export const TIP_FACTS: readonly Fact<ShownTip>[] = [
  fact('gig', ({ tip }) => String(tip.gigId), { json: ({ tip }) => ({ gig_id: tip.gigId }) }),
  fact('number in the gig', ({ tip }) => String(tip.number), { json: ({ tip: { number } }) => ({ number }) }),
  fact('status', ({ tip }) => (tip.voidedAt === null ? tip.status : 'void'), { json: 'status' }),
  fact('amount', ({ tip: { amount }, token: of }) => ({ amount, of }), {
    json: ({ tip: { amount }, token: { decimals, symbol } }) => ({ amount: formatAmount(amount, decimals), symbol }),
  }),
  accountFact(({ tip }) => tip),
  fact('awarded by', ({ tip: { awardedBy: id } }) => (id === null ? 'unknown' : { record: 'key', id }), {
    json: ({ tip }) => ({ awarded_by: tip.awardedBy }),
  }),
  fact('created', ({ tip }) => ({ moment: tip.createdAt }), { json: 'created_at' }),
  fact('claim', ({ claim }) => (claim === null ? 'none' : String(claim.id)), {
    json: ({ tip, claim }) => ({ claim_id: claim?.id ?? null, claim_nonce: tip.claimNonce }),
  }),
  fact('transaction', ({ tip }) => tip.txHash ?? 'none', {
    json: ({ tip: { txHash, claimedAt } }) => ({ tx_hash: txHash, claimed_at: isoText(claimedAt) }),
  }),
  fact('void', voidTold, {
    json: ({ tip: { voidedAt, voidReason } }) => ({ voided_at: isoText(voidedAt), void_reason: voidReason }),
  }),
];
