import { expect, onTestFinished, test } from 'vitest';
import { REPLY_WORTH } from '../../../../src/domain/mentions/reply-worth.ts';
import { tellWinners } from '../../../../src/services/earning/decide/tell-winners.ts';
import { openTestStore } from '../../../support/database.ts';
import { sampleAccount, sampleAct, seedActs, seedWatchedGig } from '../../../support/earning.ts';
import { SEEDED_AT, seedMention } from '../../../support/store.ts';

test('security: a reply to a claim goes before those to winners in its thread, which gets few an hour', async () => {
  const { store, close } = await openTestStore();
  onTestFinished(close);
  const gig = await seedWatchedGig(store);
  await seedActs(store, gig, [sampleAct(1, { kind: 'submission', objectId: '0x01' })]);
  const winner = await seedMention(store, { authorId: '1', postId: '0x01', threadId: '0xab' });
  const claim = await seedMention(store, { authorId: '2', postId: '0x02', threadId: '0xab' });
  const earning = await store.earning(gig.id, sampleAccount(1));
  const awards = earning === null ? [] : [{ earning, amount: 1n }];
  const sent = await store.transaction(async (tx) => {
    await tellWinners(tx, gig, { awards, now: SEEDED_AT });
    const paid = { mentionId: claim, kind: 'answer', text: 'Paid.', worth: REPLY_WORTH.claim } as const;
    await tx.queueReply(paid, SEEDED_AT);
    const request = { lease: 'lane', now: SEEDED_AT, until: SEEDED_AT + 60_000 };
    return [await tx.leaseReply('farcaster', request), await tx.leaseReply('farcaster', request)];
  });
  expect(sent.map((reply) => reply?.mentionId)).toEqual([claim, winner]);
});
