import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { SocialNetwork } from '../../sandbox/networks/network.ts';
import { MNEMONIC, NETWORK_CREDENTIALS, person } from '../../sandbox/people.ts';
import { createWallets } from '../../src/chain/wallets.ts';
import { secretsOf } from '../../src/config.ts';
import { fundToken } from '../support/anvil.ts';
import { seedGig, seedTips } from '../support/store.ts';
import { openWorld, type World } from '../support/world.ts';
import { answerTo, ask, seedUsdc } from './posts.ts';

const ALICE = { platform: 'farcaster', platformUserId: '1001' } as const;
const BOB_ON_X = { platform: 'twitter', platformUserId: person('bob').xUserId } as const;

let world: World;

beforeEach(async () => {
  world = await openWorld();
});
afterEach(() => world.close());

/** A gig of 100 tokens and a fee of 5 on the local chain, its wallet derived as in production. */
async function createGig(terms: { owner?: typeof ALICE | typeof BOB_ON_X; funded?: bigint } = {}) {
  const { store } = world.runtime;
  const { token, tokenId } = await seedUsdc(store);
  const gig = await seedGig(store, {
    tokenId,
    rewardAmount: 100_000_000n,
    feeAmount: 5_000_000n,
    startTime: Date.now() - 60_000,
    owners: terms.owner === undefined ? [] : [terms.owner],
    walletAddress: createWallets(MNEMONIC).gigAddress,
  });
  if (terms.funded !== undefined) await fundToken(token, gig.walletAddress, terms.funded);
  return gig;
}

function botPosts(network: SocialNetwork) {
  return network.posts().filter(({ author }) => author.username === 'gigclaim');
}

describe('a mention on either network', () => {
  test('behavior: is answered with what its author can claim', async () => {
    const gig = await createGig();
    const { store } = world.runtime;
    await store.transaction((tx) => tx.setUsername({ ...ALICE, username: 'alice' }, Date.now()));
    await seedTips(store, gig, [
      { ...ALICE, amount: 12_500_000n },
      { ...ALICE, amount: 1n },
    ]);
    const answers = await Promise.all([
      ask(world.farcaster, 'alice', '@gigclaim claims'),
      ask(world.x, 'bob', '@gigclaim claims'),
    ]);
    expect(answers[0]).toBe('Your claimable tokens: 12.500001 USDC (2 tips, 1 gig)');
    expect(answers[1]).toMatch(/^You have no claimable tokens at the moment\. \[[0-9a-z]{6}\]$/);
  });

  test('behavior: delivered 100 times more, is one mention and one reply', async () => {
    for (const network of [world.farcaster, world.x]) {
      const post = network.post({ author: 'alice', text: '@gigclaim claims' });
      await answerTo(network, post);
      const statuses = await network.redeliver(post.id, 100);
      expect(statuses.filter((status) => status !== 200)).toEqual([]);
      expect(statuses.length).toBeGreaterThanOrEqual(100);
      await world.stop();
      await world.start();
      await ask(network, 'carol', '@gigclaim help');
      expect(network.repliesTo(post.id)).toHaveLength(1);
    }
    expect(await world.runtime.store.mentions({ limit: 100 })).toHaveLength(4);
  });

  test('behavior: can be followed through the log from the webhook to the reply', async () => {
    const cast = world.farcaster.post({ author: 'alice', text: '@gigclaim help' });
    await answerTo(world.farcaster, cast);
    await world.stop();
    const lines = world.lines.map((line) => JSON.parse(line));
    const stored = lines.find(({ msg }) => msg === 'mention stored');
    expect(stored).toMatchObject({ mentionId: 1, platform: 'farcaster', postId: cast.id, source: 'webhook' });
    expect(stored.requestId).toMatch(/^[0-9a-f-]{36}$/);
    expect(lines).toContainEqual(expect.objectContaining({ requestId: stored.requestId, path: '/webhooks/farcaster' }));
    expect(lines).toContainEqual(expect.objectContaining({ mentionId: 1, command: 'help', msg: 'mention concluded' }));
    expect(lines).toContainEqual(expect.objectContaining({ mentionId: 1, replyId: 1, msg: 'reply sent' }));
  });
});

test('behavior: what the webhooks missed while the service was down is answered after its start, once', async () => {
  await world.close();
  world = await openWorld({ env: { MENTION_POLL_SECONDS: '1' } });
  await ask(world.farcaster, 'alice', '@gigclaim help');
  await world.stop();
  const cast = world.farcaster.post({ author: 'alice', text: '@gigclaim claims' });
  const post = world.x.post({ author: 'bob', text: '@gigclaim claims' });
  await Promise.all([world.farcaster.settled(), world.x.settled()]);
  await world.start();
  expect(await answerTo(world.farcaster, cast)).not.toBe('');
  expect(await answerTo(world.x, post)).not.toBe('');
  expect(botPosts(world.farcaster)).toHaveLength(2);
  expect(botPosts(world.x)).toHaveLength(1);
  expect((await world.runtime.store.mentionByPost('twitter', post.id))?.source).toBe('poll');
});

describe('starting a gig', () => {
  test('behavior: its owner starts it from X, and a second time is told that it is live', async () => {
    const gig = await createGig({ owner: BOB_ON_X, funded: 105_000_000n });
    expect(await ask(world.x, 'bob', `@gigclaim start gig #${gig.id}`)).toMatch(/^Gig 1 is live until [0-9]/);
    expect(await ask(world.x, 'bob', `@gigclaim start ${gig.id}`)).toMatch(/^Gig 1 is already live\. /);
    expect(await world.runtime.store.gigTransactions(gig.id)).toHaveLength(1);
  });

  test('error: an unfunded start is refused with the six details in words', async () => {
    const gig = await createGig({ owner: ALICE, funded: 5_000_000n });
    const text = await ask(world.farcaster, 'alice', `@gigclaim start gig ${gig.id}`);
    expect(text).toContain('needs exactly 105 USDC and holds 5');
    expect(text).toContain('on anvil (chain id 31337)');
    expect(text.toLowerCase()).toContain(gig.token.address);
    expect(text.toLowerCase()).toContain(gig.walletAddress);
    expect((await world.runtime.store.gig(gig.id))?.status).toBe('created');
  });

  test('security: neither a stranger nor a stranger with the old handle of an owner can', async () => {
    const gig = await createGig({ owner: ALICE, funded: 105_000_000n });
    await world.runtime.store.transaction((tx) => tx.setUsername({ ...ALICE, username: 'carol' }, Date.now()));
    for (const author of ['mallory', 'carol']) {
      const reply = await ask(world.farcaster, author, `@gigclaim start gig ${gig.id}`);
      expect(reply).toBe('Only an owner of gig 1 can start it.');
    }
    expect((await world.runtime.store.gig(gig.id))?.status).toBe('created');
  });
});

test('security: a full run leaves none of the configured secrets in the log', async () => {
  world.farcaster.faults.api = 'unauthorized';
  world.farcaster.faults.remaining = 1;
  world.x.faults.api = 'server_error';
  world.x.faults.remaining = 1;
  await Promise.all([ask(world.farcaster, 'alice', '@gigclaim claims'), ask(world.x, 'bob', '@gigclaim help')]);
  await fetch(`${world.url}/api/claim?identifiers=1001&key=${NETWORK_CREDENTIALS.twitter.appSecret}`);
  const headers = { 'x-api-key': 'gck_presented-by-a-client' };
  await fetch(`${world.url}/api/gigs/start`, { method: 'POST', headers });
  await world.stop();
  const log = world.lines.join('');
  expect(log).toContain('reply not sent yet');
  const secrets = [...secretsOf(world.config), 'gck_presented-by-a-client'];
  expect(secrets.length).toBeGreaterThanOrEqual(9);
  for (const secret of secrets) expect(log.includes(secret), 'a secret in the log').toBe(false);
});
