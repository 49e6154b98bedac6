import type { Condition, ConditionKey } from '../../../domain/operators/condition.ts';
import { summarizeError } from '../../../log.ts';
import { limitTime } from '../../../time-limit.ts';
import { chainUnreachable, endpointPassedOver } from './chains.ts';
import { clockOff } from './clock.ts';
import { diskNearlyFull, paymentsStopped, storeMoved } from './database.ts';
import { type ConditionContext, type Finding, REACHES } from './define-condition.ts';
import { auditFailed } from './failed-audits.ts';
import { gigFrozen } from './frozen-gigs.ts';
import { gasTankLow } from './gas-tank.ts';
import { stepHeld } from './held-steps.ts';
import { depositLate, paymentsBlocked, paymentsLate, paymentsScreened } from './payments.ts';
import { platformPaused } from './platforms.ts';
import { refundFailed, refundLate } from './refunds.ts';
import { earningOverdue } from './watched-gigs.ts';
import { webhookPaused } from './webhooks.ts';

/** All conditions, in the order in which the API's document and the metrics have their kinds. */
export const CONDITIONS = [
  storeMoved,
  paymentsStopped,
  gasTankLow,
  gigFrozen,
  stepHeld,
  paymentsLate,
  paymentsBlocked,
  paymentsScreened,
  platformPaused,
  chainUnreachable,
  endpointPassedOver,
  auditFailed,
  earningOverdue,
  refundLate,
  refundFailed,
  depositLate,
  diskNearlyFull,
  clockOff,
  webhookPaused,
] as const;

type Listed = (typeof CONDITIONS)[number];
export type ConditionKind = Listed['kind'];
export const CONDITION_KINDS = CONDITIONS.map(({ kind }) => kind);

export type FoundCondition = Condition<ConditionKind>;

/** Without a subject, all conditions of the kind are unknown. */
interface Unknown {
  readonly kind: ConditionKind;
  readonly subject: string | null;
}

export interface Conditions {
  readonly found: readonly FoundCondition[];
  readonly unknown: readonly Unknown[];
}

/** Whether it cannot be said now that a condition holds, or that it does not. */
export function isUnknown({ unknown }: Conditions, { kind, subject }: ConditionKey): boolean {
  return unknown.some((each) => each.kind === kind && (each.subject === null || each.subject === subject));
}

function wrongOf<Kind extends string>(findings: readonly Finding<Kind>[]): Condition<Kind>[] {
  return findings.filter((finding) => finding !== false && 'kind' in finding);
}

/** Where one condition holds now. */
export async function wrongIn(condition: Listed, context: ConditionContext): Promise<FoundCondition[]> {
  return wrongOf(await condition.find(context));
}

function unknownOf({ kind }: Listed): Conditions {
  return { found: [], unknown: [{ kind, subject: null }] };
}

/** How long a condition is looked for: a disk of the network may never tell its space. Milliseconds. */
const LOOK_MS = 5_000;

async function inTime<T>(work: Promise<T>): Promise<T> {
  using limit = limitTime(LOOK_MS);
  const late = new Promise<never>((_resolve, reject) => {
    limit.signal.addEventListener('abort', () => reject(new Error(`it took longer than ${LOOK_MS / 1_000} s`)));
  });
  return await Promise.race([work, late]);
}

/** A condition that cannot be read, or not in time, is unknown, and keeps no other from being found. */
async function look(condition: Listed, context: ConditionContext): Promise<Conditions> {
  const { kind } = condition;
  try {
    const findings = await inTime(Promise.resolve(condition.find(context)));
    const unknown = findings.flatMap((each) =>
      each !== false && 'unknownOf' in each ? [{ kind, subject: each.unknownOf }] : [],
    );
    return { found: wrongOf(findings), unknown };
  } catch (error) {
    context.log.error({ condition: kind, error: summarizeError(error) }, 'cannot read whether a condition holds');
    return unknownOf(condition);
  }
}

const STOPPING = CONDITIONS.filter(({ stops }) => stops);
/** Those of one reach are told in the order of the list. */
const OTHERS = REACHES.flatMap((reach) => CONDITIONS.filter((each) => !each.stops && each.reach === reach));

/** Whether the service is not ready, whatever else holds. */
export function isStopped({ found }: Conditions): boolean {
  return found.some(({ kind }) => STOPPING.some((each) => each.kind === kind));
}

/**
 * Everything that is wrong now with the service or with what it depends on, so that the operator must act. When something
 * stops the service, the store is not asked any more.
 */
export async function findConditions(context: ConditionContext): Promise<Conditions> {
  const found: FoundCondition[] = [];
  const unknown: Unknown[] = [];
  for (const condition of [...STOPPING, ...OTHERS]) {
    const looked = isStopped({ found, unknown }) ? unknownOf(condition) : await look(condition, context);
    found.push(...looked.found);
    unknown.push(...looked.unknown);
  }
  return { found, unknown };
}
