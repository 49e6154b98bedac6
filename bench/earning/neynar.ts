import { createServer, type ServerResponse } from 'node:http';
import { FIRST_FID } from './casts.ts';
import type { Usage } from './credits.ts';

const PAGE = 100;
const LONG_AGO = '2024-01-01T00:00:00.000Z';

/** A Neynar with casts that some like. */
export interface LikesNeynar {
  readonly url: string;
  /** How often each path was asked, and for how much. */
  readonly usage: Map<string, Usage>;
  /** How often it was asked about each cast, by its hash. */
  readonly asked: Map<string, number>;
  /** How many like the cast with this hash; nobody likes any other. */
  readonly likes: Map<string, number>;
  stop(): void;
}

function send(response: ServerResponse, body: object): void {
  const text = JSON.stringify(body);
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) });
  response.end(text);
}

function user(fid: number): object {
  const address = `0x${fid.toString(16).padStart(40, '0')}`;
  return {
    object: 'user',
    fid,
    username: `user${fid}`,
    score: 0.9,
    follower_count: 20,
    registered_at: LONG_AGO,
    verified_addresses: { eth_addresses: [address], primary: { eth_address: address } },
  };
}

/** Answers the questions of the earning engine; `likedAt` is when each like was made. */
export async function startLikesNeynar(likedAt: number): Promise<LikesNeynar> {
  const usage = new Map<string, Usage>();
  const asked = new Map<string, number>();
  const likes = new Map<string, number>();
  const like = (index: number) => ({
    object: 'likes',
    reaction_type: 'like',
    reaction_timestamp: new Date(likedAt).toISOString(),
    user: user(FIRST_FID + index),
  });
  const page = (all: number, from: number) => {
    const rest = Math.max(0, Math.min(PAGE, all - from));
    const cursor = from + PAGE < all ? String(from + PAGE) : null;
    return { reactions: Array.from({ length: rest }, (_, index) => like(from + index)), next: { cursor } };
  };
  function answer(path: string, given: URLSearchParams): object {
    const hash = given.get('hash') ?? given.get('identifier') ?? '';
    asked.set(hash, (asked.get(hash) ?? 0) + 1);
    if (path.endsWith('/reactions/cast')) return page(likes.get(hash) ?? 0, Number(given.get('cursor') ?? 0));
    if (path.endsWith('/user/bulk')) return { users: (given.get('fids') ?? '').split(',').map(Number).map(user) };
    if (path.endsWith('/webhook/list')) return { webhooks: [] };
    if (path.endsWith('/notifications')) return { notifications: [], next: { cursor: null } };
    return { cast: { hash }, conversation: { cast: null } };
  }
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://neynar.invalid');
    const path = pathname.replace(/\/$/, '').replace(/^.*\/farcaster/, '');
    const { calls, units } = usage.get(path) ?? { calls: 0, units: 0 };
    const places = Number(searchParams.get('limit') ?? searchParams.get('fids')?.split(',').length ?? 1);
    usage.set(path, { calls: calls + 1, units: units + places });
    send(response, answer(path, searchParams));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the stand-in for Neynar has no port');
  return {
    url: `http://127.0.0.1:${address.port}`,
    usage,
    asked,
    likes,
    stop: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}
