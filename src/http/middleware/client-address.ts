import { isIP, isIPv4, isIPv6 } from 'node:net';
import type { Context } from 'hono';
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
  readonly forwardedFor: string | string[] | undefined;
  /** The socket's peer; absent behind a Unix socket, or without a socket. */
  readonly address: string | undefined;
}

/** The {@link Origin} of a Hono request. */
export function originOf(c: Context<AppEnv>): Origin {
  return { forwardedFor: c.req.header('x-forwarded-for'), address: c.env?.incoming?.socket.remoteAddress };
}

/**
 * The client of a request, for rate limits. Without a trusted proxy it is the socket's peer; with one, the last hop of
 * `X-Forwarded-For`, because only our proxy wrote that one and clients can forge the rest. Correct for exactly one
 * proxy: in a chain, the last hop is the proxy before ours.
 */
export function clientOf({ forwardedFor, address }: Origin, { trustProxy }: { trustProxy: boolean }): string {
  if (trustProxy) {
    const hop = withoutPort(
      String(forwardedFor ?? '')
        .split(',')
        .at(-1)
        ?.trim() ?? '',
    );
    if (isIP(hop) !== 0) return clientGroup(hop);
  }
  return clientGroup(address ?? 'unknown');
}
