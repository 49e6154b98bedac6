import { describe, expect, test } from 'vitest';
import { openRecords, type Records } from '../../../sandbox/page/records.ts';
import { describeChanges } from '../../../sandbox/page/story.ts';
import { openTestStore } from '../../support/database.ts';
import {
  sampleAttempt,
  sampleClaim,
  sampleMention,
  seedAddress,
  seedClaim,
  seedConfirmed,
  seedGig,
  seedMention,
  seedSent,
  seedTips,
} from '../../support/store.ts';

const LEASE = { lease: 'a', now: 10, until: 20 };
const ALICE = { platform: 'farcaster', platformUserId: '1001' } as const;

/** A store, and what the story tells of each thing done to it. */
async function openTold() {
  const { store, database, close } = await openTestStore();
  const reader = await openRecords(database.url);
  let before: Records = await reader.read();
  let version = await reader.version();
  return {
    store,
    /** Whether anything was written since the last look, and the sentences about it. */
    told: async () => {
      const seen = await reader.version();
      const isNew = seen !== version;
      version = seen;
      const after = await reader.read();
      const lines = describeChanges(before, after).map(({ scene, text }) => `${scene}: ${text}`);
      before = after;
      return { isNew, lines };
    },
    close: async () => {
      await reader.close();
      await close();
    },
  };
}

describe('the story of a mention', () => {
  test('behavior: every step it really took is told, also those between two looks', async () => {
    const { store, told, close } = await openTold();
    expect(await told()).toEqual({ isNew: false, lines: [] });
    const id = await seedMention(store, { authorUsername: 'alice' });
    expect(await told()).toEqual({
      isNew: true,
      lines: ['Service: Mention 1 is on disk: by alice on Farcaster, came by webhook.'],
    });
    await store.transaction((tx) => tx.leaseMention({ ...LEASE, now: 1e13, until: 2e13, platforms: ['farcaster'] }));
    expect((await told()).lines).toEqual([]);
    await store.transaction(async (tx) => {
      await tx.queueReply({ mentionId: id, kind: 'answer', text: 'hello' }, 1);
      await tx.markAnswered(id, 'a');
    });
    expect((await told()).lines).toEqual([
      'Service: Mention 1: received → answering → answered.',
      'Service: Reply to mention 1: written.',
    ]);
    await store.transaction(async (tx) => {
      await tx.leaseReply('farcaster', LEASE);
      await tx.markSending(1, 'a');
      await tx.markSent(1, { lease: 'a', postId: '0xb0', now: 12 });
    });
    expect((await told()).lines).toEqual(['Service: Reply to mention 1: written → sending → sent.']);
    expect(await told()).toEqual({ isNew: false, lines: [] });
    await close();
  });

  test('behavior: a mention that had to be tried again and was answered by the next look waits for nothing', async () => {
    const { store, told, close } = await openTold();
    const id = await seedMention(store, { authorUsername: 'alice' });
    await store.transaction((tx) => tx.leaseMention({ ...LEASE, now: 1e13, until: 2e13, platforms: ['farcaster'] }));
    await store.transaction((tx) => tx.putMentionBack(id, { lease: 'a', error: 'the chain is silent', retryAt: 1e13 }));
    const waits = 'Service: Mention 1 waits for its next try: the chain is silent.';
    expect((await told()).lines.at(-1)).toBe(waits);
    await store.transaction(async (tx) => {
      await tx.leaseMention({ lease: 'b', now: 3e13, until: 4e13, platforms: ['farcaster'] });
      await tx.queueReply({ mentionId: id, kind: 'answer', text: 'hello' }, 1);
      await tx.markAnswered(id, 'b');
    });
    const lines = ['Service: Mention 1: received → answering → answered.', 'Service: Reply to mention 1: written.'];
    expect((await told()).lines).toEqual(lines);

    const second = await seedMention(store, { authorUsername: 'alice', postId: '0xc9' });
    await store.transaction((tx) => tx.leaseMention({ lease: 'c', now: 5e13, until: 6e13, platforms: ['farcaster'] }));
    await store.transaction((tx) =>
      tx.putMentionBack(second, { lease: 'c', error: 'the chain is silent', retryAt: 5e13 }),
    );
    await store.transaction(async (tx) => {
      await tx.leaseMention({ lease: 'd', now: 7e13, until: 8e13, platforms: ['farcaster'] });
      await tx.queueReply({ mentionId: second, kind: 'answer', text: 'hello' }, 1);
      await tx.markAnswered(second, 'd');
    });
    expect((await told()).lines.filter((line) => line.includes('waits'))).toEqual([]);
    await close();
  });

  test('behavior: silence, failure and an unknown outcome come with their reasons', async () => {
    const { store, told, close } = await openTold();
    await store.transaction(async (tx) => {
      await tx.insertMention(sampleMention({ authorUsername: null, authorId: '77' }), { now: 1, source: 'poll' });
      await tx.leaseMention({ ...LEASE, platforms: ['farcaster'] });
      await tx.markIgnored(1, { lease: 'a', ignoreReason: 'author_limit' });
    });
    expect((await told()).lines).toEqual([
      'Service: Mention 1 is on disk: by 77 on Farcaster, found by polling.',
      'Service: Mention 1: ignored: its author has had enough replies within the hour.',
    ]);
    await store.transaction(async (tx) => {
      await tx.insertMention(sampleMention({ postId: '0xc2', platform: 'twitter', authorUsername: 'bob' }), {
        now: 1,
        source: 'webhook',
      });
      await tx.queueReply({ mentionId: 2, kind: 'answer', text: 'hello' }, 1);
      await tx.leaseReply('twitter', LEASE);
      await tx.markSending(1, 'a');
      await tx.putReplyBack(1, { lease: 'a', state: 'unknown', retryAt: 99, error: 'timeout: no answer' });
    });
    expect((await told()).lines).toEqual([
      'Service: Mention 2 is on disk: by bob on X, came by webhook.',
      'Service: Reply to mention 2: unknown. The service looks for its own post before it sends again.',
      'Service: Reply to mention 2, attempt 1: timeout: no answer.',
    ]);
    await close();
  });
});

describe('the story of a payment', () => {
  test('behavior: a payment goes from planned to its block', async () => {
    const { store, told, close } = await openTold();
    const gig = await seedGig(store, { live: true });
    await seedTips(store, gig, [{ ...ALICE, amount: 12n * 10n ** 18n }]);
    await told();
    await seedClaim(store, sampleClaim(ALICE, 'p', { recipient: seedAddress(0xcafe) }));
    expect((await told()).lines).toEqual([
      'Service: Claim 1: to be paid at 0x0000…cafE.',
      'Service: Payment 1: 12 DEGEN from gig 1 to 0x0000…cafE.',
    ]);
    const attempt = sampleAttempt(1);
    await seedSent(store, [1], { nonce: 0, attempt, now: 1 });
    await seedConfirmed(store, 1, { hash: attempt.hash, blockNumber: 41n, now: 2 });
    expect((await told()).lines).toEqual(['Chain: Payment 1: planned → sent → confirmed in block 41.']);
    await store.transaction((tx) => tx.freezeGig(1, { reason: 'its wallet lacks 3', now: 3 }));
    expect((await told()).lines).toEqual(['Service: Gig 1 is frozen: its wallet lacks 3.']);
    await close();
  });
});
