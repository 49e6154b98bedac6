import { setImmediate } from 'node:timers';

interface Asked<Item, Result> extends PromiseWithResolvers<Result> {
  readonly item: Item;
}

/**
 * Gathers what is asked for in a turn of the event loop, and while as much work is under way as may be: a statement for many
 * costs little more than one for one.
 * @param work gets what was gathered, at most `most` at once, and gives an answer for each in its place
 * @param options.lanes how many works may be under way
 */
export function createGathering<Item, Result>(
  work: (items: readonly Item[]) => Promise<readonly Result[]>,
  { most, lanes }: { most: number; lanes: number },
): (item: Item) => Promise<Result> {
  const waiting: Asked<Item, Result>[] = [];
  let underWay = 0;

  async function workOff(): Promise<void> {
    while (waiting.length > 0) {
      const asked = waiting.splice(0, most);
      try {
        const results = await work(asked.map(({ item }) => item));
        // It gives as many as it gets.
        for (const [place, { resolve }] of asked.entries()) resolve(results[place] as Result);
      } catch (error) {
        for (const { reject } of asked) reject(error);
      }
    }
    underWay -= 1;
  }

  return (item) => {
    const own = { ...Promise.withResolvers<Result>(), item };
    waiting.push(own);
    if ((waiting.length === 1 || waiting.length > most) && underWay < lanes) {
      underWay += 1;
      setImmediate(() => void workOff());
    }
    return own.promise;
  };
}
