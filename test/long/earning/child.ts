import { writeSync } from 'node:fs';
import type { Store, StoreTx } from '../../../src/store/port/index.ts';
import { openSqliteStore } from '../../../src/store/sqlite/store.ts';
import { createCrowd } from '../../services/earning/crowd.ts';
import { createEngine } from '../../services/earning/engine.ts';
import { HOUR, MINUTE, START } from '../../services/earning/gigs.ts';
import type { Order } from './order.ts';

// A process that watches a gig until it is over, towards which everybody has always done the same by the same time, and
// says how often it committed.

// Written by the test, in this very shape.
const { databasePath: path, migrationsFolder, gigId, from, stop } = JSON.parse(process.argv[2] ?? '') as Order;
const clock = { now: from };
const crowd = createCrowd(clock, { pageSize: 2, bulk: 2 });
const store = await openSqliteStore({ path, migrationsFolder });
let commits = 0;

function dieAt(commit: number, when: 'before' | 'after'): void {
  if (stop?.commit !== commit || stop.when !== when) return;
  // Written at once: the next process begins by this clock.
  writeSync(process.stdout.fd, `${clock.now}\n`);
  process.kill(process.pid, 'SIGKILL');
}

const counting: Store = {
  ...store,
  async transaction<T>(run: (tx: StoreTx) => Promise<T>): Promise<T> {
    const result = await store.transaction(async (tx) => {
      const value = await run(tx);
      dieAt(commits + 1, 'before');
      return value;
    });
    commits += 1;
    dieAt(commits, 'after');
    return result;
  },
};
const engine = createEngine({ store: counting, clock, reader: crowd.reader });

const doings = [
  { at: 3 * MINUTE, run: () => crowd.act('reply', '14', START + 3 * MINUTE) },
  { at: 6 * MINUTE, run: () => crowd.act('reply', '11', START + 6 * MINUTE) },
  { at: 9 * MINUTE, run: () => crowd.act('reply', '12', START + 9 * MINUTE) },
  { at: 12 * MINUTE, run: () => crowd.act('reply', '13', START + 12 * MINUTE) },
  { at: 15 * MINUTE, run: () => crowd.act('reply', '15', START + 15 * MINUTE) },
  { at: 40 * MINUTE, run: () => crowd.undo('reply', '12') },
];
for (const { at, run } of doings) {
  if (START + at > clock.now) await engine.until(START + at);
  run();
}
await engine.until(START + 4 * HOUR);
const watch = await store.watch(gigId);
if (watch?.overAt == null) throw new Error('the gig is not over');
process.stdout.write(`${commits}\n`);
await store.close();
