import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { openStore } from '../../../src/store/open.ts';
import { CROWD_POST } from '../../services/earning/crowd.ts';
import { HOUR, openGig, START } from '../../services/earning/gigs.ts';
import { diskFolder, MIGRATIONS, writeEmptyDatabase } from '../../support/store.ts';
import type { Order } from './order.ts';

const CHILD = fileURLToPath(new URL('./child.ts', import.meta.url));
/** Every commit of a run; one of so many is tried. */
const STEP = Number(process.env['EARNING_STEP'] ?? 5);

async function live(order: Order): Promise<{ said: number; signal: NodeJS.Signals | null }> {
  const child = spawn(process.execPath, [CHILD, JSON.stringify(order)], { stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = new Promise<NodeJS.Signals | null>((resolve) => child.once('exit', (_, signal) => resolve(signal)));
  const said = Number((await text(child.stdout)).trim());
  return { said, signal: await ended };
}

/** Lives through a gig in one process, or in two of which the first one dies. */
async function liveThrough(stop: Order['stop']) {
  const folder = diskFolder();
  const databasePath = join(folder.path, 'gigclaim.db');
  await writeEmptyDatabase(databasePath);
  const open = () => openStore({ url: databasePath, migrationsFolder: MIGRATIONS });
  const store = await open();
  const terms = { gigType: 'reply', duration: 2 * HOUR, rewardAmount: 100n, each: 40n, holdMs: HOUR } as const;
  const gig = await openGig(store, { ...terms, target: CROWD_POST });
  await store.close();
  const order = { databasePath, migrationsFolder: MIGRATIONS, gigId: gig.id, from: START, stop };
  const first = await live(order);
  if (first.signal !== null) await live({ ...order, from: first.said, stop: null });
  const after = await open();
  try {
    const found = await after.earnings({ gigId: gig.id, limit: 10 });
    const accounts = await Promise.all(
      found.map(async (earning) => {
        const { tips } = await after.pendingTips([earning]);
        const paid = tips.map(({ id, amount }) => `${id === earning.tipId ? 'own' : 'other'} ${amount}`);
        return `${earning.platformUserId} ${earning.reason ?? earning.state} ${paid.join()}`;
      }),
    );
    const sums = [await after.earnedAmount(gig.id), (await after.gig(gig.id))?.awardedAmount];
    return { first, outcome: { accounts: accounts.toSorted(), sums } };
  } finally {
    await after.close();
    folder.remove();
  }
}

test('security: a kill -9 at any commit of an earning run changes nothing of how the gig ends', {
  timeout: 900_000,
}, async () => {
  const calm = await liveThrough(null);
  expect(calm.outcome).toEqual({
    accounts: ['11 awarded own 40', '12 withdrawn ', '13 awarded own 40', '14 score_too_low ', '15 reward_used_up '],
    sums: [80n, 80n],
  });
  expect(calm.first.said).toBeGreaterThan(50);
  for (let commit = 1; commit <= calm.first.said; commit += STEP) {
    const when = commit % 2 === 0 ? 'before' : 'after';
    const { first, outcome } = await liveThrough({ commit, when });
    expect({ commit, signal: first.signal, ...outcome }).toEqual({ commit, signal: 'SIGKILL', ...calm.outcome });
  }
});
