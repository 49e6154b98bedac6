import { writeSync } from 'node:fs';
import type { Store, StoreTx } from '../../../src/store/port/index.ts';
import { openSqliteStore } from '../../../src/store/sqlite/store.ts';
import { createVerifiers } from '../../../src/verifiers/registry.ts';
import { createCrowd } from '../../services/earning/crowd.ts';
import { createEngine } from '../../services/earning/engine.ts';
import { HOUR, MINUTE, START } from '../../services/earning/gigs.ts';
import type { Life, Order } from './order.ts';

// A process that watches a gig until it is over, towards which everybody has always done the same by the same time, and
// says how often it committed.

// Written by the test, in this very shape.
const {
  play,
  databasePath: path,
  migrationsFolder,
  gigId,
  from,
  stop,
  verifier,
} = JSON.parse(process.argv[2] ?? '') as Order;
const isMany = play === 'raffle';
const clock = { now: from };
const crowd = createCrowd(clock, isMany ? { pageSize: 100, bulk: 100 } : { pageSize: 2, bulk: 2 });
const store = await openSqliteStore({ path, migrationsFolder });
const turns: number[] = [];
let commits = 0;
let decided: string | null = null;

function dieAt(commit: number, when: 'before' | 'after'): void {
  if (stop?.commit !== commit || stop.when !== when) return;
  // Written at once: the next process begins by this clock.
  writeSync(process.stdout.fd, `${clock.now}\n`);
  process.kill(process.pid, 'SIGKILL');
}

/** What has been decided so far, as far as a turn is one. */
async function readDecided(): Promise<string> {
  const [counts, draw, round, batch] = await Promise.all([
    store.earningCounts(gigId),
    store.draw(gigId),
    store.lastRound(gigId),
    store.openBatch(gigId),
  ]);
  const states = counts.filter(({ state }) => state !== 'held').map(({ state, count }) => `${state} ${count}`);
  return [...states.toSorted(), draw?.state, round?.state, batch?.id, batch?.tries].join();
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
    if (stop === null) {
      const now = await readDecided();
      if (decided !== null && now !== decided) turns.push(commits);
      decided = now;
    }
    return result;
  },
};
const verifiers =
  verifier === null
    ? undefined
    : createVerifiers({ origins: [verifier.origin], signingKey: verifier.signingKey }, { signedAt: () => clock.now });
const engine = createEngine({ store: counting, clock, reader: crowd.reader, verifiers });

const at = (minutes: number, run: (time: number) => void) => ({ time: START + minutes * MINUTE, run });
const acts = (kind: 'reply' | 'submission', minutes: number, id: string) =>
  at(minutes, (time) => crowd.act(kind, id, time));
const PLAYS = {
  replies: [
    acts('reply', 3, '14'),
    acts('reply', 6, '11'),
    acts('reply', 9, '12'),
    acts('reply', 12, '13'),
    acts('reply', 15, '15'),
    at(40, () => crowd.undo('reply', '12')),
  ],
  // More winners than are awarded at once.
  raffle: [
    at(3, (time) => {
      for (let id = 1_001; id <= 1_250; id += 1) crowd.act('like', String(id), time);
    }),
    // The newest, on the first page: what a look that died had not read yet is left to the next sweep.
    at(20, () => crowd.undo('like', '1250')),
  ],
  bounty: [
    acts('submission', 3, '14'),
    acts('submission', 6, '11'),
    acts('submission', 9, '12'),
    acts('submission', 12, '13'),
    acts('submission', 15, '15'),
    acts('submission', 18, '16'),
    at(40, () => crowd.undo('submission', '12')),
  ],
};
for (const { time, run } of PLAYS[play]) {
  if (time > clock.now) await engine.until(time);
  run(time);
}
await engine.until(START + 5 * HOUR);
const watch = await store.watch(gigId);
if (watch?.overAt == null) throw new Error('the gig is not over');
const life: Life = { commits, turns };
process.stdout.write(`${JSON.stringify(life)}\n`);
await store.close();
