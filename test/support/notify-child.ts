import { NETWORK_CREDENTIALS } from '../../sandbox/people.ts';
import { createLog } from '../../src/log.ts';
import { createFarcaster } from '../../src/platforms/farcaster/adapter.ts';
import { createDeliveryCounter } from '../../src/services/deliveries/deliver-next.ts';
import { releaseEvents } from '../../src/services/events/release-events.ts';
import { createNewsReader } from '../../src/services/notifications/read-events.ts';
import { createNotifier } from '../../src/services/notifications/send-notifications.ts';
import { openStore } from '../../src/store/open.ts';
import { type Death, dyingStore } from './dying-store.ts';
import { MIGRATIONS } from './store.ts';

// A process that makes notifications of all events, and sends those that may be sent. It kills itself around the commit that its order
// names, if it comes so far. The order is JSON in argv[2].

/** What the process is to do. */
export interface NotifyOrder {
  /** The database. */
  readonly url: string;
  /** The network that shows the notifications. */
  readonly network: string;
  /** By how much its clock is ahead, milliseconds. */
  readonly aheadMs: number;
  readonly dies: Death | null;
}

const order = JSON.parse(process.argv[2] ?? '') as NotifyOrder;
const real = await openStore({ url: order.url, migrationsFolder: MIGRATIONS });
await real.begin();
const store = dyingStore(real, order.dies);
const log = createLog({ level: 'silent' });
const clock = () => Date.now() + order.aheadMs;
let ids = 0;
const newId = () => `${process.pid}-${++ids}`;
const farcaster = createFarcaster({ ...NETWORK_CREDENTIALS.farcaster, baseUrl: order.network, clock });
const reading = { store, clock, log, platforms: new Map([['farcaster', farcaster]]), verifiers: { urlOf: () => null } };
const timing = { leaseMs: 30_000, backoffMs: 10_000 };
const sending = { newId, timing, notificationCounter: createDeliveryCounter(), publicUrl: 'https://gigs.example' };
const notifier = createNotifier({ ...reading, ...sending });
while (await releaseEvents({ store, clock, log, holder: newId(), wakeDeliveries: () => undefined }));
const reader = createNewsReader(reading);
while (await reader.readNext());
while ((await notifier.sendNext()) !== 'none');
await real.close();
process.stdout.write('done\n');
