import { setTimeout } from 'node:timers/promises';
import SqliteDatabase from 'better-sqlite3';
import type { NewTip } from '../../src/domain/gigs/tip.ts';
import { openStore } from '../../src/store/open.ts';
import { openSqliteStore } from '../../src/store/sqlite/store.ts';
import { MIGRATIONS, sampleMention } from './store.ts';

// A process of its own that works on the store at argv[3], says on stdout when it is done, and stays until it is killed.

async function open(path: string) {
  return await openStore({ url: path, migrationsFolder: MIGRATIONS });
}

const AWARDED = { platform: 'farcaster', platformUserId: '7' } as const;

/** A tip of a gig, in the first token. */
function tipOf(gigId: number): NewTip {
  return { ...AWARDED, gigId, tokenId: 1, amount: 1n, userAddress: null };
}

const WORK: Record<string, (path: string) => Promise<void>> = {
  /** Stores mentions, saying of each that it is stored. */
  async write(path) {
    const store = await open(path);
    const posts = Array.from({ length: 20 }, (_, i) => `post-${i}`);
    const write = (postId: string) =>
      store.transaction((tx) => tx.insertMention(sampleMention({ postId }), { now: 1, source: 'webhook' }));
    await Promise.all(posts.map((postId) => write(postId).then(() => console.log(`stored ${postId}`))));
    // One more, whose promise never settles before the kill.
    await store.transaction(async (tx) => {
      await tx.insertMention(sampleMention({ postId: 'unfinished' }), { now: 1, source: 'webhook' });
      console.log('done');
      process.kill(process.pid, 'SIGKILL');
    });
  },

  /** Stores a mention, saying that it is told, and others while the disk fails. */
  async failSync(path) {
    let isBroken = false;
    async function sync(): Promise<void> {
      if (isBroken) throw new Error('EIO: i/o error, fdatasync');
    }
    const store = await openSqliteStore({ path, migrationsFolder: MIGRATIONS, sync });
    async function write(postId: string): Promise<void> {
      await store.transaction((tx) => tx.insertMention(sampleMention({ postId }), { now: 1, source: 'webhook' }));
      console.log(`stored ${postId}`);
    }
    await write('kept');
    isBroken = true;
    await Promise.allSettled([write('lost'), write('lost as well'), store.transaction((tx) => tx.mention(1))]);
    console.log('done');
  },

  /** Begins a reply to a mention, and waits with the note that it is sent for a commit that never comes. */
  async noteReply(path) {
    const store = await open(path);
    await store.begin();
    await store.transaction(async (tx) => {
      const mentionId = await tx.insertMention(sampleMention(), { now: 1, source: 'webhook' });
      const reply = { mentionId: mentionId ?? 0, kind: 'answer', text: 'hello' } as const;
      await tx.beginReply(reply, { lease: 'child', now: 1, until: 60_000 });
    });
    const sent = { lease: 'child', postId: 'a-post', now: 2 };
    const noted = store.transaction((tx) => tx.markSent(1, sent), { narrow: true, patienceMs: 2 ** 31 - 1 });
    void noted.then(() => console.log('noted'));
    await setTimeout(50);
    console.log('done');
  },

  /** Serves the store and holds a mention for a very long time. */
  async serve(path) {
    const store = await open(path);
    await store.begin();
    await store.transaction((tx) => tx.leaseMention({ platforms: ['farcaster'], lease: 'child', now: 1, until: 1e15 }));
    console.log('done');
  },

  /** Awards a hundred tips of gig 1, one after the other once another process awards them too, saying their numbers. */
  async award(path) {
    const store = await open(path);
    for (let given = 0; given < 100; given++) {
      const [tip] = await store.transaction((tx) => tx.insertTips([tipOf(1)], 1));
      console.log(String(tip?.number));
      while ((await store.pendingTips([AWARDED])).tips.length === 1) await setTimeout(1);
    }
    console.log('done');
  },

  /** Awards two tips of gig 1, saying their numbers, and is killed before the second is committed. */
  async awardHalf(path) {
    const store = await open(path);
    const [first] = await store.transaction((tx) => tx.insertTips([tipOf(1)], 1));
    console.log(String(first?.number));
    await store.transaction(async (tx) => {
      const [second] = await tx.insertTips([tipOf(1)], 1);
      console.log(String(second?.number));
      console.log('done');
      process.kill(process.pid, 'SIGKILL');
    });
  },

  /** Holds SQLite's write lock for a while, as another program would. */
  async block(path) {
    const connection = new SqliteDatabase(path);
    connection.exec('begin immediate');
    console.log('done');
    await setTimeout(300);
    connection.exec('commit');
  },
};

const [, , name = '', path = ''] = process.argv;
const work = WORK[name];
if (work === undefined) throw new Error(`there is no work called ${name}`);
await work(path);
await setTimeout(60_000);
