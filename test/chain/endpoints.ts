import { onTestFinished } from 'vitest';
import { createEndpointPool, type EndpointPool } from '../../src/chain/endpoint-pool.ts';
import { type Chain, chainById } from '../../src/domain/chains/chain.ts';
import { type Answer, serveJsonRpc } from '../support/json-rpc.ts';

export const BASE = chainById(8453) as Chain;
export const SITES = ['one', 'two', 'three'] as const;
export type Site = (typeof SITES)[number];

type Options = Pick<Parameters<typeof createEndpointPool>[0], 'clock' | 'anchor' | 'log'>;

/** A pool of three endpoints of Base until the test ends. An endpoint that has no answer breaks the connection. */
export async function openPool(
  answerOf: (site: Site, method: string, params: readonly unknown[]) => Answer | null,
  { urlOf = (url: string) => url, ...options }: Options & { readonly urlOf?: (url: string) => string },
) {
  const breakOff: Answer = (response) => response.destroy();
  const servers = await Promise.all(
    SITES.map((site) => serveJsonRpc((method, _times, params) => answerOf(site, method, params) ?? breakOff)),
  );
  onTestFinished(async () => {
    await Promise.all(servers.map((server) => server.close()));
  });
  const rpcUrls = servers.map(({ url }) => urlOf(url));
  const pool = createEndpointPool({
    chain: BASE,
    rpcUrls,
    timeoutMs: 2_000,
    retries: 0,
    deadlineMs: 2_000,
    ...options,
  });
  return { pool, servers };
}

/** Asks which endpoint answers. */
export function whichOf(pool: EndpointPool): Promise<Site> {
  return pool.ask(SITES, async (site) => site);
}

/** Why endpoints are passed over, by their places. */
export function faultsOf(pool: EndpointPool): (string | null)[] {
  return pool.standings().map(({ fault }) => fault?.kind ?? null);
}
