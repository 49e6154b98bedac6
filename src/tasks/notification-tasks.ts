import { HOUR_MS } from '../domain/time.ts';
import { periodic, type Task } from '../jobs/runner.ts';
import type { TellTiming } from '../services/deliveries/deliver-next.ts';
import type { NewsContext, NotifyContext } from '../services/notifications/context.ts';
import { readNews } from '../services/notifications/read-events.ts';
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

/** Make notifications of events, and send them; none where they are off. */
export function createNotificationTasks(deps: NotificationTaskContext): Task[] {
  const { config, timing, hasJumped } = deps;
  if (config.notifications === null) return [];
  // They must not slow payments down.
  const store = createPacedStore(deps.store, deps);
  const paced = { ...deps, store };
  const notifier = createNotifier({ ...paced, timing: timing.tell, publicUrl: config.publicUrl });
  const send = async () => ((await notifier.sendNext()) ? APART_MS : false);
  return [
    // By a wrong clock all would be old.
    {
      name: 'read news',
      concurrency: 1,
      intervalMs: IDLE_MS,
      run: async () => !hasJumped() && (await readNews(paced)),
    },
    { name: 'notify', concurrency: 1, intervalMs: IDLE_MS, run: async () => !hasJumped() && (await send()) },
    periodic('forget notifications', HOUR_MS, () => forgetNotifications(deps)),
  ];
}
