import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createTwitterNetwork } from '../../../../sandbox/networks/twitter.ts';
import { NETWORK_CREDENTIALS } from '../../../../sandbox/people.ts';
import type { Platform } from '../../../../src/domain/account.ts';
import type { SocialPlatform } from '../../../../src/domain/mentions/mention.ts';
import { createXPlatform } from '../../../../src/platforms/x/adapter.ts';
import { createPlatformBreaker } from '../../../../src/services/mentions/platform-breaker.ts';
import { sendNextReply } from '../../../../src/services/mentions/send-replies.ts';
import { keepLog } from '../../../services/fakes.ts';
import { openTestStore } from '../../../support/database.ts';
import { listen } from '../../../support/listen.ts';
import { sampleMention } from '../../../support/store.ts';

const CHILD = fileURLToPath(new URL('../../../support/send-child.ts', import.meta.url));
const LEASE_MS = 1_500;
const ALICE = '1700000000000001001';

/** Stands before X and counts the posts that reach it. */
async function countPosts(url: string) {
  let posts = 0;
  const server = createServer((incoming, outgoing) => {
    if (incoming.method === 'POST') posts += 1;
    const { method, headers } = incoming;
    const onwards = request(`${url}${incoming.url}`, { method, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 500, answer.headers);
      answer.pipe(outgoing);
    });
    incoming.pipe(onwards);
  });
  return { ...(await listen(server)), posts: () => posts };
}

async function createScene() {
  const { store, database, close } = await openTestStore();
  const x = createTwitterNetwork(NETWORK_CREDENTIALS.twitter);
  x.addUser({ id: ALICE, username: 'alice' });
  const counter = await countPosts(await x.start());
  const { id: postId, createdAt } = x.post({ author: 'alice', text: '@gigclaim help' });
  const mention = sampleMention({ platform: 'twitter', postId, replyTo: postId, threadId: postId, authorId: ALICE });
  const replyId = await store.transaction(async (tx) => {
    const mentionId = await tx.insertMention({ ...mention, postedAt: createdAt }, { now: 1, source: 'webhook' });
    return await tx.queueReply({ mentionId: mentionId ?? 0, kind: 'answer', text: 'the commands' }, 1);
  });
  const clock = Date.now;
  const twitter = await createXPlatform({ ...NETWORK_CREDENTIALS.twitter, baseUrl: counter.url, clock });
  const { log } = keepLog();
  const health = createPlatformBreaker({ platforms: ['twitter'], clock, log });
  let ids = 0;
  const sending = {
    store,
    platforms: new Map<Platform, SocialPlatform>([['twitter', twitter]]),
    limits: { perAuthor: 10, perThread: 5 },
    health,
    startedAt: 0,
    clock,
    newId: () => `other-${++ids}`,
    log,
    timing: { leaseMs: LEASE_MS, settleMs: 100, backoffMs: 20, noteMs: 0 },
  };
  return {
    store,
    x,
    counter,
    postId,
    replyId,
    /** What another worker does meanwhile. */
    sendNext: () => sendNextReply(sending, 'twitter'),
    /** A worker of its own, in a process that stops itself at this point. */
    startChild: (point: string) =>
      spawn(process.execPath, [CHILD, database.url, counter.url, String(LEASE_MS), point], {
        stdio: ['ignore', 'pipe', 'inherit'],
      }),
    async close() {
      await counter.close();
      await x.stop();
      await close();
    },
  };
}

/** The state of a process, as Linux has it: `T` is stopped. */
function stateOf(pid: number | undefined): string {
  return readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.[0] ?? '';
}

let scene: Awaited<ReturnType<typeof createScene>>;
beforeEach(async () => {
  scene = await createScene();
});
afterEach(() => scene.close());

test.each(['before the call', 'while it connects'])(
  'security: a process that is stopped past its lease, %s, sends no second post to X',
  async (point) => {
    const child = scene.startChild(point);
    const ended = once(child, 'exit');
    const said = text(child.stdout);
    await expect.poll(() => stateOf(child.pid)).toBe('T');
    expect(await scene.store.reply(scene.replyId)).toMatchObject({ state: 'sending', attempts: 1 });
    // Another worker waits for the lease to end, looks for the reply, and sends it.
    const send = async () => {
      await scene.sendNext();
      return (await scene.store.reply(scene.replyId))?.state;
    };
    await expect.poll(send).toBe('sent');
    expect(scene.counter.posts()).toBe(1);
    child.kill('SIGCONT');
    expect(await ended).toEqual([0, null]);
    expect(await said).toContain('the deadline had passed');
    expect(scene.counter.posts()).toBe(1);
    expect(scene.x.repliesTo(scene.postId)).toHaveLength(1);
    expect(await scene.store.reply(scene.replyId)).toMatchObject({ state: 'sent', attempts: 2 });
  },
);
