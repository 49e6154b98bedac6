import { afterEach, describe, expect, test } from 'vitest';
import type { NetworkPost } from '../../../sandbox/networks/network.ts';
import { ask, readReady } from '../../support/clients.ts';
import { runBeside } from '../../support/command.ts';
import { FAST, openWorld, type World } from '../../support/world.ts';

const PATIENCE_MS = 30_000;
const MINUTE = 60_000;
const STEP_MS = 15_000;
const NOT_ENGAGED =
  'Reply to this conversation is not allowed because you have not been mentioned or otherwise engaged by the author of the post you are replying to.';

let world: World;
let ahead = 0;

afterEach(() => world.close());

/** A service whose clock can be set forward by hours while its replies are on their way: each lease outlasts them. */
async function open(): Promise<void> {
  ahead = 0;
  const send = { ...FAST.send, leaseMs: 240 * MINUTE };
  const look = { chainMs: 1_000, conditionMs: 30 };
  world = await openWorld({ clock: () => Date.now() + ahead, timing: { ...FAST, send, look } });
}

/** So many accounts on X, each with a post of its own that asks the bot something. */
function postsOfCrowd(size: number): NetworkPost[] {
  return Array.from({ length: size }, (_, i) => {
    const username = `crowd${i}`;
    world.x.addUser({ id: String(500_000 + i), username });
    return world.x.post({ author: username, text: '@gigclaim claims' });
  });
}

const answered = (posts: readonly NetworkPost[]) =>
  posts.filter((post) => world.x.repliesTo(post.id).length > 0).length;

const replies = (state: 'queued' | 'sent' | 'failed') =>
  world.runtime.store.queueDepths().then(({ replies: depths }) => depths[state]);

/** Lets the service's time pass until these are answered; the time that it took. */
async function timeUntilAnswered(posts: readonly NetworkPost[]): Promise<number> {
  const begun = ahead;
  const pass = () => {
    if (answered(posts) < posts.length) ahead += STEP_MS;
    return answered(posts);
  };
  // Between two steps each sender looks for work.
  await expect.poll(pass, { interval: 1_200, timeout: 2 * PATIENCE_MS }).toBe(posts.length);
  return ahead - begun;
}

async function pauseOfX() {
  return (await readReady(world)).platforms.find(({ platform }) => platform === 'twitter')?.paused ?? null;
}

describe('posts that X does not let the bot answer', () => {
  test('security: of thirty accounts silence nobody else for more than five minutes', async () => {
    await open();
    const hostile = new Set(Array.from({ length: 30 }, (_, i) => `crowd${i}`));
    world.x.manners.refusal = (to) => (hostile.has(to.author.username) ? NOT_ENGAGED : null);
    const refused = postsOfCrowd(30);
    await expect.poll(() => pauseOfX()).not.toBeNull();
    const asked = ['alice', 'bob'].map((author) => world.x.post({ author, text: '@gigclaim claims' }));
    await expect.poll(() => replies('queued')).toBeGreaterThanOrEqual(2);
    expect(await timeUntilAnswered(asked)).toBeLessThanOrEqual(5 * MINUTE);
    expect(answered(refused)).toBe(0);
    await expect.poll(pauseOfX).toBeNull();
  });

  test('security: delay an account that was answered before by one pause alone', async () => {
    await open();
    await ask(world.x, 'alice', 'help');
    world.x.manners.refusal = (to) => (to.author.username.startsWith('crowd') ? NOT_ENGAGED : null);
    postsOfCrowd(30);
    await expect.poll(() => pauseOfX()).not.toBeNull();
    const asked = world.x.post({ author: 'alice', text: '@gigclaim claims' });
    await expect.poll(() => replies('queued')).toBe(31);
    expect(await timeUntilAnswered([asked])).toBeLessThanOrEqual(MINUTE);
  });

  test('behavior: are given up once others were answered since, and block none of their authors’ others', async () => {
    await open();
    const refused = world.x.post({ author: 'mallory', text: '@gigclaim claims' });
    world.x.manners.refusal = (to) => (to.id === refused.id ? NOT_ENGAGED : null);
    await expect
      .poll(async () => (await world.runtime.store.replyTo(1))?.lastError ?? '')
      .toContain('not been mentioned');
    expect(await world.runtime.store.replyTo(1)).toMatchObject({ state: 'queued' });
    const others = ['alice', 'mallory'].map((author) => world.x.post({ author, text: '@gigclaim claims' }));
    await timeUntilAnswered(others);
    ahead += MINUTE;
    await expect.poll(() => replies('failed')).toBe(1);
    expect(await world.runtime.store.replyTo(1)).toMatchObject({ state: 'failed', attempts: 2 });
  });
});

describe('a refusal of the whole account', () => {
  test.each([
    'This request looks like it might be automated. To protect our users from spam, we can’t complete this action right now. Please try again later.',
    'You are over daily status update limit.',
    'The moon is in the wrong house.\u202E\u0007',
  ])('error: “%s” keeps every reply and pauses; readiness, alerts and the doctor name X’s words', async (words) => {
    await open();
    world.x.manners.refusal = () => words;
    const posts = postsOfCrowd(8);
    const text = `X is paused: replies to several accounts in a row are refused: X answered 403 to “post a reply”: ${words.replaceAll(/[\p{Cc}\p{Cf}]/gu, '�')}`;
    const alertsOfX = async () =>
      (await world.runtime.store.openAlerts()).filter(({ subject }) => subject === 'x').map((alert) => alert.text);
    await expect.poll(alertsOfX).toEqual([text]);
    expect(await readReady(world)).toMatchObject({
      status: 'degraded',
      reasons: expect.arrayContaining([expect.objectContaining({ kind: 'platform_paused', subject: 'x', text })]),
    });
    const doctor = await runBeside(world, { args: ['doctor', '--json'], clock: () => Date.now() + ahead });
    expect(JSON.parse(doctor.out)).toMatchObject({
      checks: expect.arrayContaining([expect.objectContaining({ name: 'x pause', ok: false, detail: text })]),
    });
    // Two hours in which X refuses everything.
    for (let minutes = 0; minutes < 120; minutes += 5) {
      ahead += 5 * MINUTE;
      await expect.poll(() => replies('queued')).toBe(8);
    }
    expect(await replies('failed')).toBe(0);
    world.x.manners.refusal = () => null;
    await timeUntilAnswered(posts);
    await expect.poll(() => replies('sent')).toBe(8);
    expect(posts.map((post) => world.x.repliesTo(post.id).length)).toEqual(Array.from({ length: 8 }, () => 1));
    expect(await pauseOfX()).toBeNull();
  });
});
