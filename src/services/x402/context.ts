import type { PayerChains } from '../../domain/payments/payer-chain.ts';
import type { DepositChains } from '../../domain/x402/deposit-chain.ts';
import type { Facilitator } from '../../domain/x402/facilitator.ts';
import type { ServiceContext } from '../context.ts';
import type { GigContext, StartFundedContext } from '../gigs/context.ts';

/** What deposits are made with. */
export interface X402Parts {
  readonly chains: DepositChains;
  /** Null: the gas tank sends deposits. */
  readonly facilitator: Facilitator | null;
  /** Whether gigs may be created so; deposits that were kept go on all the same. */
  readonly isOn: boolean;
  /** The URL at which gigs are paid for. */
  readonly url: string;
  /** Gas that the gas tank may spend on deposits in a day; null: no limit. */
  readonly gasPerDay: bigint | null;
}

/** What looks after deposits. */
export interface DepositContext extends StartFundedContext {
  /** Absent without a mnemonic. */
  readonly x402?: X402Parts | undefined;
  readonly wakePayments: () => void;
}

/** The same where there are wallets. */
export type DepositWork = Omit<DepositContext, 'payers' | 'x402'> & {
  readonly payers: PayerChains;
  readonly x402: X402Parts;
};

/** What creates and pays gigs in one call. */
export type PaidGigContext = Omit<GigContext, 'payers'> &
  DepositWork & { readonly sleep: (ms: number) => Promise<boolean> };

/** What asks chains about tokens for payments. */
export type X402TokenContext = ServiceContext & { readonly x402: Pick<X402Parts, 'chains'> };
