import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import SqliteDatabase from 'better-sqlite3';
import { openSqliteStore } from '../../../src/store/sqlite/store.ts';
import { createChance } from '../../long/soak/chance.ts';
import { createDisk } from '../../support/power-cut.ts';
import { MIGRATIONS, SEEDED_AT, sampleMention, temporaryFolder, writeEmptyDatabase } from '../../support/store.ts';

export interface CutLoad {
  readonly seed: number;
  /** How many times power is cut. */
  readonly cuts: number;
  /** How many stores, as of several processes, write at once. */
  readonly stores: number;
}

export interface CutReport {
  /** Posts of mentions whose transaction was told, and which a cut has lost. */
  readonly lost: readonly string[];
  readonly damaged: readonly unknown[];
  /** How many cuts fell between a commit and its sync. */
  readonly between: number;
  readonly told: number;
  /** How many times the log was truncated by another connection. */
  readonly truncated: number;
}

const WRITERS = 4;
const MOST_MS = 4;

/** Writes mentions and cuts power at random moments; what was told by then must be in each copy. */
export async function cutUnderLoad({ seed, cuts, stores }: CutLoad): Promise<CutReport> {
  const chance = createChance(seed);
  const folder = temporaryFolder();
  const path = join(folder.path, 'gigclaim.db');
  await writeEmptyDatabase(path);
  const disk = createDisk(path, { folder: folder.path, chance, mostMs: MOST_MS });
  const open = () => openSqliteStore({ path, migrationsFolder: MIGRATIONS, sync: disk.sync });
  const opened = await Promise.all(Array.from({ length: stores }, open));
  const other = new SqliteDatabase(path);
  const told = new Set<string>();
  let isOver = false;
  let count = 0;

  async function write(store: Awaited<ReturnType<typeof open>>): Promise<void> {
    while (!isOver) {
      const postId = `post-${count++}`;
      const mention = sampleMention({ postId, text: 'x'.repeat(chance.between(0, 3_000)) });
      await store.transaction((tx) => tx.insertMention(mention, { now: SEEDED_AT, source: 'webhook' }));
      told.add(postId);
    }
  }

  const writing = opened.flatMap((store) => Array.from({ length: WRITERS }, () => write(store)));
  const report = { lost: [] as string[], damaged: [] as unknown[], between: 0, truncated: 0 };
  for (let cut = 0; cut < cuts; cut++) {
    await setTimeout(chance.between(0, 2 * MOST_MS));
    if (chance.happens(0.1)) {
      other.pragma('wal_checkpoint(TRUNCATE)');
      report.truncated += 1;
    }
    // As a command of the operator does.
    if (chance.happens(0.02)) await (await open()).close();
    const { posts, integrity, isCut } = disk.cut();
    report.lost.push(...told.difference(posts));
    if (integrity !== 'ok') report.damaged.push(integrity);
    if (isCut) report.between += 1;
  }
  isOver = true;
  await Promise.all(writing);
  await Promise.all(opened.map((store) => store.close()));
  other.close();
  disk.close();
  folder.remove();
  return { ...report, told: told.size };
}
