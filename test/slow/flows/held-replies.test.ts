import { afterEach, beforeEach, expect, test } from 'vitest';
import { person } from '../../../sandbox/people.ts';
import type { Gig } from '../../../src/domain/gigs/gig.ts';
import { answerTo, ask } from '../../support/clients.ts';
import { sampleAccount } from '../../support/earning.ts';
import { deployOdd, type OddToken, setting } from '../../support/odd-tokens.ts';
import { openPayingWorld, seedFundedGig } from '../../support/paying-world.ts';
import { seedTips } from '../../support/store.ts';
import type { World } from '../../support/world.ts';

let world: World;
let token: OddToken;
/** A live gig in the odd token with a tip of one for alice. */
let gig: Gig;
/** How far the service's clock is ahead of the real one, in milliseconds. */
let ahead = 0;

beforeEach(async () => {
  ahead = 0;
  // Wallets of their own for each database: what the chain knows of a gig's wallet and the database does not stops the gig.
  const env = { REPLIES_PER_THREAD_HOUR: '1' };
  const paying = await openPayingWorld({ env, clock: () => Date.now() + ahead });
  ({ world } = paying);
  token = await deployOdd('FalseToken');
  const { store } = world.runtime;
  ({ gig } = await seedFundedGig(store, { token, live: true, walletAddress: paying.wallets.gigAddress }));
  await seedTips(store, gig, [sampleAccount(1001)]);
});
afterEach(() => world.close());

const claimPage = async () => await (await fetch(`${world.url}/claim/farcaster/1001`)).text();

test('behavior: a claim in a full thread is paid at once; its reply waits through a restart, and the claim page tells meanwhile', async () => {
  const root = world.farcaster.post({ author: 'bob', text: '@gigclaim claims' });
  await answerTo(world.farcaster, root);
  const claim = world.farcaster.post({ author: 'alice', text: '@gigclaim claim my rewards', replyTo: root.id });
  const state = async () => (await world.runtime.store.replies({ limit: 1 }))[0];
  await expect.poll(async () => (await state())?.heldFor).toBe('thread');
  const [payment] = await world.runtime.store.payments({ kind: 'payout', limit: 9 });
  expect(payment).toMatchObject({ state: 'confirmed', recipient: person('alice').address.toLowerCase() });
  expect(await claimPage()).toContain('Replies that were not posted');
  expect(await claimPage()).toContain('<span class="badge ok">Paid</span>');
  await world.stop();
  ahead = 3_600_000;
  await world.start();
  expect(await answerTo(world.farcaster, claim)).toMatch(/^Paid to 0x[0-9a-fA-F]{40}: 1 ODD \(tx 0x[0-9a-f]{64}\)\.$/);
  await expect.poll(async () => (await state())?.state).toBe('sent');
  expect(await claimPage()).not.toContain('Replies that were not posted');
});

test('error: a claim that was frozen and then failed is told in a second reply, which the bot’s limits hold as any other', async () => {
  const freeze = (reason: string | null) =>
    world.runtime.store.transaction((tx) => tx.freezeGig(gig.id, { reason, now: Date.now() }));
  await freeze('an audit');
  const claim = world.farcaster.post({ author: 'alice', text: '@gigclaim claim my rewards' });
  const first = await answerTo(world.farcaster, claim);
  expect(first).toBe(`The operator has frozen the payments of gig ${gig.id} for now: 1 ODD. Nothing is lost.`);
  await ask(world.farcaster, 'alice', 'help');
  await token.change(setting.paused);
  await freeze(null);
  const second = async () => await world.runtime.store.followUpTo(1);
  await expect.poll(async () => (await second())?.heldFor).toBe('thread');
  ahead = 3_600_000 + 1;
  await world.stop();
  await world.start();
  await expect.poll(async () => (await second())?.state).toBe('sent');
  expect(world.farcaster.repliesTo(claim.id).map(({ text }) => text)).toEqual([
    first,
    'Not paid: 1 ODD (the token rejects the transfer); they can be claimed again.',
  ]);
});
