import { describe, expect, test } from 'vitest';
import { NOTICE_WORTH } from '../../../src/domain/mentions/reply-worth.ts';
import { perCase, reopen } from '../../support/per-case.ts';
import { SEEDED_AT } from '../../support/store.ts';
import { HOUR } from '../world.ts';
import { ALICE, BOB, DAY, openScene, startByClient, UNIT } from './scene.ts';

const LIVE = 'Gig 1 is live until 2 Jan 2026, 00:00 UTC.';
const MOSTLY = 'Gig 1 has awarded 80 % of its reward: 80 of 100 DEGEN.';
const ENDED = 'Gig 1 ended at 2 Jan 2026, 00:00 UTC. Awarded: 80 of 100 DEGEN.';

const scene = perCase(() => openScene());

/** The owner funds the gig and starts it. @returns the id of the post */
async function fundAndStart(): Promise<string> {
  scene.fund();
  return await scene.say('start gig 1');
}

describe('the owner who started a gig by a mention on Farcaster', () => {
  test('behavior: is told under that mention when most of the reward is awarded and when it has ended, each once', async () => {
    const start = await fundAndStart();
    await scene.tell();
    expect(scene.under(start)).toEqual([LIVE]);
    await scene.award(79n * UNIT);
    await scene.tell();
    expect(scene.under(start)).toEqual([LIVE]);
    await scene.award(UNIT);
    await scene.tell();
    await scene.say('gig 1');
    await scene.tell();
    expect(scene.under(start)).toEqual([LIVE, MOSTLY]);
    scene.advance(DAY);
    await scene.tell();
    await scene.tell();
    expect(scene.under(start)).toEqual([LIVE, MOSTLY, ENDED]);
    expect(await scene.notices()).toMatchObject([
      { notice: { gigId: 1, event: 'mostly_awarded' }, worth: NOTICE_WORTH, state: 'sent' },
      { notice: { gigId: 1, event: 'ended' }, worth: NOTICE_WORTH, state: 'sent' },
    ]);
  });

  test('behavior: is told of the beginning of a gig that was started before its time', async () => {
    await reopen(scene, () => openScene({ startTime: SEEDED_AT + HOUR }));
    const start = await fundAndStart();
    await scene.tell();
    scene.advance(HOUR);
    await scene.tell();
    expect(scene.under(start)).toEqual([
      'Gig 1 started. It is live from 1 Jan 2026, 01:00 UTC until 2 Jan 2026, 01:00 UTC.',
      'Gig 1 is live until 2 Jan 2026, 01:00 UTC.',
    ]);
  });

  test('behavior: is told only of the end when that and more has happened since the last look', async () => {
    await reopen(scene, () => openScene({ startTime: SEEDED_AT + HOUR }));
    const start = await fundAndStart();
    await scene.award(90n * UNIT);
    scene.advance(2 * DAY);
    await scene.tell();
    await scene.tell();
    expect(scene.under(start).slice(1)).toEqual(['Gig 1 ended at 2 Jan 2026, 01:00 UTC. Awarded: 90 of 100 DEGEN.']);
    expect(await scene.store.telling(1, ALICE)).toMatchObject({ told: ['funded', 'live', 'mostly_awarded', 'ended'] });
  });

  test('behavior: is told of awards that come after the end', async () => {
    const start = await fundAndStart();
    scene.advance(DAY);
    await scene.tell();
    await scene.award(95n * UNIT);
    await scene.tell();
    expect(scene.under(start).slice(1)).toEqual([
      'Gig 1 ended at 2 Jan 2026, 00:00 UTC. Awarded: 0 of 100 DEGEN.',
      'Gig 1 has awarded 95 % of its reward: 95 of 100 DEGEN.',
    ]);
  });

  test('behavior: half a year after the end nothing more is looked for', async () => {
    await fundAndStart();
    scene.advance(181 * DAY);
    await scene.tell();
    expect(await scene.store.telling(1, ALICE)).toMatchObject({ state: 'over' });
    expect(await scene.store.openTellings()).toEqual([]);
  });

  test('behavior: is told nothing of a gig that its mention did not start', async () => {
    const start = await scene.say('start gig 1');
    await startByClient(scene, scene.gig);
    scene.advance(DAY);
    await scene.tell();
    expect(scene.under(start)).toHaveLength(1);
    expect(await scene.notices()).toEqual([]);
  });

  test('behavior: is told nothing once it owns the gig no more', async () => {
    await fundAndStart();
    await scene.store.transaction((tx) => tx.removeGigOwner(1, ALICE));
    scene.advance(DAY);
    await scene.tell();
    expect(await scene.notices()).toEqual([]);
  });
});

describe('notify', () => {
  test('behavior: has an owner told of the funding, once, and of the start by another', async () => {
    const asked = await scene.say('notify gig #1');
    expect(scene.under(asked)).toEqual([
      `You'll get updates on gig 1 as replies to your latest command. To stop, send "unnotify gig 1".`,
    ]);
    scene.fund(105n * UNIT - 1n);
    await scene.tell();
    scene.fund();
    await scene.tell();
    expect(scene.under(asked)).toHaveLength(1);
    scene.advance(60_000);
    await scene.tell();
    scene.fund(0n);
    scene.advance(60_000);
    await scene.tell();
    scene.fund();
    scene.advance(60_000);
    await scene.tell();
    await startByClient(scene, scene.gig);
    await scene.tell();
    expect(scene.under(asked).slice(1)).toEqual([
      'Gig 1 is funded: its wallet holds exactly 105 DEGEN. Mention me with "start gig 1" to start it.',
      'Gig 1 is live until 2 Jan 2026, 00:03 UTC.',
    ]);
  });

  test('behavior: asks a chain at most once a minute, and for thirty days', async () => {
    await scene.say('notify 1');
    const before = scene.ledger.reads();
    for (let looks = 0; looks < 5; looks += 1) await scene.look();
    expect(scene.ledger.reads() - before).toBe(1);
    scene.advance(30 * DAY);
    await scene.look();
    expect(scene.ledger.reads() - before).toBe(1);
  });

  test('behavior: moves the notices under the owner’s latest command about the gig, a refused one too', async () => {
    await scene.say('notify gig 1');
    await startByClient(scene, scene.gig);
    await scene.say('why 1');
    const latest = await scene.say('start gig 1');
    await scene.say('claims');
    await scene.say('gig 1', { authorId: BOB.platformUserId });
    await scene.tell();
    expect(scene.under(latest)).toEqual(['Gig 1 is already live.', LIVE]);
  });

  test('behavior: tells nothing that has happened before', async () => {
    await startByClient(scene, scene.gig);
    await scene.award(80n * UNIT);
    const asked = await scene.say('notify gig 1');
    await scene.tell();
    expect(scene.under(asked)).toHaveLength(1);
  });

  test('security: is refused to an account that does not own the gig', async () => {
    const asked = await scene.say('notify gig 1', { authorId: BOB.platformUserId });
    expect(scene.under(asked)).toEqual(['Only an owner of gig 1 can get updates on it.']);
    expect(await scene.store.telling(1, BOB)).toBeNull();
    const none = await scene.say('notify gig 2');
    expect(scene.under(none)).toEqual(['There is no gig 2.']);
  });

  test('behavior: is in the audit trail', async () => {
    await scene.say('notify gig 1');
    await scene.say('unnotify gig 1');
    expect(await scene.store.auditEvents({ limit: 9, gigId: 1 })).toMatchObject([
      { action: 'notices.off', actorName: 'farcaster:1001', requestId: 'mention:2', subject: 'gig' },
      { action: 'notices.on', actorName: 'farcaster:1001', requestId: 'mention:1', subject: 'gig' },
    ]);
  });
});

describe('on X', () => {
  test('behavior: an owner who started a gig there is told nothing unasked', async () => {
    scene.fund();
    await scene.say('start gig 1', { platform: 'twitter' });
    scene.advance(DAY);
    await scene.tell();
    expect(await scene.notices()).toEqual([]);
  });

  test('behavior: an owner who asked is told under its own post', async () => {
    const asked = await scene.say('notify gig 1', { platform: 'twitter' });
    await startByClient(scene, scene.gig);
    await scene.tell();
    expect(scene.under(asked).slice(1)).toEqual([LIVE]);
    expect(scene.farcaster.posts).toEqual([]);
  });
});

describe('unnotify', () => {
  test('behavior: ends the notices, those that wait as well, and those that a start would bring', async () => {
    const start = await fundAndStart();
    await scene.award(80n * UNIT);
    await scene.look();
    const off = await scene.say('unnotify gig 1');
    expect(scene.under(off)).toEqual([`You'll get no more updates on gig 1. To get them again, send "notify gig 1".`]);
    scene.advance(DAY);
    await scene.tell();
    expect(scene.under(start)).toEqual([LIVE]);
    expect(await scene.notices()).toMatchObject([
      { state: 'failed', lastError: 'given up: its owner turned notices of the gig off' },
    ]);
  });

  test('behavior: holds when the owner then starts the gig, until it asks again', async () => {
    scene.fund();
    await scene.say('unnotify gig 1');
    await scene.say('start gig 1');
    await scene.award(80n * UNIT);
    await scene.tell();
    const asked = await scene.say('notify gig 1');
    scene.advance(DAY);
    await scene.tell();
    expect(scene.under(asked).slice(1)).toEqual([ENDED]);
    expect(await scene.notices()).toHaveLength(1);
  });
});

describe('an owner who takes no replies', () => {
  test('behavior: is not told, nor later of what happened meanwhile', async () => {
    const start = await fundAndStart();
    await scene.award(80n * UNIT);
    await scene.say('stop');
    await scene.tell();
    await scene.say('unstop');
    await scene.tell();
    scene.advance(DAY);
    await scene.tell();
    expect(scene.under(start)).toEqual([LIVE, ENDED]);
  });

  test('behavior: is not sent a notice that was queued before it left', async () => {
    await fundAndStart();
    await scene.award(80n * UNIT);
    await scene.look();
    const stop = scene.mention({ text: '@gigclaim stop' });
    scene.advance(1_000);
    await scene.hear(stop);
    await scene.answerAll();
    await scene.sendAll('farcaster');
    expect(await scene.notices()).toMatchObject([{ state: 'failed' }]);
  });
});
