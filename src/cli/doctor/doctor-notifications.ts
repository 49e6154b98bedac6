import type { Config } from '../../config.ts';
import { DAY_MS, fromNowText } from '../../domain/time.ts';
import type { Context } from '../context.ts';
import type { Check } from './doctor-checks.ts';

const NAME = 'notifications';

/** Whether the mini app may notify, and how its notifications of the last day ended, in a store that can be used. */
export async function checkNotifications(context: Context, config: Config): Promise<Check> {
  if (config.notifications === null) {
    const remedy = 'To turn them on, set NOTIFICATIONS and NOTIFICATIONS_WEBHOOK_URL.';
    return { name: NAME, ok: true, mark: 'off', detail: 'Off: the mini app notifies nobody', remedy };
  }
  if (config.accountAssociation === null) {
    const detail = 'Nobody can add the mini app, because it has no manifest';
    return { name: NAME, ok: false, detail, remedy: 'Set the three FARCASTER_MANIFEST settings.' };
  }
  const now = context.clock();
  const { counts, oldestAt, lastFailure } = await context.withStore((store) => store.notificationSums(now - DAY_MS));
  const { sent = 0, unreached = 0, failed = 0, dropped = 0, queued = 0 } = counts;
  const oldest = oldestAt === null ? '' : `, the oldest since ${fromNowText(oldestAt, now)}`;
  const ended = `${sent} sent, ${unreached} to accounts that take none, ${dropped} not wanted any more, ${failed} failed`;
  const detail = `In the last day ${ended}; ${queued} wait${oldest}`;
  if (lastFailure === null) return { name: NAME, ok: true, detail, remedy: '' };
  const remedy = `The last one failed ${fromNowText(lastFailure.at ?? now, now)}: ${lastFailure.error ?? 'for no known reason'}`;
  return { name: NAME, ok: true, mark: 'warning', detail, remedy };
}
