import type { Chains, GigWallets } from '../../domain/chains/chain.ts';
import type { Actor } from '../../domain/operators/actor.ts';
import type { PayerChains } from '../../domain/payments/payer-chain.ts';
import type { ServiceContext } from '../context.ts';
import type { PaymentContext } from '../payments/sender/context.ts';

/** What takes over into the ledger what wallets have paid. */
export interface LearnContext extends PaymentContext {
  readonly payers: PayerChains;
}

/** What audits gigs. */
export interface AuditContext extends LearnContext {
  readonly actor: Actor;
}

/** What looks on the chains for gigs that the database has lost. */
export interface LostContext extends ServiceContext {
  readonly payers: PayerChains;
  readonly chains: Chains;
  readonly wallets: GigWallets;
}

/** What writes lost gigs into the database again. */
export interface RebuildContext extends LostContext {
  readonly actor: Actor;
}
