import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { WatchedTarget } from '../../../../src/domain/earning/act.ts';
import type { SocialPlatform } from '../../../../src/domain/mentions/mention.ts';
import { createWebhookUpdate } from '../../../../src/services/earning/acts/update-webhook.ts';
import { openTestStore } from '../../../support/database.ts';
import { createNetwork, fault, keepLog } from '../../fakes.ts';
import type { SetClock } from '../engine.ts';
import { END, HOUR, MINUTE, openGig, START } from '../gigs.ts';

let opened: Awaited<ReturnType<typeof openTestStore>>;
let clock: SetClock;
/** What the webhook was made to ask for, one item for each call. */
let asked: (readonly WatchedTarget[])[];
let failure: Error | null;

beforeEach(async () => {
  opened = await openTestStore();
  clock = { now: START };
  asked = [];
  failure = null;
});
afterEach(() => opened.close());

function createUpdate(asks = true) {
  const { log, lines } = keepLog();
  const network: SocialPlatform = {
    ...createNetwork('farcaster').network,
    updateWebhook: async (_url, watched) => {
      asked.push(watched);
      if (failure !== null) throw failure;
      return true;
    },
  };
  const deps = { store: opened.store, platforms: new Map([['farcaster', network]]), clock: () => clock.now, log };
  return {
    lines,
    update: createWebhookUpdate(deps, { platform: 'farcaster', url: 'https://a.example.invalid', asks }),
  };
}

const like = (postId: string) => ({ kinds: ['like'], target: { kind: 'post', postId, authorId: '5' } }) as const;
const likeGig = (postId: string) => openGig(opened.store, { target: like(postId).target });

describe('what the webhook is made to ask for', () => {
  test('behavior: at the start, when a gig starts and when its window is long over; else once an hour', async () => {
    const { update } = createUpdate();
    await update();
    await update();
    expect(asked).toEqual([[]]);
    await likeGig('0xa');
    await likeGig('0xa');
    await update();
    clock.now += MINUTE;
    await update();
    expect(asked).toEqual([[], [like('0xa')]]);
    clock.now += HOUR;
    await update();
    expect(asked).toHaveLength(3);
    clock.now = END + 10 * MINUTE;
    await update();
    expect(asked.at(-1)).toEqual([]);
  });

  test('behavior: with EARNING_WEBHOOK off it is mentions alone', async () => {
    await likeGig('0xa');
    await createUpdate(false).update();
    expect(asked).toEqual([[]]);
  });

  test('error: a failure is logged, and tried again after a minute or when something changes', async () => {
    const { update, lines } = createUpdate();
    failure = fault('timeout', 'safe');
    await update();
    await update();
    expect(asked).toHaveLength(1);
    expect(lines).toContainEqual(expect.objectContaining({ level: 'warn', platform: 'farcaster' }));
    clock.now += MINUTE;
    await update();
    await likeGig('0xa');
    failure = null;
    await update();
    await update();
    expect(asked).toEqual([[], [], [like('0xa')]]);
  });
});
