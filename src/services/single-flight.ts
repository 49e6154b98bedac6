/**
 * Runs work once for concurrent callers: the same key and body share one result or error; another body under the key
 * waits for that one, then runs. Work without a key always runs.
 */
export function createSingleFlight<T>(): (
  request: { readonly key: string; readonly body: string } | null,
  work: () => Promise<T>,
) => Promise<T> {
  const underWay = new Map<string, { readonly body: string; readonly result: Promise<T> }>();
  return async (request, work) => {
    if (request === null) return await work();
    const { key, body } = request;
    for (let known = underWay.get(key); known !== undefined; known = underWay.get(key)) {
      if (known.body === body) return await known.result;
      await Promise.allSettled([known.result]);
    }
    const result = work().finally(() => underWay.delete(key));
    underWay.set(key, { body, result });
    return await result;
  };
}
