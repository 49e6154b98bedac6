import type { ContractPayment } from '../../../../src/chain/payer/contract/payments.ts';
import { decodeRevert } from '../../../../src/chain/payer/contract/reverts.ts';
import type { Address } from '../../../../src/domain/gigs/token.ts';
import { bitOf } from '../../../../src/domain/payments/payment-numbers.ts';
import { deployHostile, deployHostileToken, type HostileToken } from '../../../support/payer-contracts.ts';
import { CHAIN_ID, type Gig, openStage, type Stage } from '../../../support/tip-payer.ts';

/** A node with the payer's contracts and a token that behaves, and what tests do there. */
export async function openScene(url?: string) {
  const stage = await openStage(url);
  const token = await deployHostileToken(stage);
  return {
    stage,
    token,
    /** A gig whose wallet delegates, and holds 1,000 of the token unless said otherwise. */
    async fundedGig(asset: HostileToken = token): Promise<Gig> {
      const gig = await stage.delegated();
      await asset.mint(gig.wallet, 1_000n);
      return gig;
    },
    tip: (number: bigint, to: Address, amount = 10n): ContractPayment => {
      return { token: token.address, to, amount, ...bitOf(number) };
    },
  };
}

export type Scene = Awaited<ReturnType<typeof openScene>>;

/** Why a call reverts; null when it does not. */
export async function refusalOf(stage: Stage, call: Parameters<Stage['revertOf']>[0]) {
  const data = await stage.revertOf(call);
  return data === null ? null : decodeRevert(data);
}

/** What delegates a wallet to another contract than the payer, or to nothing. */
export async function delegationTo(stage: Stage, gig: Gig, address: Address) {
  const nonce = await stage.public.getTransactionCount({ address: gig.wallet });
  const signed = await gig.account.signAuthorization({ contractAddress: address, chainId: CHAIN_ID, nonce });
  const { r, s, yParity = 0 } = signed;
  return { address, chainId: CHAIN_ID, nonce, r, s, yParity };
}

/** A contract of no use that a wallet may delegate to. */
export function deployOtherDelegate(stage: Stage): Promise<Address> {
  return deployHostile(stage, 'OtherDelegate');
}
