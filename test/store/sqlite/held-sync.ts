import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { openSqliteStore } from '../../../src/store/sqlite/store.ts';
import { MIGRATIONS, temporaryFolder, writeEmptyDatabase } from '../../support/store.ts';

/** Lets all that waits for no sync go on. */
export async function turns(): Promise<void> {
  for (let turn = 0; turn < 20; turn++) await nextTurn();
}

/** A store on SQLite whose syncs can be held. */
export async function openHeldStore() {
  const folder = temporaryFolder();
  const path = join(folder.path, 'gigclaim.db');
  await writeEmptyDatabase(path);
  const held: PromiseWithResolvers<void>[] = [];
  const told: string[] = [];
  let isHeld = false;
  async function sync(): Promise<void> {
    if (!isHeld) return;
    const sync = Promise.withResolvers<void>();
    held.push(sync);
    await sync.promise;
  }
  const store = await openSqliteStore({ path, migrationsFolder: MIGRATIONS, sync });
  return {
    path,
    store,
    /** The syncs since they are held, in their order. */
    held,
    /** What {@link note} has seen. */
    told,
    hold() {
      isHeld = true;
    },
    /** Notes when the work is told. */
    note: (name: string, work: Promise<unknown>): Promise<unknown> => work.then(() => told.push(name)),
    async close() {
      isHeld = false;
      for (const sync of held) sync.resolve();
      await store.close();
      folder.remove();
    },
  };
}

export type HeldStore = Awaited<ReturnType<typeof openHeldStore>>;
