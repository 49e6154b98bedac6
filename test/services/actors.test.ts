import { expect, test } from 'vitest';
import { COMMAND_LINE } from '../../src/domain/operators/actor.ts';
import { retryPayment } from '../../src/services/payments/retry-payment.ts';
import { deployToken, freshAddress } from '../support/anvil.ts';
import { perCase } from '../support/per-case.ts';
import { seedGig } from '../support/store.ts';
import { openCashier } from './cashier.ts';
import { ask, createWorld } from './world.ts';

const ALICE = { platform: 'farcaster', platformUserId: '1001' } as const;

const world = perCase(createWorld);

test('behavior: an owner commands a gig by the bot whatever client made it, and the audit trail names the account', async () => {
  const gig = await seedGig(world.store, { owners: [ALICE] });
  await world.store.transaction((tx) => tx.assignGig(gig.id, 'shop'));
  world.ledger.fund(gig.walletAddress, 105n * 10n ** 18n);
  expect(await ask(world, { text: '@gigclaim start gig 1' })).toContain('Gig 1 is live until');
  expect(await world.store.auditEvents({ limit: 9, gigId: gig.id })).toMatchObject([
    {
      action: 'gig.start',
      actor: 'account',
      actorName: 'farcaster:1001',
      apiKeyId: null,
      client: null,
      requestId: 'mention:1',
    },
  ]);
});

test('behavior: leaving the bot and coming back is written down with the mention', async () => {
  await ask(world, { text: '@gigclaim stop' });
  await ask(world, { text: '@gigclaim unstop' });
  expect(await world.store.auditEvents({ limit: 9 })).toMatchObject([
    { action: 'account.unstop', actor: 'account', actorName: 'farcaster:1001', requestId: 'mention:2' },
    { action: 'account.stop', subject: 'account', subjectId: 'farcaster:1001', requestId: 'mention:1' },
  ]);
});

test('behavior: a claim, its retries and those of the operator are written down with the payments they plan', async () => {
  const cashier = await openCashier();
  const token = await deployToken({ decimals: 6, symbol: 'USDC' });
  await cashier.gig({ asset: token, tips: [{ account: ALICE, amount: 5n }] });
  const post = cashier.post(ALICE, `claim my rewards ${freshAddress()}`, { requestId: 'req-9' });
  const fail = (id: number) => cashier.store.transaction((tx) => tx.failPayment(id, { reason: 'refused', now: 1 }));
  const { claim } = await cashier.claim(post);
  await fail(1);
  cashier.advance(24 * 3_600_000);
  await cashier.claim(post);
  await fail(2);
  const deps = { store: cashier.store, clock: cashier.clock, treasury: null };
  expect(await retryPayment(deps, { paymentId: 2, actor: COMMAND_LINE })).toMatchObject({ id: 3 });
  await cashier.claim(post);
  const events = await cashier.store.auditEvents({ limit: 9 });
  expect(events.map(({ detail, ...event }) => ({ ...event, detail: JSON.parse(detail) }))).toMatchObject([
    {
      action: 'payment.retry',
      actor: 'operator',
      subject: 'payment',
      subjectId: '2',
      gigId: 1,
      detail: { kind: 'payout', amount: '5', planned_id: 3 },
    },
    {
      action: 'claim.retry',
      actor: 'account',
      actorName: 'farcaster:1001',
      requestId: 'req-9',
      detail: { payments: [1] },
    },
    {
      action: 'claim.open',
      actor: 'account',
      actorName: 'farcaster:1001',
      requestId: 'req-9',
      subject: 'claim',
      subjectId: '1',
      detail: { gigs: [1], recipient: claim.recipient, tips: 1, post: post.postId, source: 'url' },
    },
  ]);
  await cashier.close();
});
