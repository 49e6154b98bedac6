import { statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { DiskSpace } from '../domain/operators/disk.ts';
import { isPostgres } from '../domain/settings/database-url.ts';
import { databasePath } from './open.ts';

/**
 * The space of the file system that holds a database; null when a server holds it, which other tools watch.
 * @throws Error when it cannot be determined
 */
export async function readDiskSpace({ url }: { url: string }): Promise<DiskSpace | null> {
  if (isPostgres(url)) return null;
  const { bavail, blocks, bsize } = await statfs(dirname(databasePath(url)));
  return { free: bavail * bsize, total: blocks * bsize };
}
