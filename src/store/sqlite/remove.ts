import { rmSync } from 'node:fs';
import { createProcessLock } from './process-lock.ts';

/** Removes the files of a database, unless a process serves it. @returns whether it has */
export async function removeDatabase(path: string): Promise<boolean> {
  const lock = createProcessLock(`${path}.lock`);
  const remove = async () => {
    for (const end of ['', '-wal', '-shm', '.ids']) rmSync(`${path}${end}`, { force: true });
    return true;
  };
  const isRemoved = (await lock.acquire(remove)) ?? false;
  lock.close();
  if (isRemoved) rmSync(`${path}.lock`, { force: true });
  return isRemoved;
}
