import type { Chains } from '../../domain/chains/chain.ts';
import type { Store } from '../../store/port/index.ts';
import type { AuditContext } from '../audits/context.ts';
import type { Reconciled } from '../audits/reconcile.ts';
import type { JobContext, ServiceContext } from '../context.ts';
import type { RefundReads } from '../gigs/context.ts';
import type { RecipientContext } from '../recipients.ts';

/** What ends gigs. */
export interface EndContext extends ServiceContext {
  /** Names an attempt. */
  readonly newId: () => string;
}

/** What cancels gigs that are not funded. */
export interface UnfundedContext extends EndContext, JobContext {
  readonly chains: Chains;
}

/** What plans refunds. */
export interface RefundContext extends ServiceContext, RefundReads {
  readonly store: Store;
  /** Compares a gig's wallet with the ledger, and takes what it has paid into it. */
  readonly reconcile: (gigId: number) => Promise<Reconciled[]>;
}

/** What returns money from wallets. */
export type ReturnContext = AuditContext & RecipientContext;

/** What an operator refunds and returns with. */
export type HandReturnContext = ReturnContext & RefundReads;

/** Tells the paying job of a chain that payments were planned. */
interface PlanWake {
  readonly wake: (chainId: number) => void;
}

/** What refunds gigs by itself. */
export type RefundJobContext = RefundContext & JobContext & PlanWake;

/** What returns money of cancelled gigs by itself. */
export type ReturnJobContext = Omit<ReturnContext, 'actor'> & PlanWake;
