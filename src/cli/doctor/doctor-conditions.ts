import { createAlertReceivers } from '../../alerts/receivers.ts';
import type { Config } from '../../config.ts';
import type { PlatformCheck } from '../../domain/mentions/mention.ts';
import { isNearlyFull, spaceText } from '../../domain/operators/disk.ts';
import { HOUR_MS } from '../../domain/time.ts';
import { createLog } from '../../log.ts';
import { createHeldSteps } from '../../services/gigs/steps/held-steps.ts';
import { createPlatformBreaker } from '../../services/mentions/platform-breaker.ts';
import { findReceiverTroubles, type ReceiverTrouble } from '../../services/operators/alerts/check-receivers.ts';
import { createClockStatus } from '../../services/operators/clock/clock-status.ts';
import { diskNearlyFull } from '../../services/operators/conditions/database.ts';
import type { ConditionContext } from '../../services/operators/conditions/define-condition.ts';
import { CONDITIONS, wrongIn } from '../../services/operators/conditions/index.ts';
import { createInstanceWatch } from '../../services/operators/instances.ts';
import type { Store } from '../../store/port/index.ts';
import type { Context } from '../context.ts';

const MOST_NAMED = 10;

/** A check that fails for conditions, in the words in which alerts and `/ready` report them. */
export function checkOf(
  name: string,
  conditions: readonly { readonly text: string; readonly remedy: string }[],
  wellDetail: string,
): PlatformCheck {
  if (conditions.length === 0) return { name, ok: true, detail: wellDetail, remedy: '' };
  const named = conditions.slice(0, MOST_NAMED);
  const more = conditions.length - named.length;
  const detail = [...named.map(({ text }) => text), ...(more > 0 ? [`There are ${more} more`] : [])].join('. ');
  return { name, ok: false, detail, remedy: [...new Set(named.map(({ remedy }) => remedy))].join(' ') };
}

/**
 * What conditions are read from in a command: the ledger, with when the service last beat, and the disk. Of what only the
 * running service sees, its platforms, its tank and which chains have answered, it knows nothing.
 */
async function readingFrom(context: Context, config: Config, store: Store): Promise<ConditionContext> {
  const { clock, readDisk } = context;
  const log = createLog({ level: 'silent' });
  const clocks = createClockStatus({ clock });
  const now = clock();
  clocks.wasSetBack({ before: (await store.ledgerState()).beatAt ?? 0, now });
  return {
    store,
    chains: context.chains(),
    health: createPlatformBreaker({ platforms: [], clock, log }),
    clocks,
    instances: createInstanceWatch({ store, version: '', clock, log, onMoved: () => undefined }),
    gasTank: null,
    heldSteps: createHeldSteps({ clock, log }),
    readDisk,
    refundDelayMs: config.refundDelayHours * HOUR_MS,
    startedAt: now,
    clock,
    log,
  };
}

/** Opens the store for work on what conditions are read from, and closes it. */
export async function withConditions<T>(
  context: Context,
  config: Config,
  work: (sources: ConditionContext) => Promise<T>,
): Promise<T> {
  return await context.withStore(async (store) => await work(await readingFrom(context, config, store)));
}

/** A check for each condition that has one of its own, in a store that can be used. */
export async function checkConditions(context: Context, config: Config): Promise<PlatformCheck[]> {
  return await withConditions(context, config, async (sources) => {
    const checks: PlatformCheck[] = [];
    for (const condition of CONDITIONS) {
      const { check } = condition;
      if (check === undefined || !('well' in check)) continue;
      checks.push(checkOf(check.name, await wrongIn(condition, sources), check.well));
    }
    return checks;
  });
}

/** What the running service sees, of which to a command only its alerts tell: nothing when there are none. */
export async function checkSeen(context: Context, config: Config): Promise<PlatformCheck[]> {
  return await withConditions(context, config, async (sources) => {
    const open = await sources.store.openAlerts();
    const checks: PlatformCheck[] = [];
    for (const condition of CONDITIONS) {
      const { kind, check } = condition;
      if (check === undefined || !('nameOf' in check)) continue;
      const found = await wrongIn(condition, sources);
      const isFound = (subject: string) => found.some((each) => each.subject === subject);
      const seen = open.filter((alert) => alert.kind === kind && !isFound(alert.subject));
      const byName = Map.groupBy([...found, ...seen], ({ subject }) => check.nameOf(subject));
      checks.push(...[...byName].map(([name, wrong]) => checkOf(name, wrong, '')));
    }
    return checks;
  });
}

/** Whether enough space is left for the database. */
export async function checkDisk(context: Context): Promise<PlatformCheck> {
  const name = 'disk';
  try {
    const space = await context.readDisk();
    if (space === null) {
      const detail = 'Not checked, because the database is on a server';
      return { name, ok: true, mark: 'off', detail, remedy: 'Watch the disk there.' };
    }
    return checkOf(name, isNearlyFull(space) ? [diskNearlyFull.tell(space)] : [], spaceText(space));
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    const detail = `The space where the database is cannot be determined: ${error.message}`;
    return { name, ok: false, detail, remedy: 'Check that DATABASE_URL names the right file.' };
  }
}

function troubleText({ label, waiting, givenUp, error }: ReceiverTrouble): string {
  const parts = [
    ...(waiting > 0 ? [`${waiting} not delivered yet`] : []),
    ...(givenUp > 0 ? [`${givenUp} given up`] : []),
  ];
  const who = label === null ? 'A receiver that is no longer in ALERT_WEBHOOK_URL' : `Receiver ${label}`;
  return `${who}: ${parts.join(', ')}${error === null ? '' : `, because ${error}`}`;
}

/** Whether alerts reach the operator. */
export async function checkAlerts(context: Context, config: Config): Promise<PlatformCheck> {
  const name = 'alerts';
  const receivers = createAlertReceivers(config.alertWebhooks);
  if (receivers.length === 0) {
    const remedy = 'To get alerts, set ALERT_WEBHOOK_URL.';
    return { name, ok: true, mark: 'off', detail: 'Off: ALERT_WEBHOOK_URL is not set', remedy };
  }
  const { clock } = context;
  const found = await context.withStore((store) => findReceiverTroubles({ store, clock }, receivers));
  const remedy = 'Correct ALERT_WEBHOOK_URL or the receiver, and run npm run admin -- alert test.';
  const troubles = found.map((trouble) => ({ text: troubleText(trouble), remedy }));
  return checkOf(name, troubles, `Alerts go to ${receivers.map(({ label }) => label).join(', ')}`);
}
