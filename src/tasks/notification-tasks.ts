import { HOUR_MS } from '../domain/time.ts';
import { periodic, type Task } from '../jobs/runner.ts';
import type { TellTiming } from '../services/deliveries/deliver-next.ts';
import type { NewsContext, NotifyContext } from '../services/notifications/context.ts';
import { createNewsReader } from '../services/notifications/read-events.ts';
import { createNotifier, forgetNotifications } from '../services/notifications/send-notifications.ts';
import { createPacedStore, type Pacing } from '../services/paced-store.ts';

const IDLE_MS = 1_000;
/** Between two notifications: Neynar takes five requests a second of its smallest customers. */
const APART_MS = 200;

export interface NotificationTaskContext extends Pacing, NewsContext, Omit<NotifyContext, 'timing' | 'publicUrl'> {
  readonly config: { readonly notifications: string | null; readonly publicUrl: string };
  readonly timing: { readonly tell: TellTiming };
  /** Whether the clock has jumped ahead lately. */
  readonly hasJumped: () => boolean;
}

/** Make notifications of events, and send them. Where they are off, what is left of them is still forgotten. */
export function createNotificationTasks(deps: NotificationTaskContext): Task[] {
  const { config, timing, hasJumped } = deps;
  const forget = periodic('forget notifications', HOUR_MS, () => forgetNotifications(deps));
  if (config.notifications === null) return [forget];
  // They must not slow payments down.
  const store = createPacedStore(deps.store, deps);
  const paced = { ...deps, store };
  const notifier = createNotifier({ ...paced, timing: timing.tell, publicUrl: config.publicUrl });
  const reader = createNewsReader(paced);
  const WAITS = { sent: APART_MS, kept: true, none: false } as const;
  const send = async () => WAITS[await notifier.sendNext()];
  return [
    // By a wrong clock all would be old.
    {
      name: 'read news',
      concurrency: 1,
      intervalMs: IDLE_MS,
      run: async () => !hasJumped() && (await reader.readNext()),
    },
    { name: 'notify', concurrency: 1, intervalMs: IDLE_MS, run: async () => !hasJumped() && (await send()) },
    forget,
  ];
}
