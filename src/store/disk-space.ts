import { statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { DiskSpace } from '../domain/disk.ts';
import { databasePath } from './open.ts';

/** The space of the file system that holds a database. @throws Error when it cannot be determined */
export async function readDiskSpace({ url }: { url: string }): Promise<DiskSpace> {
  const { bavail, blocks, bsize } = await statfs(dirname(databasePath(url)));
  return { free: bavail * bsize, total: blocks * bsize };
}
