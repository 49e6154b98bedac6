import { setTimeout as wait } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { NetworkPost } from '../../../sandbox/networks/network.ts';
import { DAY_MS, dayText, HOUR_MS } from '../../../src/domain/time.ts';
import { answerTo, readReady } from '../../support/clients.ts';
import { runBeside } from '../../support/command.ts';
import { FAST, openWorld, type World } from '../../support/world.ts';

let world: World;
let ahead = 0;
/** How many calls X has refused. */
let refused = 0;
/** When the cap ends: the beginning of a day in UTC. */
let end = 0;

const clock = () => Date.now() + ahead;

beforeEach(async () => {
  ahead = 0;
  refused = 0;
  end = (Math.floor(Date.now() / DAY_MS) + 30) * DAY_MS;
  const look = { chainMs: 1_000, conditionMs: 30 };
  world = await openWorld({ clock, timing: { ...FAST, look }, env: { MENTION_POLL_SECONDS: '1' } });
});

afterEach(() => world.close());

async function restartAt(time: number): Promise<void> {
  await world.stop();
  ahead = time - Date.now();
  await world.start();
}

const queued = () => world.runtime.store.queueDepths().then(({ replies }) => replies.queued);

function ask(name: string): NetworkPost {
  world.x.addUser({ id: String(500_000 + name.length), username: name });
  return world.x.post({ author: name, text: '@gigclaim claims' });
}

/** Reaches the cap while five accounts wait for their answers; of a sixth the answer is never tried. */
async function reachCap(): Promise<NetworkPost[]> {
  world.x.manners.cap = () => {
    refused += 1;
    return new Date(end).toISOString().slice(0, 10);
  };
  const posts = ['a', 'bb', 'ccc', 'dddd', 'eeeee'].map(ask);
  await expect.poll(pause).not.toBeNull();
  posts.push(ask('ffffff'));
  await expect.poll(queued).toBe(6);
  return posts;
}

async function pause() {
  return (await readReady(world)).reasons.find(({ kind }) => kind === 'platform_paused') ?? null;
}

async function allAnswered(posts: readonly NetworkPost[]): Promise<void> {
  for (const post of posts) await answerTo(world.x, post);
  expect(posts.map((post) => world.x.repliesTo(post.id).length)).toEqual([1, 1, 1, 1, 1, 1]);
}

test('security: replies wait for the end of a spending cap through a month and restarts, and X is not asked', async () => {
  const posts = await reachCap();
  const text = `X is paused: a spending or usage cap is reached; nothing is sent or asked before ${dayText(end)}, 00:00 UTC`;
  const remedy = expect.stringContaining('npm run admin -- platform resume x');
  expect(await pause()).toMatchObject({ text, remedy });
  const doctor = await runBeside(world, { args: ['doctor', '--json'], clock });
  expect(JSON.parse(doctor.out)).toMatchObject({
    checks: expect.arrayContaining([expect.objectContaining({ name: 'x pause', ok: false, detail: text })]),
  });
  await world.stop();
  refused = 0;
  for (const time of [Date.now() + 25 * HOUR_MS, end - HOUR_MS]) {
    await restartAt(time);
    expect(await pause()).toMatchObject({ text });
    // Longer than two polls, and than the senders wait between two looks.
    await wait(2_500);
    expect([await queued(), refused]).toEqual([6, 0]);
  }
  world.x.manners.cap = () => null;
  await restartAt(end + 1_000);
  await allAnswered(posts);
  expect(await pause()).toBeNull();
});

test('behavior: an operator who raised the cap ends the pause by a command', async () => {
  const posts = await reachCap();
  const resume = () => runBeside(world, { args: ['platform', 'resume', 'x'], clock });
  world.x.manners.cap = () => null;
  await world.stop();
  // Two days later, what waits is not too old for that.
  ahead = 2 * DAY_MS;
  expect(await resume()).toMatchObject({ code: 0, out: expect.stringContaining('sends what waits') });
  expect(await resume()).toMatchObject({ code: 1, err: expect.stringContaining('No cap pauses X. Run doctor') });
  await world.start();
  await allAnswered(posts);
});
