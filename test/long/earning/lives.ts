import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { openStore } from '../../../src/store/open.ts';
import type { Store } from '../../../src/store/port/index.ts';
import { CROWD_POST } from '../../services/earning/crowd.ts';
import { type EarnedGig, HOUR, openGig, START } from '../../services/earning/gigs.ts';
import { bundleChild } from '../../support/bundle-child.ts';
import { diskFolder, MIGRATIONS, writeEmptyDatabase } from '../../support/store.ts';
import type { Life, Order, Stop } from './order.ts';

const CHILD = bundleChild('test/long/earning/child.ts', 'earning');
/** One of so many commits is tried. */
export const STEP = Number(process.env['EARNING_STEP'] ?? 5);
/** Of those that decide nothing, where all that decide are tried, fewer: one of so many. */
const OTHERS = STEP === 1 ? 1 : 10 * STEP;

/** The terms of a gig; `asks` is the verifier that its processes may ask. */
type Terms = Partial<EarnedGig> & Pick<Order, 'play'> & { readonly asks?: Order['verifier'] };

/** A process that lives through a gig, or a part of it. */
export interface Living {
  readonly child: ChildProcess;
  /** What it said at its end, and the signal that ended it. */
  readonly ended: Promise<{ said: string; signal: NodeJS.Signals | null }>;
}

function spawnLife(order: Order): Living {
  const child = spawn(process.execPath, [CHILD, JSON.stringify(order)], { stdio: ['ignore', 'pipe', 'inherit'] });
  const signal = new Promise<NodeJS.Signals | null>((resolve) => child.once('exit', (_, how) => resolve(how)));
  const ended = Promise.all([text(child.stdout), signal]).then(([said, how]) => ({ said: said.trim(), signal: how }));
  return { child, ended };
}

/**
 * Lives through two hours of a gig in one process, or in two of which the first one dies, and reads what came of it.
 * @param options.attend told of the first process at once; what it answers, if anything, is when that one died
 * @param options.between reads what the dead one has left
 */
export async function liveThrough<T, B = null>(
  { play, asks = null, ...terms }: Terms,
  options: {
    stop: Stop | null;
    read: (store: Store, gigId: number) => Promise<T>;
    attend?: (living: Living) => () => number;
    between?: (store: Store, gigId: number) => Promise<B>;
  },
) {
  const folder = diskFolder();
  const databasePath = join(folder.path, 'gigclaim.db');
  await writeEmptyDatabase(databasePath);
  const look = async <R>(run: (store: Store) => R | Promise<R>): Promise<R> => {
    const store = await openStore({ url: databasePath, migrationsFolder: MIGRATIONS });
    try {
      return await run(store);
    } finally {
      await store.close();
    }
  };
  try {
    const seed = { duration: 2 * HOUR, holdMs: HOUR, target: CROWD_POST, ...terms };
    const { id: gigId } = await look((store) => openGig(store, seed));
    const order = {
      play,
      databasePath,
      migrationsFolder: MIGRATIONS,
      gigId,
      from: START,
      stop: options.stop,
      verifier: asks,
    };
    const first = spawnLife(order);
    const diedAt = options.attend?.(first);
    const { said, signal } = await first.ended;
    const left =
      signal === null || options.between === undefined ? null : await look((s) => options.between?.(s, gigId));
    const from = diedAt?.() ?? Number(said);
    const last = signal === null ? said : (await spawnLife({ ...order, from, stop: null }).ended).said;
    // Written by the child, in this very shape.
    const life = JSON.parse(last) as Life;
    return { signal, life, left, outcome: await look((store) => options.read(store, gigId)) };
  } finally {
    folder.remove();
  }
}

/** Both sides of each turn, and some of the other commits. */
export function stopsOf({ commits, turns }: Life): Stop[] {
  const turning = turns.flatMap((commit): Stop[] => [
    { commit, when: 'before' },
    { commit, when: 'after' },
  ]);
  const others = Array.from({ length: commits }, (_, index) => index + 1).filter((commit) => !turns.includes(commit));
  const some = others.filter((_, index) => index % OTHERS === 0);
  return [...turning, ...some.map((commit): Stop => ({ commit, when: commit % 2 === 0 ? 'before' : 'after' }))];
}

/** What became of each account: its id, its state or reason, and its tips. */
export async function readAccounts(store: Store, gigId: number): Promise<string[]> {
  const found = await store.earnings({ gigId, limit: 1_000 });
  const accounts = await Promise.all(
    found.map(async (earning) => {
      const { tips } = await store.pendingTips([earning]);
      const paid = tips.map(({ id, amount }) => `${id === earning.tipId ? 'own' : 'other'} ${amount}`);
      return `${earning.platformUserId} ${earning.reason ?? earning.state} ${paid.join()}`;
    }),
  );
  return accounts.toSorted();
}

/** What was earned, and what is awarded and reserved. */
export async function readSums(store: Store, gigId: number): Promise<(bigint | undefined)[]> {
  const gig = await store.gig(gigId);
  return [await store.earnedAmount(gigId), gig?.awardedAmount, gig?.reservedAmount];
}
