import type { DiskSpace } from '../../src/domain/operators/disk.ts';

/** More than enough space, whatever this machine has. */
export async function readAmpleDisk(): Promise<DiskSpace> {
  return { free: 90 * 2 ** 30, total: 100 * 2 ** 30 };
}
