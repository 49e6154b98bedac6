import { createHmac } from 'node:crypto';
import { firstFidOf } from '../earning/casts.ts';
import type { Asked, Job } from './job.ts';

/** A small generator of numbers from 0 to 1 (mulberry32), so that every contender is asked the same. */
export function createRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** How an ordinary user is asked for: every other one by FID, the rest by X handle. See `bench/data/rows.ts`. */
export function identifierOf(user: number): string {
  return user % 2 === 0 ? String(100_000 + user) : `user_${user}`;
}

/** Users drawn with a probability that falls with their rank (log-uniform, as Zipf's law has it), over all of the data. */
export function drawUser(random: () => number, users: number): number {
  const rank = Math.min(users - 1, Math.floor(users ** random()) - 1);
  // Neighbouring ranks lie far apart in the data, or all the popular ones would share a page.
  return (rank * 7_919) % users;
}

function lookups(users: number, seed: number): () => Buffer {
  const random = createRandom(users + seed * 7_919);
  return () => {
    const path = `/api/claim?identifiers=${identifierOf(drawUser(random, users))}`;
    return Buffer.from(`GET ${path} HTTP/1.1\r\nhost: 127.0.0.1\r\naccept: application/json\r\n\r\n`);
  };
}

const AUTHOR = {
  object: 'user',
  custody_address: `0x${'1'.repeat(40)}`,
  display_name: 'Somebody',
  pfp_url: 'https://example.org/picture.png',
  profile: { bio: { text: 'x'.repeat(800) } },
  follower_count: 120,
  following_count: 80,
  verifications: [`0x${'2'.repeat(40)}`],
  verified_addresses: { eth_addresses: [`0x${'2'.repeat(40)}`], sol_addresses: [] },
};

function castBody({ hash, author, botFid, text }: SampleCast, at: number): string {
  return JSON.stringify({
    created_at: Math.floor(at / 1000),
    type: 'cast.created',
    data: {
      object: 'cast',
      hash,
      thread_hash: hash,
      parent_hash: null,
      parent_author: { fid: null },
      author: { ...AUTHOR, fid: author, username: `caster${author}` },
      text,
      timestamp: new Date(at).toISOString(),
      embeds: [{ url: `https://example.org/${'y'.repeat(700)}` }],
      reactions: { likes_count: 0, recasts_count: 0, likes: [], recasts: [] },
      replies: { count: 0 },
      channel: {
        object: 'channel_dehydrated',
        id: 'bench',
        name: 'bench',
        image_url: 'https://example.org/z'.repeat(12),
      },
      mentioned_profiles: [
        { ...AUTHOR, fid: botFid, username: 'gigclaim', profile: { bio: { text: 'z'.repeat(300) } } },
      ],
    },
  });
}

/** A cast that mentions the bot. */
export interface SampleCast {
  readonly hash: string;
  /** The author's FID. */
  readonly author: number;
  readonly botFid: number;
  readonly text: string;
}

/** The event of a cast, signed as Neynar does: about 3 kB of body. */
export function signedEvent(cast: SampleCast, secret: string): { body: string; signature: string } {
  const body = castBody(cast, Date.now());
  return { body, signature: createHmac('sha512', secret).update(body).digest('hex') };
}

/** A hash that no other cast of this machine's benches has: of the time and a count. */
export function createHashes(): () => string {
  const start = Date.now().toString(16).padStart(16, '0');
  let count = 0;
  return () => `0x${start}${(++count).toString(16).padStart(24, '0')}`;
}

function delivery(body: string, signature: string): Buffer {
  const head =
    'POST /webhooks/farcaster HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: application/json\r\n' +
    `x-neynar-signature: ${signature}\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n`;
  return Buffer.from(head + body);
}

function casts({ secret, botFid, text }: Extract<Asked, { kind: 'casts' }>, seed: number): () => Buffer {
  const nextHash = createHashes();
  let author = firstFidOf(seed);
  return () => {
    author += 1;
    const { body, signature } = signedEvent({ hash: nextHash(), author, botFid, text }, secret);
    return delivery(body, signature);
  };
}

/** The event of a like, as Neynar sends it. */
export function likeBody({ fid, hash }: { fid: number; hash: string }, at: number): string {
  const time = new Date(at).toISOString();
  return JSON.stringify({
    created_at: Math.floor(at / 1000),
    type: 'reaction.created',
    data: {
      object: 'reaction',
      event_timestamp: time,
      timestamp: time,
      reaction_type: 1,
      user: { object: 'user_dehydrated', fid, username: `user${fid}` },
      cast: { object: 'cast_dehydrated', hash, author: { object: 'user_dehydrated', fid: 5, username: 'author' } },
    },
  });
}

function likes({ secret, casts: liked }: Extract<Asked, { kind: 'likes' }>, seed: number): () => Buffer {
  const first = firstFidOf(seed);
  let count = 0;
  return () => {
    const body = likeBody({ fid: first + count, hash: liked[count % liked.length] ?? '' }, Date.now());
    count += 1;
    return delivery(body, createHmac('sha512', secret).update(body).digest('hex'));
  };
}

/** An endless row of whole requests as bytes. */
export function createRequests({ asked, seed }: Pick<Job, 'asked' | 'seed'>): () => Buffer {
  switch (asked.kind) {
    case 'lookups':
      return lookups(asked.users, seed);
    case 'casts':
      return casts(asked, seed);
    case 'likes':
      return likes(asked, seed);
  }
}
