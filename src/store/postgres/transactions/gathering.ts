import { setImmediate } from 'node:timers';

interface Asked<Item, Result> extends PromiseWithResolvers<Result> {
  readonly item: Item;
}

/**
 * Gathers what is asked for in a turn of the event loop, and while as much work is under way as may be: a statement for many
 * costs little more than one for one.
 * @param work gets what was gathered, and gives an answer for each in its place
 * @param options.most how many items a work gets at the most
 * @param options.lanes how many works may be under way
 * @param options.least how many items each of several works that begin at once gets at the least; as many as `most` when absent
 */
export function createGathering<Item, Result>(
  work: (items: readonly Item[]) => Promise<readonly Result[]>,
  { most, lanes, least = most }: { most: number; lanes: number; least?: number },
): (item: Item) => Promise<Result> {
  const waiting: Asked<Item, Result>[] = [];
  let underWay = 0;
  let isPlanned = false;

  async function run(asked: readonly Asked<Item, Result>[]): Promise<void> {
    underWay += 1;
    try {
      const results = await work(asked.map(({ item }) => item));
      // It gives as many as it gets.
      for (const [place, { resolve }] of asked.entries()) resolve(results[place] as Result);
    } catch (error) {
      for (const { reject } of asked) reject(error);
    }
    underWay -= 1;
    plan();
  }

  /** Begins what may begin at the end of this turn. */
  function plan(): void {
    if (isPlanned || waiting.length === 0 || underWay === lanes) return;
    isPlanned = true;
    setImmediate(() => {
      isPlanned = false;
      const works = Math.max(1, Math.min(lanes - underWay, Math.floor(waiting.length / least)));
      const size = Math.min(most, Math.ceil(waiting.length / works));
      while (waiting.length > 0 && underWay < lanes) void run(waiting.splice(0, size));
    });
  }

  return (item) => {
    const own = { ...Promise.withResolvers<Result>(), item };
    waiting.push(own);
    plan();
    return own.promise;
  };
}
