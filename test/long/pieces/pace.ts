/** What {@link work} takes on the machine for which limits are said, in milliseconds of processor time. */
const REFERENCE_MS = 18;

function work(): number {
  const texts = Array.from({ length: 60_000 }, (_, index) => String((index * 7_919) % 60_013));
  return JSON.stringify(texts.sort()).length;
}

/** How many times slower than that machine this one is; 1 when it is not. */
export function slowness(): number {
  let least = Number.POSITIVE_INFINITY;
  for (let time = 0; time < 8; time += 1) {
    const before = process.cpuUsage();
    work();
    const { user, system } = process.cpuUsage(before);
    least = Math.min(least, (user + system) / 1_000);
  }
  return Math.max(1, least / REFERENCE_MS);
}
