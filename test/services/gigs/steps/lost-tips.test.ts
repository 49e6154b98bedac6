import { expect, test } from 'vitest';
import type { Gig } from '../../../../src/domain/gigs/gig.ts';
import { whyTipsMayBeLost } from '../../../../src/services/gigs/steps/lost-tips.ts';
import type { StoreReads } from '../../../../src/store/port/index.ts';

test.each<[noticedAt: number | null, doubted: number | null, why: string | null]>([
  [null, null, null],
  [999, null, null],
  [1_000, null, 'lost_tips'],
  [1_001, 4, 'lost_tips'],
  [null, 4, null],
  [null, 5, 'restored'],
  [999, 6, 'restored'],
])(
  'security: tips lost at %s and gigs doubted up to %s make a gig 5 of time 1,000 %s',
  async (noticedAt, doubted, why) => {
    // Only these of the reads, and of the gig, decide.
    const reads = {
      lostTipsNoticedAt: async () => noticedAt,
      doubtedUpTo: async () => doubted,
    } as unknown as StoreReads;
    expect(await whyTipsMayBeLost(reads, { id: 5, createdAt: 1_000 } as Gig)).toBe(why);
  },
);
