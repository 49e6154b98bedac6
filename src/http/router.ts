import type { Result, Router } from 'hono/router';
import { TrieRouter } from 'hono/router/trie-router';

/** Whether a path has neither parameters nor wildcards. */
function isFixed(path: string): boolean {
  return !/[:*{]/.test(path);
}

/**
 * Hono's trie router with a cache for paths without parameters: a search among all routes takes about 4 µs. Hono's faster
 * RegExpRouter refuses the service's paths, because `/api/gigs/types` stands beside `/api/gigs/:id{[0-9]+}`.
 */
export function createRouter<Handler>(): Router<Handler> {
  const routes = new TrieRouter<Handler>();
  const fixed = new Set<string>();
  // Bounded: at most one entry for each of these paths and each HTTP method that Node.js parses.
  const kept = new Map<string, Result<Handler>>();
  return {
    name: 'KeptTrieRouter',
    add(method, path, handler) {
      routes.add(method, path, handler);
      if (isFixed(path)) fixed.add(path);
      kept.clear();
    },
    match(method, path) {
      if (!fixed.has(path)) return routes.match(method, path);
      const key = `${method} ${path}`;
      const known = kept.get(key);
      if (known !== undefined) return known;
      const found = routes.match(method, path);
      kept.set(key, found);
      return found;
    },
  };
}
