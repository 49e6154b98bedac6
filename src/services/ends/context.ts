import type { Chains } from '../../domain/chains/chain.ts';
import type { AskingActor } from '../../domain/operators/actor.ts';
import type { Store } from '../../store/port/index.ts';
import type { AuditContext } from '../audits/context.ts';
import type { Reconciled } from '../audits/reconcile.ts';
import type { JobContext, ServiceContext } from '../context.ts';
import type { RefundReads } from '../gigs/context.ts';
import type { StepContext, UnstartedContext } from '../gigs/steps/check-step.ts';
import type { HeldSteps } from '../gigs/steps/held-steps.ts';
import type { RecipientContext } from '../recipients.ts';

export interface EndContext extends ServiceContext {
  readonly newId: () => string;
}

/** What cancels gigs that are not funded. */
export interface UnfundedContext extends EndContext, JobContext, UnstartedContext {
  readonly store: Store;
  readonly chains: Chains;
  readonly heldSteps: HeldSteps;
}

export interface SettleContext extends JobContext, StepContext {
  readonly store: Store;
  readonly heldSteps: HeldSteps;
}

export interface RefundContext extends ServiceContext, RefundReads, StepContext {
  readonly store: Store;
  /** Compares a gig's wallet with the ledger, and takes what it has paid into it. */
  readonly reconcile: (gigId: number) => Promise<Reconciled>;
}

export type ReturnContext = AuditContext & RecipientContext;

/** What an operator refunds and returns with. */
export type HandReturnContext = Omit<ReturnContext, 'actor'> & RefundReads & { readonly actor: AskingActor };

/** Tells the paying job of a chain that payments were planned. */
interface PlanWake {
  readonly wake: (chainId: number) => void;
}

export type RefundJobContext = RefundContext & JobContext & PlanWake;

/** What returns money of cancelled gigs by itself. */
export type ReturnJobContext = Omit<ReturnContext, 'actor'> &
  PlanWake &
  StepContext & { readonly store: Store; readonly heldSteps: HeldSteps };
