import { describe, expect, test } from 'vitest';
import {
  giveUpPerished,
  idemForNotice,
  LONGEST_BACKOFF_MS,
  sendNextReply,
} from '../../../src/services/mentions/send-replies.ts';
import { perCase } from '../../support/per-case.ts';
import { seedGig } from '../../support/store.ts';
import { fault } from '../fakes.ts';
import { HOUR, LEASE_MS, SETTLE_MS } from '../world.ts';
import { ALICE, DAY, openScene, startByClient, UNIT } from './scene.ts';

const scene = perCase(openScene);

/** An owner on this platform who asked, and a gig that has just become live. @returns the owner's post */
async function liveAndAsked(platform: 'farcaster' | 'twitter'): Promise<string> {
  const asked = await scene.say('notify gig 1', { platform });
  await startByClient(scene, scene.gig);
  return asked;
}

const LIVE = 'Gig 1 is live until 2 Jan 2026, 00:00 UTC.';
const ENDED = 'Gig 1 ended at 2 Jan 2026, 00:00 UTC. Awarded: 0 of 100 DEGEN.';

test('security: two processes on one database tell once', async () => {
  const asked = await liveAndAsked('farcaster');
  const other = await scene.database.open();
  await Promise.all([scene.look(), scene.tellerOf(other)(), scene.look()]);
  await other.close();
  await scene.tell();
  expect(scene.under(asked).slice(1)).toEqual([LIVE]);
});

test('security: the store refuses a second notice of an event to the same account, though the telling had forgotten it', async () => {
  await liveAndAsked('farcaster');
  await scene.look();
  const telling = await scene.store.telling(1, ALICE);
  if (telling === null) throw new Error('nothing is told');
  await scene.store.transaction((tx) => tx.storeTelling({ ...telling, told: [] }));
  await expect(scene.look()).rejects.toThrow(/UNIQUE|unique constraint/);
  expect(await scene.notices()).toHaveLength(1);
});

describe.each(['farcaster', 'twitter'] as const)('a notice on %s', (platform) => {
  const network = () => scene.networkOf(platform);

  test('security: is found when its answer was lost, and taken for no other post under the mention', async () => {
    const asked = await liveAndAsked(platform);
    network().lose(fault('timeout', 'unknown'));
    await scene.tell();
    scene.advance(DAY);
    network().failLookUp(fault('timeout', 'safe'));
    await scene.tell();
    expect(await scene.notices()).toMatchObject([{ state: 'unknown' }, { state: 'queued', heldFor: 'first_reply' }]);
    scene.advance(LONGEST_BACKOFF_MS);
    await scene.sendAll(platform);
    scene.advance(SETTLE_MS);
    await scene.sendAll(platform);
    expect(scene.under(asked).slice(1)).toEqual([LIVE, ENDED]);
    expect((await scene.notices()).map(({ postId }) => postId)).toEqual([`${platform}-post-2`, `${platform}-post-3`]);
  });

  test('security: is sent again when it was lost, though others are there', async () => {
    const asked = await liveAndAsked(platform);
    network().refuse(fault('timeout', 'unknown'));
    await scene.tell();
    expect(await scene.notices()).toMatchObject([{ state: 'unknown' }]);
    scene.advance(SETTLE_MS);
    await scene.sendAll(platform);
    expect(scene.under(asked).slice(1)).toEqual([LIVE]);
  });

  test('security: is sent once when a process dies between recording and sending, or while sending', async () => {
    const asked = await liveAndAsked(platform);
    await scene.look();
    const request = { lease: 'dead', now: scene.clock(), until: scene.clock() + LEASE_MS };
    await scene.store.transaction(async (tx) => {
      const leased = await tx.leaseReply(platform, request);
      await tx.markSending(leased?.id ?? 0, 'dead');
    });
    scene.advance(LEASE_MS);
    await scene.tell();
    scene.advance(SETTLE_MS);
    await scene.tell();
    expect(scene.under(asked).slice(1)).toEqual([LIVE]);
  });
});

test('security: a notice on X that an older backup has forgotten is found, not posted again', async () => {
  const asked = await liveAndAsked('twitter');
  const earlier = { replyTo: asked, authorId: '7001', text: LIVE, idem: 'earlier', notAfter: scene.clock() + HOUR };
  const { postId } = await scene.x.network.reply(earlier);
  scene.advance(HOUR);
  await scene.look();
  await sendNextReply({ ...scene.sending, startedAt: scene.clock() }, 'twitter');
  expect(await scene.notices()).toMatchObject([{ state: 'sent', postId }]);
  expect(scene.under(asked).slice(1)).toEqual([LIVE]);
});

test('behavior: a notice on X of what has happened since the process started is posted without a look', async () => {
  await liveAndAsked('twitter');
  scene.advance(HOUR);
  const calls = scene.x.calls.length;
  await scene.tell();
  expect(scene.x.calls.slice(calls)).toEqual(['reply']);
});

test('behavior: the key of a notice follows from the gig, the event and the owner', () => {
  // The first 16 hex digits of the SHA-256 of `notice:42:ended:1001`.
  expect(idemForNotice({ gigId: 42, event: 'ended' }, '1001')).toBe('f736fe190122da30');
});

describe('the limits', () => {
  test('behavior: hold a notice until the hour has room, and look-ups go before it', async () => {
    scene.fund();
    await scene.say('start gig 1');
    for (let count = 0; count < 8; count += 1) await scene.say('help');
    await scene.award(80n * UNIT);
    await scene.say('help');
    await scene.tell();
    expect(await scene.notices()).toMatchObject([{ state: 'queued', heldFor: 'author' }]);
    scene.advance(HOUR + 1);
    await scene.hear({ text: '@gigclaim claims', postId: '0xbb', replyTo: '0xbb', threadId: '0xbb' });
    await scene.answerAll();
    await scene.sendAll('farcaster');
    expect(scene.farcaster.posts.slice(-2).map(({ text }) => text.slice(0, 8))).toEqual(['You have', 'Gig 1 ha']);
  });

  test('behavior: a notice that waits keeps no look-up from being answered', async () => {
    const ids = await Promise.all([2, 3, 4].map(() => seedGig(scene.store, { owners: [ALICE] })));
    for (const { id } of ids) await scene.say(`notify ${id}`);
    for (const gig of ids) await startByClient(scene, gig);
    for (let count = 0; count < 6; count += 1) await scene.say('help');
    await scene.look();
    expect(await scene.notices()).toHaveLength(3);
    const asked = await scene.say('claims');
    expect(scene.under(asked)).toEqual(['You have no claimable tokens at the moment.']);
  });

  test('behavior: a notice that cannot be looked for on X is given up after 24 hours', async () => {
    await liveAndAsked('twitter');
    scene.x.failLookUp(fault('bad_response', 'safe'));
    await scene.tell();
    expect(await scene.notices()).toMatchObject([{ state: 'queued' }]);
    scene.advance(DAY);
    await scene.tell();
    expect((await scene.notices())[0]).toMatchObject({ state: 'failed', lastError: 'given up after 24 hours' });
  });

  test('behavior: a notice without room for 24 hours is given up, and so is one behind a paused platform', async () => {
    await liveAndAsked('farcaster');
    await scene.look();
    scene.advance(DAY + 1);
    await giveUpPerished(scene.sending, 'farcaster');
    expect(await scene.notices()).toMatchObject([{ state: 'failed', attempts: 0 }]);
    expect((await scene.notices())[0]?.lastError).toContain('given up: it waited 24 hours');
  });
});
