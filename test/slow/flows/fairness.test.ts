import { afterEach, describe, expect, test } from 'vitest';
import { answerTo, ask, readReady } from '../../support/clients.ts';
import { sampleMention } from '../../support/store.ts';
import { openWorld, type World } from '../../support/world.ts';

/** More than all lanes of a platform together. */
const CROWD = 30;

let world: World;

afterEach(() => world.close());

/** So many people on a network who have nothing else to do. */
function addCrowd(network: World['x'] | World['farcaster'], size: number): string[] {
  return Array.from({ length: size }, (_, i) => {
    const username = `crowd${i}`;
    network.addUser({ id: String(500_000 + i), username });
    return username;
  });
}

/** Why and until when a platform is paused; null when it is not. */
async function pauseOf(platform: 'farcaster' | 'twitter') {
  return (await readReady(world)).platforms.find((each) => each.platform === platform)?.paused ?? null;
}

/** Waits until a platform is paused for this reason. */
async function untilPaused(platform: 'farcaster' | 'twitter', reason: string): Promise<void> {
  const told = async () => (await pauseOf(platform))?.reason ?? '';
  await expect.poll(told).toContain(reason);
}

const replies = (state: 'queued' | 'sent') =>
  world.runtime.store.queueDepths().then(({ replies: depths }) => depths[state]);

describe('a network that does not answer', () => {
  test('behavior: Farcaster’s keeps no mention and no reply on X waiting', async () => {
    world = await openWorld();
    const crowd = addCrowd(world.farcaster, CROWD);
    Object.assign(world.farcaster.faults, { api: 'hang', remaining: null, route: 'any' });
    // Each asks Farcaster for a verified address.
    for (const author of crowd) world.farcaster.post({ author, text: '@gigclaim claim my rewards' });
    await world.farcaster.settled();
    await expect.poll(async () => (await world.runtime.store.mentions({ limit: 100 })).length).toBe(CROWD);
    for (const author of ['alice', 'bob', 'carol']) await ask(world.x, author, 'claims');
    // They were answered before any of the calls to Farcaster came to its deadline.
    const mentions = await world.runtime.store.mentions({ limit: 100 });
    const waiting = mentions.filter(({ platform }) => platform === 'farcaster');
    expect(waiting.filter(({ lastError }) => lastError !== null)).toEqual([]);
    expect(waiting.filter(({ attempts }) => attempts > 0).length).toBeGreaterThan(0);
  });

  test('behavior: X’s keeps no mention and no reply on Farcaster waiting', async () => {
    world = await openWorld();
    const crowd = addCrowd(world.x, CROWD);
    Object.assign(world.x.faults, { api: 'hang', remaining: null, route: 'any' });
    for (const author of crowd) world.x.post({ author, text: '@gigclaim claims' });
    await world.x.settled();
    await expect.poll(() => replies('queued')).toBeGreaterThan(0);
    for (const text of ['claims', 'claim my rewards']) await ask(world.farcaster, 'alice', text);
    const onX = (await world.runtime.store.replies({ limit: 100 })).filter(({ platform }) => platform === 'twitter');
    expect(onX.filter(({ lastError }) => lastError !== null)).toEqual([]);
  });

  test('behavior: is left alone after some deadlines, is told of so at once, and is tried by one call', async () => {
    let ahead = 0;
    world = await openWorld({ clock: () => Date.now() + ahead });
    const { farcaster } = world;
    // More calls than can be made, so that each is counted.
    Object.assign(farcaster.faults, { api: 'hang', remaining: 1_000, route: 'any' });
    const posts = addCrowd(farcaster, CROWD).map((author) =>
      farcaster.post({ author, text: '@gigclaim claim my rewards' }),
    );
    await untilPaused('farcaster', 'no answer to several calls in a row');
    expect(await (await fetch(`${world.url}/metrics`)).text()).toContain(
      'gigclaim_platform_paused{platform="farcaster"} 1',
    );
    expect(await pauseOf('twitter')).toBeNull();
    const called = farcaster.faults.remaining;
    // A claim over HTTP waits for no deadline, and that by X's URL is none of Farcaster's.
    const claim = (url: string) => fetch(`${world.url}/api/claim`, { method: 'POST', body: JSON.stringify({ url }) });
    const refused = await claim(`https://farcaster.xyz/alice/${posts[0]?.id}`);
    expect(refused.status).toBe(503);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    expect((await claim('https://x.com/alice/status/123')).status).toBe(404);
    expect(farcaster.faults.remaining).toBe(called);
    // After the pause one call tries, finds no answer, and the pause begins again.
    const until = async () => (await pauseOf('farcaster'))?.until ?? '';
    const before = await until();
    ahead += 15_000;
    await expect.poll(until).not.toBe(before);
    expect(farcaster.faults.remaining).toBe((called ?? 0) - 1);
    // Once it answers, everything that waited is answered, once.
    farcaster.faults.api = 'none';
    ahead += 60_000;
    for (const post of posts) {
      await answerTo(farcaster, post);
      expect(farcaster.repliesTo(post.id).map(({ text }) => text)).toEqual([
        expect.stringContaining('You have no verified Ethereum address'),
      ]);
    }
    expect(await pauseOf('farcaster')).toBeNull();
  });
});

describe('refusals on X', () => {
  /** A mention that X does not let the bot answer, because the post behind it does not name the bot. */
  async function refusedMention(author: string, thread: { id: string; threadId: string } | null): Promise<void> {
    const post = world.x.post({
      author,
      text: 'nothing to do with it',
      ...(thread === null ? {} : { replyTo: thread.id }),
    });
    const { id: postId, threadId, createdAt: now } = post;
    const by = { authorId: post.author.id, authorUsername: author };
    const mention = sampleMention({ platform: 'twitter', postId, threadId, ...by, postedAt: now });
    await world.runtime.store.transaction((tx) => tx.insertMention(mention, { now, source: 'webhook' }));
  }

  const refused = async () =>
    (await world.runtime.store.replies({ limit: 100 })).filter(({ lastError }) => lastError?.startsWith('not_engaged:'))
      .length;

  test('behavior: five 403s in one person’s thread pause nothing', async () => {
    world = await openWorld();
    const thread = world.x.post({ author: 'mallory', text: 'reply to me' });
    for (const author of addCrowd(world.x, 5)) await refusedMention(author, thread);
    await expect.poll(refused).toBe(5);
    expect(await pauseOf('twitter')).toBeNull();
    await ask(world.x, 'alice', 'claims');
  });

  test('behavior: five 403s about one person’s posts pause nothing', async () => {
    world = await openWorld();
    for (let count = 0; count < 5; count += 1) await refusedMention('mallory', null);
    await expect.poll(refused).toBe(5);
    expect(await pauseOf('twitter')).toBeNull();
  });

  test('behavior: a run of them over as many authors in as many threads does', async () => {
    world = await openWorld();
    for (const author of addCrowd(world.x, 5)) await refusedMention(author, null);
    await untilPaused('twitter', 'replies to several accounts in a row are refused: X answered 403');
  });
});

describe('the replies that X takes', () => {
  test('behavior: 160 posts that say “gm” leave half of them to those who ask for something, also after a restart', async () => {
    world = await openWorld({ env: { X_REPLY_BUDGET: '100/15m,300/3h' } });
    for (const author of addCrowd(world.x, 160)) world.x.post({ author, text: '@gigclaim gm' });
    await expect.poll(() => replies('sent')).toBe(50);
    await expect.poll(() => replies('queued')).toBe(110);
    await world.stop();
    await world.start();
    for (const [author, text] of [
      ['alice', 'claims'],
      ['bob', 'start gig 7'],
      ['carol', 'help'],
      ['mallory', 'claim my rewards 0x00000000000000000000000000000000000000aa'],
    ] as const)
      await ask(world.x, author, text);
    await expect.poll(() => replies('sent')).toBe(54);
    expect(await replies('queued')).toBe(110);
  });
});
