/** Does something with each item, for so many at a time. Stops when `isEnough` says so after a turn. */
export async function inTurns<T, R>(
  items: readonly T[],
  atOnce: number,
  work: (item: T) => Promise<R>,
  isEnough: (done: readonly R[]) => boolean = () => false,
): Promise<R[]> {
  const done: R[] = [];
  for (let start = 0; start < items.length && !isEnough(done); start += atOnce) {
    done.push(...(await Promise.all(items.slice(start, start + atOnce).map(work))));
  }
  return done;
}
