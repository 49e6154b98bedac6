import { createEventSender } from '../../src/endpoints/sender.ts';
import { createLog } from '../../src/log.ts';
import { createDeliveryCounter } from '../../src/services/deliveries/deliver-next.ts';
import { deliverNextEvent } from '../../src/services/events/deliver-events.ts';
import { releaseEvents } from '../../src/services/events/release-events.ts';
import { openStore } from '../../src/store/open.ts';
import { MIGRATIONS } from './store.ts';

// Releases and delivers all events of the store at a path, by a signing key, and says `done`.

const [, , url = '', signingKey = ''] = process.argv;
const store = await openStore({ url, migrationsFolder: MIGRATIONS });
await store.begin();
const log = createLog({ level: 'silent' });
const clock = Date.now;
const sender = createEventSender({ signingKey, allowPrivate: true, clock });
if (sender === null) throw new Error('a signing key is needed');
let ids = 0;
const newId = () => `${process.pid}-${++ids}`;
const timing = { leaseMs: 30_000, backoffMs: 10_000 };
const deps = { store, clock, log, sender, eventCounter: createDeliveryCounter(), newId, timing };
const releasing = { store, clock, log, holder: newId(), wakeDeliveries: () => undefined };
while (await releaseEvents(releasing));
while (await deliverNextEvent(deps, () => undefined));
await store.close();
process.stdout.write('done\n');
