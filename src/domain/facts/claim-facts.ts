import { type ClaimStatus, payoutsOf } from '../claims/claim.ts';
import { accountFact, type Fact, fact, type Piece, type Told } from './fact.ts';

export interface ShownClaim {
  readonly status: ClaimStatus;
  readonly username: string | null;
}

function payoutsTold({ status }: ShownClaim): Told {
  const payouts = payoutsOf(status);
  if (payouts.length === 0) return 'nothing to pay';
  return payouts.flatMap(({ payment: { amount }, token: of, outcome }, index): Piece[] => [
    ...(index === 0 ? [] : [' · ']),
    { amount, of },
    ...(outcome === 'success' ? [] : [` (${outcome})`]),
  ]);
}

/** A payment that was planned again counts once, in its current state. */
function payoutsJson({ status }: ShownClaim) {
  const payouts = payoutsOf(status);
  const count = (outcome: string) => payouts.filter((payout) => payout.outcome === outcome).length;
  return { payouts: { success: count('success'), pending: count('pending'), failed: count('failed') } };
}

export const CLAIM_PAYOUTS = fact<ShownClaim>('payouts', payoutsTold, { json: payoutsJson });

/** The facts of a claim, without its payments. */
export const CLAIM_FACTS: readonly Fact<ShownClaim>[] = [
  accountFact(({ status: { claim }, username }) => ({ ...claim, username })),
  CLAIM_PAYOUTS,
  fact('to', ({ status: { claim } }) => ({ address: claim.recipient }), { json: 'recipient' }),
  fact('post', ({ status: { claim } }) => ({ whole: claim.postId }), { json: 'post_id' }),
  fact('source', ({ status: { claim } }) => claim.source, { json: 'source' }),
  fact('public id', ({ status: { claim } }) => ({ whole: claim.publicId }), { json: 'claim_nonce' }),
  fact('created', ({ status: { claim } }) => ({ moment: claim.createdAt }), { json: 'created_at' }),
];
