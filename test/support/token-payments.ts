import type { Address } from '../../src/domain/gigs/token.ts';
import type { WalletCall } from '../../src/domain/payments/payer-chain.ts';
import { freshAddress } from './anvil.ts';
import { openPayments, type Payments } from './payer-chain.ts';
import { deployHostileToken, type HostileToken } from './payer-contracts.ts';

/** Payments in a token that behaves, each from a gig of its own. */
export interface TokenPayments extends Payments {
  readonly token: HostileToken;
  /** A new gig, whose wallet holds so much of the token: 100 unless said otherwise. */
  fundedGig(held?: bigint): Promise<{ gigId: number; wallet: Address }>;
  /** A payment of 10 to a new address by a new gig with 100 of the token, unless said otherwise. */
  payment(terms?: { held?: bigint; of?: Address; numbers?: bigint[] }): Promise<WalletCall>;
}

export async function openTokenPayments(terms: Parameters<typeof openPayments>[0] = {}): Promise<TokenPayments> {
  const payments = await openPayments(terms);
  const token = await deployHostileToken(payments.stage);
  let lastGig = 0;
  const fundedGig: TokenPayments['fundedGig'] = async (held = 100n) => {
    lastGig += 1;
    const gig = { gigId: lastGig, wallet: payments.wallets.gigAddress(lastGig) };
    if (held > 0n) await token.mint(gig.wallet, held);
    return gig;
  };
  return {
    ...payments,
    token,
    fundedGig,
    payment: async ({ held, of = token.address, numbers = [0n] } = {}) => {
      const { gigId } = await fundedGig(held);
      return payments.call(gigId, { token: of, to: freshAddress(), amount: 10n, numbers });
    },
  };
}
