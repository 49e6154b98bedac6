/** The space of a file system, in bytes. */
export interface DiskSpace {
  /** What this process may still use. */
  readonly free: number;
  readonly total: number;
}

const MEGABYTE = 2 ** 20;
const LEAST_FREE = 512 * MEGABYTE;
const LEAST_SHARE = 0.05;

/** Whether so little is free, less than 5 % or 512 MB, that writing may soon fail. */
export function isNearlyFull({ free, total }: DiskSpace): boolean {
  return free < LEAST_FREE || free < total * LEAST_SHARE;
}

/** The space in words: `120 MB of 20480 MB are free`. */
export function spaceText({ free, total }: DiskSpace): string {
  const megabytes = (bytes: number) => `${Math.floor(bytes / MEGABYTE)} MB`;
  return `${megabytes(free)} of ${megabytes(total)} are free`;
}
