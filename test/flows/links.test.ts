import { afterEach, expect, test } from 'vitest';
import type { SocialNetwork } from '../../sandbox/networks/network.ts';
import { person } from '../../sandbox/people.ts';
import { freshAddress } from '../support/anvil.ts';
import { runBeside } from '../support/command.ts';
import { openWorld, type World } from '../support/world.ts';
import { answerTo } from './posts.ts';

/** On PostgreSQL the instance before a restart counts as living for a while, and may be the one that looks. */
const LOOKED_MS = 60_000;
const MINUTE_MS = 60_000;
const WALLET = freshAddress();

let world: World;
let ahead = 0;
const clock = () => Date.now() + ahead;
afterEach(() => world.close());

async function open(signIn: string): Promise<readonly SocialNetwork[]> {
  ahead = 0;
  world = await openWorld({ clock, env: { SIGN_IN: signIn } });
  return [world.farcaster, world.x];
}

/** What the bot says to a post. */
async function said(network: SocialNetwork, text: string, author = 'alice', more = {}) {
  const post = network.post({ author, text, ...more });
  return { post, reply: await answerTo(network, post) };
}

/** The platforms of the accounts that the wallet may sign in for. */
async function linked(): Promise<string[]> {
  const accounts = await world.runtime.store.accountsLinkedTo(WALLET, clock());
  return accounts.map(({ platform }) => platform).toSorted();
}

/** Moves the clock on, and has every job run: each does when the service starts. */
async function later(ms: number): Promise<void> {
  ahead += ms;
  await world.stop();
  await world.start();
}

/** Waits until no link waits for its look. */
async function checked(): Promise<void> {
  const waiting = async () => await world.runtime.store.linksToCheck({ since: 0, sentBefore: clock() });
  await expect.poll(async () => (await waiting()).length, { timeout: LOOKED_MS }).toBe(0);
}

test('behavior: a post on either network links its author’s wallet ten minutes after the reply, until unlink', async () => {
  for (const network of await open('farcaster,wallet')) {
    const { post, reply } = await said(network, `@gigclaim link ${WALLET}`);
    expect(reply.toLowerCase()).toContain(`linked your account to ${WALLET}.`);
    expect(reply).toContain('To end all your links at once, mention me with "unlink".');
    // One post is one link, however often it is delivered.
    await network.redeliver(post.id, 3);
  }
  await later(9 * MINUTE_MS);
  expect(await linked()).toEqual([]);
  await later(MINUTE_MS + 1);
  await checked();
  expect(await linked()).toEqual(['farcaster', 'twitter']);
  for (const network of [world.farcaster, world.x]) {
    expect((await said(network, '@gigclaim unlink')).reply).toContain('All your links have ended.');
  }
  expect(await linked()).toEqual([]);
  const { out } = await runBeside(world, { args: ['audit', 'list', '--json'], clock });
  const actions: { action: string; subject_id: string }[] = JSON.parse(out);
  const ofAlice = (id: string) => actions.flatMap((each) => (each.subject_id === id ? each.action : []));
  for (const id of ['farcaster:1001', `twitter:${person('alice').xUserId}`]) {
    expect(ofAlice(id)).toEqual(['account.unlink', 'account.link_valid', 'account.link']);
  }
});

test('security: a post that its author deletes links nothing, nor does one that quotes a link', async () => {
  const [farcaster] = await open('wallet');
  if (farcaster === undefined) throw new Error('there is no network');
  const { post } = await said(world.farcaster, `@gigclaim link ${WALLET}`);
  const quote = await said(world.farcaster, '@gigclaim', 'bob', { quotes: post.id });
  expect(quote.reply).toContain('You have no claimable tokens');
  const inWords = await said(world.x, `@gigclaim he says "@gigclaim link ${WALLET}"`, 'bob');
  expect(inWords.reply).toMatch(/^Mention me with: /);
  world.farcaster.act({ kind: 'delete', who: 'alice', post: post.id });
  await later(10 * MINUTE_MS + 1);
  await checked();
  expect(await linked()).toEqual([]);
  expect(await world.runtime.store.linkOf({ platform: 'farcaster', platformUserId: '1001' })).toBeNull();
});

test('security: without wallets to sign in with, a link is no command and the help does not name it', async () => {
  for (const network of await open('farcaster')) {
    const { reply } = await said(network, `@gigclaim link ${WALLET}`);
    expect(reply).toMatch(/^Mention me with: /);
    expect(reply).not.toContain('link');
  }
  await later(10 * MINUTE_MS + 1);
  expect(await linked()).toEqual([]);
  expect(await world.runtime.store.linkOf({ platform: 'farcaster', platformUserId: '1001' })).toBeNull();
});
