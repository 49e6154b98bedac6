import { setTimeout as wait } from 'node:timers/promises';
import pg from 'pg';
import { openStore } from '../../src/store/open.ts';
import { MIGRATIONS } from '../data/sqlite.ts';
import { createHashes } from '../load/requests.ts';
import { familyCpuMs } from '../processor-time.ts';
import { openBareInsert } from './bare-insert.ts';

/** What keeps events: the service's store, or a bare insert for each. */
export type Keeper = 'store' | 'insert';

export interface KeepOptions {
  readonly keeper: Keeper;
  /** The URL of a new database of the service. */
  readonly url: string;
  /** Of the server's first process. */
  readonly postgresPid: number;
  readonly loops: number;
  /** Kept before the measurement begins. */
  readonly warmEvents: number;
  readonly seconds: number;
}

/** How many events were kept a second, and the processor time for each, in microseconds. */
export interface Kept {
  readonly perSecond: number;
  readonly cpuMicros: number;
  readonly databaseMicros: number;
  /** The share of a core that the process had. */
  readonly share: number;
}

interface Post {
  readonly hash: string;
  readonly author: number;
  readonly postedAt: number;
}

const TEXT = '@gigclaim claim my rewards';

async function openKeeper({ keeper, url }: KeepOptions): Promise<(post: Post) => Promise<void>> {
  if (keeper === 'insert') {
    const keep = await openBareInsert({ connectionString: url });
    return ({ hash, author, postedAt }) =>
      keep({ hash, text: TEXT, fid: author, username: `user${author}`, timestamp: new Date(postedAt).toISOString() });
  }
  const store = await openStore({ url, migrationsFolder: MIGRATIONS });
  return async ({ hash, author, postedAt }) => {
    const post = { version: 1, platform: 'farcaster', postId: hash, replyTo: hash, threadId: hash } as const;
    const authorOf = { authorId: String(author), authorUsername: `user${author}` };
    const kept = await store.storeMentions([{ ...post, ...authorOf, text: TEXT, postedAt }], {
      source: 'webhook',
      now: postedAt,
    });
    if (kept.length !== 1) throw new Error(`the store kept ${kept.length} mentions of one`);
  };
}

/** The events in a database. @throws Error when they are fewer than were said to be kept */
async function assertStored({ keeper, url }: KeepOptions, least: number): Promise<void> {
  const client = new pg.Client(url);
  await client.connect();
  const { rows } = await client.query(
    `select count(*)::int as n from ${keeper === 'store' ? 'mentions' : 'bare_events'}`,
  );
  await client.end();
  if (rows[0].n < least) throw new Error(`${rows[0].n} of ${least} events are stored`);
}

// The bench itself wrote them.
const options = JSON.parse(process.argv[2] ?? '{}') as KeepOptions;
const keep = await openKeeper(options);
const nextHash = createHashes();
let author = 1_000_000;
let kept = 0;

const warm = Promise.withResolvers<void>();

/** Keeps one post of a new author after the other, for ever. */
async function loop(): Promise<never> {
  for (;;) {
    author += 1;
    await keep({ hash: nextHash(), author, postedAt: Date.now() });
    kept += 1;
    if (kept === options.warmEvents) warm.resolve();
  }
}

function reading() {
  const { user, system } = process.cpuUsage();
  return { at: performance.now(), kept, own: user + system, database: familyCpuMs(options.postgresPid) * 1_000 };
}

const failed = Promise.all(Array.from({ length: options.loops }, loop));
await Promise.race([failed, warm.promise]);
const before = reading();
await Promise.race([failed, wait(options.seconds * 1_000)]);
const after = reading();
await assertStored(options, after.kept);
const events = after.kept - before.kept;
const elapsedMs = after.at - before.at;
const result: Kept = {
  perSecond: (events * 1_000) / elapsedMs,
  cpuMicros: (after.own - before.own) / events,
  databaseMicros: (after.database - before.database) / events,
  share: (after.own - before.own) / (elapsedMs * 1_000),
};
process.stdout.write(JSON.stringify(result));
process.exit();
