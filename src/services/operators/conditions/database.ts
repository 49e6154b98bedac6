import { type DiskSpace, isNearlyFull, spaceText } from '../../../domain/operators/disk.ts';
import { plain } from '../../../domain/plain-text.ts';
import { defineCondition } from './define-condition.ts';

const DATABASE = 'database';

/** The store was moved to another database, for a reason in words, while this instance did not run. */
export const storeMoved = defineCondition({
  kind: 'store_moved',
  reach: 'service',
  stops: true,
  say: (reason: string) => ({
    subject: DATABASE,
    text: `This instance ends, because it can no longer use its database: ${plain(reason)}`,
    remedy: 'Set DATABASE_URL to the database that is used now, and start the service again.',
  }),
  find({ instances }, tell) {
    const reason = instances.moved();
    return reason === null ? [] : [tell(reason)];
  },
});

/** The store is on another server than before, in words, so nothing is paid. */
export const paymentsStopped = defineCondition({
  kind: 'payments_stopped',
  reach: 'service',
  say: ({ server }: { server: string }) => ({
    subject: DATABASE,
    text: `All payments are stopped, because the database is on another server than before (${server}), which may lack its last commits`,
    remedy:
      'See that no instance uses the server before, then run npm run admin -- reconcile: when every gig adds up, payments go on.',
  }),
  async find({ store }, tell) {
    const stop = await store.paymentStop();
    return stop === null ? [] : [tell(stop)];
  },
});

/** Little is free where the database is. */
export const diskNearlyFull = defineCondition({
  kind: 'disk_nearly_full',
  reach: 'service',
  say: (space: DiskSpace) => ({
    subject: DATABASE,
    text: `The disk of the database is nearly full: ${spaceText(space)}`,
    remedy: 'Free space where DATABASE_URL is, or move the database to a larger disk: without space nothing is stored.',
  }),
  async find({ readDisk }, tell) {
    const space = await readDisk();
    return space !== null && isNearlyFull(space) ? [tell(space)] : [];
  },
});
