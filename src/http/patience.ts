import type { Patience } from './server.ts';

/** How long the service waits for clients, in milliseconds. */
export const SERVICE_PATIENCE = {
  // Tighter than Node's one and five minutes, because bodies are small. Both count from a request's first byte, so they
  // end no idle connection, and may be shorter than `keepAliveTimeout`.
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  connectionsCheckingInterval: 5_000,
  // Longer than a proxy keeps an idle connection (docs/operate.md): one that closes first loses the request that the proxy
  // is just sending. Node's own 5 seconds do.
  keepAliveTimeout: 75_000,
  // A claim's response takes up to a minute without a byte sent; the largest response, compressed, is 1 MB.
  idleMs: 90_000,
  answerMs: 120_000,
} as const satisfies Patience;
