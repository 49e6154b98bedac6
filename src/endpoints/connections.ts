import type { LookupAddress, LookupOptions } from 'node:dns';
import { Resolver } from 'node:dns/promises';
import { ConnectionRefused } from '../outbound.ts';
import { isPublicAddress, literalOf } from './public-address.ts';

/** Says no more, because an answer that names addresses would tell what is inside the network. */
export const NOT_PUBLIC = 'is not at a public address';

type Found = (error: Error | null, address: string | LookupAddress[], family?: number) => void;
/** How the host of a connection is looked up, as by `lookup` of `node:dns`. */
export type LookUp = (
  hostname: string,
  options: LookupOptions & { readonly all: true },
  found: (error: Error | null, addresses: LookupAddress[]) => void,
) => void;

/** How long a name server is waited for, milliseconds, and how often it is asked. */
const NAME_SERVERS = { timeout: 2_000, tries: 2 };

/**
 * Asks name servers, and no file of hosts. Not `lookup` of `node:dns`: a client's name whose servers are silent would hold one of the
 * two threads by which all other hosts are looked up.
 */
const askNameServers: LookUp = (hostname, _options, found) => {
  const resolver = new Resolver(NAME_SERVERS);
  const asked = [resolver.resolve4(hostname), resolver.resolve6(hostname)];
  void Promise.allSettled(asked).then((answers) => {
    const addresses = answers.flatMap((answer, place) =>
      answer.status === 'rejected' ? [] : answer.value.map((address) => ({ address, family: place === 0 ? 4 : 6 })),
    );
    found(null, addresses);
  });
};

/** Looks a host up for a connection, so that the addresses which are checked are the ones that it may use. */
function guardLookUp(lookUp: LookUp) {
  return (hostname: string, options: LookupOptions, found: Found): void => {
    lookUp(hostname, { ...options, all: true }, (error, addresses) => {
      const [first] = addresses ?? [];
      // A name that nobody knows is refused in the same words: the difference would tell which names are known inside.
      if (error !== null || first === undefined || !addresses.every(({ address }) => isPublicAddress(address))) {
        return found(new ConnectionRefused(NOT_PUBLIC), []);
      }
      if (options.all === true) found(null, addresses);
      else found(null, first.address, first.family);
    });
  };
}

async function openConnections(lookUp: LookUp | null, isKept: boolean): Promise<typeof globalThis.fetch> {
  const { Agent, fetch } = await import('undici');
  const connect = lookUp === null ? {} : { lookup: guardLookUp(lookUp) };
  const pipelining = isKept ? 1 : 0;
  const dispatcher = new Agent({ connect, pipelining, headersTimeout: 0, bodyTimeout: 0, allowH2: false });
  const send = (...[url, init]: Parameters<typeof fetch>) => fetch(url, { ...init, dispatcher });
  // Node declares the same interface separately.
  return send as unknown as typeof globalThis.fetch;
}

/**
 * `fetch` that connects to public addresses alone, or to any. Its library loads with the first request. No look-up happens for a host
 * that is an address: that is checked here.
 */
export function createEndpointFetch({
  allowPrivate,
  lookUp = askNameServers,
  isKept = true,
}: {
  readonly allowPrivate: boolean;
  readonly lookUp?: LookUp;
  /** Whether a connection stays open for the next request, as long as its server asks for: up to ten minutes. */
  readonly isKept?: boolean;
}): typeof globalThis.fetch {
  let opening: Promise<typeof globalThis.fetch> | undefined;
  return async (...question) => {
    const [input] = question;
    const literal = literalOf(new URL(input instanceof Request ? input.url : input));
    if (!allowPrivate && literal !== null && !isPublicAddress(literal)) throw new ConnectionRefused(NOT_PUBLIC);
    opening ??= openConnections(allowPrivate ? null : lookUp, isKept);
    return await (await opening)(...question);
  };
}
