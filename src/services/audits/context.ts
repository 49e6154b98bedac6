import type { Chains, GigWallets } from '../../domain/chains/chain.ts';
import type { Actor } from '../../domain/operators/actor.ts';
import type { PayerChains } from '../../domain/payments/payer-chain.ts';
import type { ServiceContext } from '../context.ts';
import type { PaymentContext } from '../payments/sender/context.ts';

export interface LearnContext extends PaymentContext {
  readonly payers: PayerChains;
}

/** Called with how much is done, and of how much; null when that is not known. */
type OnDone = (done: number, total: number | null) => void;

export interface AuditContext extends LearnContext {
  readonly actor: Actor;
  readonly onAudited?: OnDone | undefined;
}

export interface LostContext extends ServiceContext {
  readonly payers: PayerChains;
  readonly chains: Chains;
  readonly wallets: GigWallets;
}

export interface RebuildContext extends LostContext {
  readonly actor: Actor;
  /** Called with the number of ids whose wallets were looked at. */
  readonly onLooked?: OnDone | undefined;
  /** Called with the number of gigs that were found and then read. */
  readonly onRead?: OnDone | undefined;
}
