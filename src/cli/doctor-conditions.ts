import { createAlertReceivers } from '../alerts/receivers.ts';
import type { Config } from '../config.ts';
import type { Alert } from '../domain/alert.ts';
import { CLOCK, type Condition, clockSetBack } from '../domain/condition.ts';
import { spaceText } from '../domain/disk.ts';
import type { PlatformCheck } from '../domain/mention.ts';
import { findReceiverTroubles, type ReceiverTrouble } from '../services/operators/check-receivers.ts';
import { MOST_APART_MS } from '../services/operators/clock-standing.ts';
import { findFailedAudits, findFrozenGigs, findFullDisk } from '../services/operators/find-conditions.ts';
import type { Context } from './context.ts';

const MOST_NAMED = 10;

/** A check that fails for conditions, in the words in which alerts and `/ready` tell of them. */
export function checkOf(
  name: string,
  conditions: readonly Pick<Condition, 'text' | 'remedy'>[],
  wellDetail: string,
): PlatformCheck {
  if (conditions.length === 0) return { name, ok: true, detail: wellDetail, remedy: '' };
  const named = conditions.slice(0, MOST_NAMED);
  const more = conditions.length - named.length;
  const detail = [...named.map(({ text }) => text), ...(more > 0 ? [`There are ${more} more`] : [])].join('. ');
  return { name, ok: false, detail, remedy: [...new Set(named.map(({ remedy }) => remedy))].join(' ') };
}

/** Whether every live gig pays, in a store that can be used. */
export async function checkGigs(context: Context): Promise<PlatformCheck> {
  const frozen = await context.withStore((store) => findFrozenGigs({ store }));
  return checkOf('gigs', frozen, 'No gig is frozen');
}

/** Whether the last audit of each gig succeeded. */
export async function checkAudits(context: Context): Promise<PlatformCheck> {
  const failed = await context.withStore((store) => findFailedAudits({ store }));
  return checkOf('audits', failed, 'No audit has failed');
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
    return checkOf(name, await findFullDisk(context), spaceText(space));
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    const detail = `The space where the database is cannot be determined: ${error.message}`;
    return { name, ok: false, detail, remedy: 'Check that DATABASE_URL names the right file.' };
  }
}

/** The platforms that the running service has paused, of which nothing but its alerts tells. */
export async function checkPauses(context: Context): Promise<PlatformCheck[]> {
  const open: Alert[] = await context.withStore((store) => store.openAlerts());
  return open
    .filter(({ kind }) => kind === 'platform_paused')
    .map((alert) => checkOf(`${alert.subject} pause`, [alert], ''));
}

/** What is wrong with the clock: by the ledger's last beat, and by what the running service has seen, as its alerts tell. */
export async function checkClock(context: Context): Promise<PlatformCheck[]> {
  const { open, beatAt } = await context.withStore(async (store) => {
    return { open: await store.openAlerts(), beatAt: (await store.ledgerState()).beatAt ?? 0 };
  });
  const backMs = beatAt - context.clock();
  const setBack = backMs > MOST_APART_MS ? [clockSetBack({ at: beatAt, backMs })] : [];
  const noticed = open.filter(
    ({ kind, subject }) => kind === 'clock_off' && (subject !== CLOCK || setBack.length === 0),
  );
  const off = [...setBack, ...noticed];
  return off.length === 0 ? [] : [checkOf('clock', off, '')];
}

function troubleText({ label, waiting, givenUp, error }: ReceiverTrouble): string {
  const parts = [
    ...(waiting > 0 ? [`${waiting} not delivered yet`] : []),
    ...(givenUp > 0 ? [`${givenUp} given up`] : []),
  ];
  const who = label === null ? 'A receiver that is not in ALERT_WEBHOOK_URL any more' : `Receiver ${label}`;
  return `${who}: ${parts.join(', ')}${error === null ? '' : `, because ${error}`}`;
}

/** Whether the operator is told of what is wrong. */
export async function checkAlerts(context: Context, config: Config): Promise<PlatformCheck> {
  const name = 'alerts';
  const receivers = createAlertReceivers(config.alertWebhooks);
  if (receivers.length === 0) {
    const remedy = 'To be told of what is wrong, set ALERT_WEBHOOK_URL.';
    return { name, ok: true, mark: 'off', detail: 'Off: ALERT_WEBHOOK_URL is not set', remedy };
  }
  const { clock } = context;
  const found = await context.withStore((store) => findReceiverTroubles({ store, clock }, receivers));
  const remedy = 'Correct ALERT_WEBHOOK_URL or the receiver, and run npm run admin -- alert test.';
  const troubles = found.map((trouble) => ({ text: troubleText(trouble), remedy }));
  return checkOf(name, troubles, `Told to ${receivers.map(({ label }) => label).join(', ')}`);
}
