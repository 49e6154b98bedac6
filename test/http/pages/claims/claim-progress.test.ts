import { describe, expect, test } from 'vitest';
import { TANK_IS_LOW } from '../../../../src/domain/payments/payment.ts';
import {
  sampleClaim,
  seedClaim,
  seedConfirmed,
  seedGig,
  seedHash,
  seedMention,
  seedTips,
} from '../../../support/store.ts';
import { logIn } from '../../operator.ts';
import { NOW, service, useService } from '../../service.ts';
import { ALICE, BOB_ON_X, open, openPages, textOf } from '../scene.ts';

const DAY = 86_400_000;

useService(openPages);

/** A gig with a tip of alice's, and the claim that takes it; the ids of the gig and of the payment. */
async function claimOne(post: string, createdAt = NOW - 60_000) {
  const gig = await seedGig(service.store, { live: true, startTime: NOW - 1_000 });
  await seedTips(service.store, gig, [ALICE]);
  const { payouts } = await seedClaim(service.store, sampleClaim(ALICE, post, { createdAt }), createdAt);
  return { gigId: gig.id, paymentId: payouts[0]?.id ?? 0 };
}

const fail = (id: number, reason: string) =>
  service.store.transaction((tx) => tx.failPayment(id, { reason, now: NOW }));
const look = async () => (await open(service, '/claim/farcaster/1001')).text;

describe('the latest claims on the claim page', () => {
  test('behavior: say of each payment whether it is on its way or paid', async () => {
    const { paymentId } = await claimOne('p');
    expect(await look()).toMatch(
      /Latest claims .* 1 min ago 1 DEGEN Mention on Farcaster gig 1 On its way Payments Nothing yet\.$/,
    );
    await seedConfirmed(service.store, paymentId, { hash: seedHash(1), now: NOW });
    expect(await look()).toContain('1 min ago 1 DEGEN Mention on Farcaster gig 1 Paid Payments');
  });

  test('error: say why a payment failed, in words of ours', async () => {
    const { paymentId } = await claimOne('p');
    await fail(paymentId, 'the transfer of token 0x12 would fail: @everyone claim at <b>evil.example</b>');
    const text = await look();
    expect(text).toContain(
      '1 DEGEN Mention on Farcaster gig 1 Not paid the token rejects the transfer; it can be claimed again',
    );
    expect(text).not.toContain('evil.example');
    // What failed can be claimed again.
    expect(text).toContain('Tip 1 Mention on Farcaster gig 1 1 DEGEN 1 Jan 2026 To claim');
  });

  test('behavior: say that a gig’s payments are frozen for now', async () => {
    const { gigId } = await claimOne('p');
    await service.store.transaction((tx) => tx.freezeGig(gigId, { reason: 'a secret of the operator', now: NOW }));
    const text = await look();
    expect(text).toContain(
      'Mention on Farcaster gig 1 Frozen the operator has frozen this gig’s payments for now; nothing is lost',
    );
    expect(text).not.toContain('a secret of the operator');
  });

  test('behavior: say that the gas tank is empty', async () => {
    const { paymentId } = await claimOne('p');
    const low = { reason: TANK_IS_LOW, dueAt: NOW, now: NOW };
    await service.store.transaction((tx) => tx.notePayment(paymentId, low));
    expect(await look()).toContain(
      'Mention on Farcaster gig 1 Waiting until the operator refills the gas tank; nothing is lost',
    );
  });

  test('behavior: say that a budget is used up, and that it goes on by itself', async () => {
    const { paymentId } = await claimOne('p');
    const used = { reason: 'the client’s daily gas budget is used up', dueAt: NOW, now: NOW };
    await service.store.transaction((tx) => tx.notePayment(paymentId, used));
    const words = 'because the gas budget for the client of its gig is used up today';
    const text = await look();
    expect(text).toContain(`Mention on Farcaster gig 1 Waiting ${words}; it goes on by itself`);
    expect(text).toContain(`Waiting ${words}. It goes on by itself.`);
  });

  test('behavior: are the newest five, and none for an account that claimed nothing', async () => {
    for (let count = 1; count <= 6; count += 1) await claimOne(`p${count}`);
    const text = await look();
    expect(text).toMatch(
      /Outcome .*Mention on Farcaster gig 6 .*Mention on Farcaster gig 5 .*Mention on Farcaster gig 4 .*Mention on Farcaster gig 3 .*Mention on Farcaster gig 2 On its way Payments/,
    );
    expect((await open(service, '/claim/x/2002')).text).not.toContain('Latest claims');
  });
});

describe('answers that are not posted', () => {
  async function queue(text: string, postId: string, createdAt: number): Promise<number> {
    const mentionId = await seedMention(service.store, { postId }, createdAt);
    return await service.store.transaction((tx) => tx.queueReply({ mentionId, kind: 'answer', text }, createdAt));
  }

  test('behavior: held and given-up ones are read on the page of their author, sent and waiting ones are not', async () => {
    const old = await queue('Gig 3 is live.', '0x03', NOW - 8 * DAY);
    const given = await queue('Gig 2 is live until <then>.', '0x02', NOW - DAY);
    const held = await queue('Gig 1 is live until then.', '0x01', NOW - 3_000);
    await service.store.transaction(async (tx) => {
      for (const id of [old, given, held]) {
        expect((await tx.leaseReply('farcaster', { lease: 'l', now: NOW, until: NOW + 1 }))?.id).toBe(id);
      }
      const reason = 'held until there is room';
      await tx.holdReply(held, { lease: 'l', heldFor: 'thread', until: NOW + 1, reason });
      for (const id of [given, old]) {
        const error = 'given up after 24 hours: its thread gets at most 5 an hour (REPLIES_PER_THREAD_HOUR)';
        await tx.putReplyBack(id, { lease: 'l', state: 'failed', retryAt: NOW, error });
      }
    });
    await queue('Gig 4 is live.', '0x04', NOW);
    const text = await look();
    expect(text).toContain('Replies that were not posted');
    expect(text).toMatch(
      /just now Waiting to be posted Gig 1 is live until then\. 1 d ago Not posted Gig 2 is live until <then>\. Payments/,
    );
    expect(text).not.toMatch(/Gig [34] is live/);
    expect((await open(service, `/claim/x/${BOB_ON_X.platformUserId}`)).text).not.toContain('not posted');
  });

  test('behavior: a given-up one needs the operator’s hand, who sees why', async () => {
    const id = await queue('Gig 1 is live.', '0x01', NOW);
    const error = 'given up after 24 hours: its thread gets at most 5 an hour (REPLIES_PER_THREAD_HOUR)';
    await service.store.transaction(async (tx) => {
      await tx.leaseReply('farcaster', { lease: 'l', now: NOW, until: NOW + 1 });
      await tx.putReplyBack(id, { lease: 'l', state: 'failed', retryAt: NOW, error });
    });
    const operator = await logIn(service);
    expect(textOf(await operator.read('/admin'))).toContain('Needs attention 1 reply failed');
    expect(textOf(await operator.read('/admin/replies?state=failed'))).toContain(error);
  });

  test('behavior: of a mention with two answers the operator sees both', async () => {
    const id = await queue('On its way: 1 DEGEN.', '0x01', NOW);
    const mentionId = (await service.store.reply(id))?.mentionId ?? 0;
    const text = 'Not paid: 1 DEGEN.';
    await service.store.transaction((tx) => tx.queueReply({ mentionId, kind: 'answer', text, followUp: true }, NOW));
    const operator = await logIn(service);
    const page = textOf(await operator.read(`/admin/mentions/${mentionId}`));
    expect(page).toMatch(/Replies .*On its way: 1 DEGEN\. .*Not paid: 1 DEGEN\./);
  });
});
