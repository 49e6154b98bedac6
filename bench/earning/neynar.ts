import { createServer, type ServerResponse } from 'node:http';

/** Likes of one cast begin with this FID. */
const FIRST_FID = 2_000_000;
const PAGE = 100;
const LONG_AGO = '2024-01-01T00:00:00.000Z';

/** A Neynar with a cast that many like, and casts that nobody likes. */
export interface LikesNeynar {
  readonly url: string;
  /** How many calls it has answered, by path. */
  readonly calls: Map<string, number>;
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

/** Answers the questions of the earning engine; `likedAt` is when the likes of the liked cast were made. */
export async function startLikesNeynar(options: {
  hash: string;
  likes: number;
  likedAt: number;
}): Promise<LikesNeynar> {
  const { hash, likes, likedAt } = options;
  const calls = new Map<string, number>();
  const like = (index: number) => ({
    object: 'likes',
    reaction_type: 'like',
    reaction_timestamp: new Date(likedAt).toISOString(),
    user: user(FIRST_FID + index),
  });
  const page = (from: number) => {
    const rest = Math.max(0, Math.min(PAGE, likes - from));
    const cursor = from + PAGE < likes ? String(from + PAGE) : null;
    return { reactions: Array.from({ length: rest }, (_, index) => like(from + index)), next: { cursor } };
  };
  const server = createServer((request, response) => {
    const { pathname: path, searchParams } = new URL(request.url ?? '/', 'http://neynar.invalid');
    const pathname = path.replace(/\/$/, '');
    calls.set(pathname, (calls.get(pathname) ?? 0) + 1);
    if (pathname.endsWith('/reactions/cast')) {
      const isLiked = searchParams.get('hash') === hash;
      send(response, isLiked ? page(Number(searchParams.get('cursor') ?? 0)) : { reactions: [], next: {} });
    } else if (pathname.endsWith('/user/bulk')) {
      const fids = searchParams.get('fids')?.split(',') ?? [];
      send(response, { users: fids.map((fid) => user(Number(fid))) });
    } else if (pathname.endsWith('/notifications')) send(response, { notifications: [], next: { cursor: null } });
    else send(response, { cast: { hash: searchParams.get('identifier') }, conversation: { cast: null } });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the stand-in for Neynar has no port');
  return {
    url: `http://127.0.0.1:${address.port}`,
    calls,
    stop: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}
