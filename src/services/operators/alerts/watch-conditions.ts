import { TRIED_FOR_MS } from '../../../domain/events/delivery.ts';
import {
  type Alert,
  type AlertNews,
  type AlertReceiver,
  type StreakStep,
  type Streaks,
  stepStreaks,
} from '../../../domain/operators/alert.ts';
import type { Condition } from '../../../domain/operators/condition.ts';
import { HOUR_MS } from '../../../domain/time.ts';
import type { StoreTx } from '../../../store/port/index.ts';
import type { DeliveryCounter } from '../../deliveries/deliver-next.ts';
import type { ConditionContext } from '../conditions/define-condition.ts';
import { findConditions, isUnknown } from '../conditions/index.ts';

/** The watch of a process that has died is taken over after so many looks. */
const LOOKS_HELD = 3;
const GIVEN_UP = 'given up: its URL is no longer in ALERT_WEBHOOK_URL';

export interface AlertWatchContext extends ConditionContext {
  readonly receivers: readonly AlertReceiver[];
  readonly alertCounter: DeliveryCounter;
  readonly newId: () => string;
  /** How often it looks, milliseconds. */
  readonly lookMs: number;
}

export interface ConditionWatch {
  /** Looks once. @returns whether there is something to tell */
  look(): Promise<boolean>;
}

interface Told {
  readonly alertId: number;
  readonly news: AlertNews;
  readonly now: number;
}

/** @returns how many deliveries were queued */
async function tell({ receivers, newId }: AlertWatchContext, tx: StoreTx, news: Told): Promise<number> {
  const { now, ...delivery } = news;
  let queued = 0;
  for (const { id: receiver } of receivers) {
    if (await tx.queueDelivery({ id: newId(), receiver, ...delivery }, now)) queued += 1;
  }
  return queued;
}

/** A receiver whose URL is new knows of no alert. */
async function tellNewReceivers(deps: AlertWatchContext, tx: StoreTx, now: number): Promise<number> {
  let queued = 0;
  for (const receiver of deps.receivers) {
    for (const alertId of await tx.untoldAlerts(receiver.id)) {
      queued += await tell({ ...deps, receivers: [receiver] }, tx, { alertId, news: 'begun', now });
    }
  }
  return queued;
}

async function keep(
  deps: AlertWatchContext,
  tx: StoreTx,
  { begun, over, now }: StreakStep & { readonly now: number },
): Promise<{ queued: number; givenUp: number }> {
  let queued = 0;
  for (const condition of begun) {
    const alertId = await tx.beginAlert(condition, now);
    if (alertId !== null) queued += await tell(deps, tx, { alertId, news: 'begun', now });
  }
  queued += await tellNewReceivers(deps, tx, now);
  for (const { id: alertId } of over) {
    if (await tx.endAlert(alertId, now)) queued += await tell(deps, tx, { alertId, news: 'over', now });
  }
  const old = { queuedBefore: now - TRIED_FOR_MS - HOUR_MS, receivers: deps.receivers.map(({ id }) => id) };
  return { queued, givenUp: await tx.giveUpDeliveries({ ...old, now, error: GIVEN_UP }) };
}

function logChanges(
  { log }: AlertWatchContext,
  { begun, over }: { begun: readonly Condition[]; over: readonly Alert[] },
): void {
  for (const { kind, subject, text, remedy } of begun) log.warn({ kind, subject, text, remedy }, 'alert');
  for (const { kind, subject, text } of over) log.info({ kind, subject, text }, 'alert is over');
}

/**
 * A {@link ConditionWatch}. Of several processes on one store one watches, because what a process knows of chains and
 * platforms is its own.
 */
export function createConditionWatch(deps: AlertWatchContext): ConditionWatch {
  const { store, clock, lookMs } = deps;
  const holder = deps.newId();
  let streaks: Streaks = new Map();
  const claim = async (tx: StoreTx) => {
    const now = clock();
    return await tx.claimAlertWatch({ holder, now, until: now + LOOKS_HELD * lookMs });
  };
  const leaveToOther = () => {
    streaks = new Map();
    return false;
  };
  return {
    async look() {
      const now = clock();
      if (!(await store.transaction(claim, { narrow: true }))) return leaveToOther();
      const conditions = await findConditions(deps);
      const open = await store.openAlerts();
      const step = stepStreaks(streaks, { ...conditions, open, isUnknown: (key) => isUnknown(conditions, key) });
      // What it saw before it stood still for long says nothing beside what another one has seen since.
      const kept = await store.transaction(async (tx) =>
        (await claim(tx)) ? await keep(deps, tx, { ...step, now }) : null,
      );
      if (kept === null) return leaveToOther();
      const { queued, givenUp } = kept;
      deps.alertCounter.tried('given_up', givenUp);
      streaks = step.streaks;
      logChanges(deps, step);
      return queued > 0;
    },
  };
}
