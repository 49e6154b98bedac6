import type { PaymentCandidate } from '../../../../../src/domain/payments/payment.ts';
import { seedAddress } from '../../../../support/store.ts';

export const WALLET = seedAddress(1);

/** A payout of 10 for the number that its id names, by the gig with that id. */
export function candidate(id: number, change: Partial<PaymentCandidate> = {}): PaymentCandidate {
  const token = { id: 1, address: seedAddress(2), chainId: 8453, decimals: 18, name: 'Degen', symbol: 'DEGEN' };
  return {
    id,
    kind: 'payout',
    chainId: 8453,
    gigId: id,
    wallet: WALLET,
    claimId: 1,
    token: { ...token, createdAt: 0, imageUrl: '', isNative: false, coingeckoId: null },
    recipient: seedAddress(3),
    amount: 10n,
    state: 'planned',
    reason: null,
    transactionId: null,
    hash: null,
    blockNumber: null,
    gasUsed: 0n,
    gasReserved: 0n,
    place: null,
    failures: 0,
    dueAt: 0,
    createdAt: 0,
    updatedAt: 0,
    numbers: [BigInt(id)],
    client: null,
    freeze: null,
    awaitsFunding: false,
    isAllowed: false,
    ...change,
  };
}
