/** Runs a task for each item, at most `most` of them at a time, and answers in the order of the items. */
export async function inParallel<Item, Result>(
  items: readonly Item[],
  most: number,
  task: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  for (let start = 0; start < items.length; start += most) {
    results.push(...(await Promise.all(items.slice(start, start + most).map(task))));
  }
  return results;
}
