import { BlockList, isIP, isIPv4, isIPv6 } from 'node:net';
import type { Context } from 'hono';
import type { TrustedProxies } from '../../domain/settings/trusted-proxies.ts';
import type { AppEnv } from './context.ts';

function dotted(address: string): number[] {
  const [a = 0, b = 0, c = 0, d = 0] = address.split('.').map(Number);
  return [a * 256 + b, c * 256 + d];
}

function groups(part: string | undefined): number[] {
  if (part === undefined || part === '') return [];
  return part.split(':').flatMap((group) => (group.includes('.') ? dotted(group) : [Number.parseInt(group, 16)]));
}

function expand(address: string): number[] {
  const [left, right] = address.split('::');
  const head = groups(left);
  const tail = groups(right);
  return [...head, ...new Array<number>(8 - head.length - tail.length).fill(0), ...tail];
}

/**
 * The rate-limit key of a client: an IPv4 address, also when written as IPv6, or the /64 network of an IPv6 address,
 * because a subscriber has at least that many addresses (RFC 6177).
 */
export function clientGroup(address: string): string {
  const bare = address.split('%', 1)[0] ?? '';
  // Most addresses are IPv4, and the full test costs more than the rate limiter's count.
  if (!bare.includes(':') || !isIPv6(bare)) return bare;
  const parts = expand(bare);
  const [high = 0, low = 0] = parts.slice(6);
  if (parts.slice(0, 5).every((part) => part === 0) && parts[5] === 0xffff) {
    return [high >> 8, high & 0xff, low >> 8, low & 0xff].join('.');
  }
  const network = parts.slice(0, 4).map((part) => part.toString(16));
  return `${network.join(':')}::/64`;
}

/** Some proxies write `address:port` or `[address]:port`. */
function withoutPort(hop: string): string {
  if (hop.startsWith('[')) return hop.slice(1).split(']', 1)[0] ?? '';
  const [host = '', port] = hop.split(':');
  return port !== undefined && isIPv4(host) ? host : hop;
}

export interface Origin {
  /** Several headers are one list. */
  readonly forwardedFor: string | undefined;
  /** The socket's peer; absent behind a Unix socket, or without a socket. */
  readonly address: string | undefined;
}

/** The {@link Origin} of a Hono request. */
export function originOf(c: Context<AppEnv>): Origin {
  return { forwardedFor: c.req.header('x-forwarded-for'), address: c.env?.incoming?.socket.remoteAddress };
}

/** Longer chains are made up by a client: each address costs a search among the networks. */
const MOST_HOPS = 20;
/** The peer behind a Unix socket. */
const UNKNOWN = 'unknown';

/** Finds the client of a request, for rate limits. */
export interface ClientFinder {
  /**
   * The socket's peer, unless that is a trusted proxy; else the last address of `X-Forwarded-For` that is none. Each trusted
   * proxy wrote the address before it, and clients can forge the rest.
   */
  clientOf(origin: Origin): string;
  /** Whether the socket's peer is a trusted proxy. */
  trustsPeer(origin: Origin): boolean;
}

/** @returns whether an address is a trusted proxy's, of which `hops` stand behind it */
function trustIn(trusted: TrustedProxies): (address: string, hops: number) => boolean {
  if (typeof trusted === 'number') return (_, hops) => hops < trusted;
  const networks = new BlockList();
  for (const { address, bits, family } of trusted) networks.addSubnet(address, bits, family);
  return (address) => {
    // IPv4 in the form of IPv6 is found among the networks of IPv4.
    if (address.includes(':')) return networks.check(address.split('%', 1)[0] ?? '', 'ipv6');
    return address !== UNKNOWN && networks.check(address);
  };
}

/** @param trusted a number counts the proxies from the service's side, whatever their addresses */
export function createClientFinder(trusted: TrustedProxies): ClientFinder {
  const isTrusted = trustIn(trusted);
  return {
    clientOf({ forwardedFor, address = UNKNOWN }) {
      let client = address;
      let left = forwardedFor ?? '';
      for (let hops = 0; hops < MOST_HOPS && left !== '' && isTrusted(client, hops); hops += 1) {
        const comma = left.lastIndexOf(',');
        const hop = withoutPort(left.slice(comma + 1).trim());
        // A proxy that knows no address writes `unknown`, or nothing, and stands for its clients itself.
        if (isIP(hop) === 0) break;
        client = hop;
        left = left.slice(0, Math.max(comma, 0));
      }
      return clientGroup(client);
    },
    trustsPeer: ({ address = UNKNOWN }) => isTrusted(address, 0),
  };
}
