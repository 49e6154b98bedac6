/** The hash of the cast that the n-th of the watched gigs is about. */
export function castOf(number: number): string {
  return `0x${(0xbe9c0000 + number).toString(16).padStart(40, '0')}`;
}

/** Those who like begin with this FID. */
export const FIRST_FID = 2_000_000;
/** More requests than one measurement sends. */
const MOST_OF_JOB = 200_000;

/** The first FID of those who like or post in a measurement; its seed is the job's. */
export function firstFidOf(seed: number): number {
  return 100_000_000 + seed * MOST_OF_JOB;
}
