import { TrieRouter } from 'hono/router/trie-router';

/** The methods that the routes at a path take, in the order of `Allow`; none where there is no route. */
export type AllowedAt = (path: string) => readonly string[];

interface Routed {
  readonly routes: readonly { readonly method: string; readonly path: string }[];
}

/** Reads the routes of the app at the first call, when all of them have been added. */
export function createAllowedAt(app: Routed): AllowedAt {
  let router: TrieRouter<string> | null = null;
  function readRoutes(): TrieRouter<string> {
    const read = new TrieRouter<string>();
    // Middleware takes all methods.
    for (const { method, path } of app.routes) if (method !== 'ALL') read.add('ALL', path, method);
    return read;
  }
  return (path) => {
    router ??= readRoutes();
    const [matches] = router.match('ALL', path);
    const methods = new Set(matches.map(([method]) => method));
    // Hono answers HEAD as GET without its body.
    return [...methods, ...(methods.has('GET') ? ['HEAD'] : [])].sort();
  };
}
