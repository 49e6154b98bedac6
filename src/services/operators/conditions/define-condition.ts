import type { Chains } from '../../../domain/chains/chain.ts';
import type { Condition } from '../../../domain/operators/condition.ts';
import type { DiskSpace } from '../../../domain/operators/disk.ts';
import type { Log } from '../../../log.ts';
import type { Store } from '../../../store/port/index.ts';
import type { HeldSteps } from '../../gigs/steps/held-steps.ts';
import type { PlatformBreaker } from '../../mentions/platform-breaker.ts';
import type { GasTank } from '../../payments/gas-tank.ts';
import type { ClockStatus } from '../clock/clock-status.ts';
import type { InstanceWatch } from '../instances.ts';

/** What conditions are read from. In a command of the operator's the parts that only the service has know nothing. */
export interface ConditionContext {
  readonly store: Store;
  readonly chains: Chains;
  readonly health: PlatformBreaker;
  readonly clocks: ClockStatus;
  readonly instances: InstanceWatch;
  /** Null without a mnemonic. */
  readonly gasTank: GasTank | null;
  readonly heldSteps: HeldSteps;
  /** The space where the database is; null on a server. @throws Error when it cannot be determined */
  readonly readDisk: () => Promise<DiskSpace | null>;
  /** Between the settlement of a gig and its refund, milliseconds. */
  readonly refundDelayMs: number;
  /** When the process began to ask chains and platforms, epoch milliseconds. */
  readonly startedAt: number;
  readonly clock: () => number;
  readonly log: Log;
}

/** What a condition can reach, the furthest first: in this order conditions are listed. */
export const REACHES = ['service', 'chain', 'part', 'payments', 'gig'] as const;

/** What a look has found: a condition, that nothing is known of a subject, or that nothing is wrong with one. */
export type Finding<Kind extends string> = Condition<Kind> | { readonly unknownOf: string } | false;

interface Traits {
  /** The whole service, all that needs a chain, one part beside (the gas tank, a platform, the clock), payments, or a gig. */
  readonly reach: (typeof REACHES)[number];
  /** Whether the service is not ready and nothing else is looked for, as when the store must not be used any more. */
  readonly stops?: true;
  /**
   * Its check in `doctor`. With `name`, doctor runs `find` itself and prints `well` when nothing is wrong. With `nameOf`, only
   * the running service can see it, and doctor prints a line for each open alert. Absent: another check of doctor says more.
   */
  readonly check?: { readonly name: string; readonly well: string } | { readonly nameOf: (subject: string) => string };
}

type Words = Omit<Condition, 'kind' | 'gigId'> & { readonly gigId?: number };

/** Where a condition of a gig is. */
export function aboutGig(gigId: number): { subject: string; gigId: number } {
  return { subject: `gig ${gigId}`, gigId };
}

interface ConditionSpec<Kind extends string, Facts extends readonly unknown[]> extends Traits {
  readonly kind: Kind;
  /** What is wrong where, a sentence without a full stop at its end; and what to do, in sentences. */
  say(...facts: Facts): Words;
  /** Looks for it. When this rejects, it is not known whether the condition holds. */
  find(
    context: ConditionContext,
    tell: (...facts: Facts) => Condition<Kind>,
  ): readonly Finding<Kind>[] | Promise<readonly Finding<Kind>[]>;
}

export interface ConditionDefinition<Kind extends string, Facts extends readonly unknown[]> extends Traits {
  readonly kind: Kind;
  /** The condition, from what is known of it. */
  tell(...facts: Facts): Condition<Kind>;
  find(context: ConditionContext): Promise<readonly Finding<Kind>[]>;
}

/** Something that can be wrong with the service or with what it depends on, all of it in one object. */
export function defineCondition<const Kind extends string, Facts extends readonly unknown[]>(
  spec: ConditionSpec<Kind, Facts>,
): ConditionDefinition<Kind, Facts> {
  const { kind, say, find, ...traits } = spec;
  const tell = (...facts: Facts): Condition<Kind> => ({ kind, gigId: null, ...say(...facts) });
  return { ...traits, kind, tell, find: async (context) => await find(context, tell) };
}
