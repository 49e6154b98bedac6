import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { MentionState, ReplyState } from '../../../src/domain/mentions/mention.ts';
import type { PaymentState } from '../../../src/domain/payments/payment.ts';
import type { Store, StoreTx } from '../../../src/store/port/index.ts';
import {
  replanOne,
  SEEDED_AT,
  sampleAttempt,
  seedConfirmed,
  seedFee,
  seedGig,
  seedHash,
  seedMention,
  seedSent,
} from '../../support/store.ts';
import type { Subject } from './subject.ts';

const PLATFORMS = ['farcaster', 'twitter'] as const;
const NO_MENTIONS: Record<MentionState, number> = { received: 0, answered: 0, ignored: 0, failed: 0 };
const NO_REPLIES: Record<ReplyState, number> = { queued: 0, sending: 0, sent: 0, failed: 0, unknown: 0 };
const NO_PAYMENTS: Record<PaymentState, number> = { planned: 0, sent: 0, confirmed: 0, failed: 0 };

/** How many rows of a list stand in each state, counted one by one. */
function countRows<State extends string>(rows: readonly { state: State }[], none: Record<State, number>) {
  const counts = { ...none };
  for (const { state } of rows) counts[state] += 1;
  return counts;
}

/** Holds every kept count against the rows themselves. */
async function checkCounts(store: Store): Promise<void> {
  const all = { limit: 100_000 };
  const mentions = countRows(await store.mentions(all), NO_MENTIONS);
  const replies = countRows(await store.replies(all), NO_REPLIES);
  expect(await store.mentionDepths()).toEqual(mentions);
  expect(await store.queueDepths()).toEqual({ mentions: mentions.received, replies });
  expect(await store.paymentDepths()).toEqual(countRows(await store.payments(all), NO_PAYMENTS));
}

/** What a run can do; `pick` chooses among what is there, and `number` is one that nothing else uses. */
type Step = (store: Store, options: { pick: number; number: number }) => Promise<unknown>;

async function leaseReply(store: Store, lease: string) {
  const request = { lease, now: SEEDED_AT, until: SEEDED_AT };
  return await store.transaction((tx) => tx.leaseReply('farcaster', request));
}

type Ending = (tx: StoreTx, id: number, lease: string) => Promise<unknown>;

const END_MENTION: readonly Ending[] = [
  (tx, id, lease) => tx.markAnswered(id, lease),
  (tx, id, lease) => tx.markIgnored(id, { lease, ignoreReason: 'gave_up' }),
  (tx, id, lease) => tx.putMentionBack(id, { lease, retryAt: null, error: 'no' }),
  (tx, id, lease) => tx.putMentionBack(id, { lease, retryAt: 0, error: 'no' }),
];

const END_REPLY: readonly Ending[] = [
  (tx, id, lease) => tx.markSending(id, lease),
  (tx, id, lease) => tx.markSent(id, { lease, postId: `sent ${id}`, now: 1 }),
  (tx, id, lease) => tx.putReplyBack(id, { lease, state: 'failed', retryAt: 0, error: 'no' }),
  (tx, id, lease) => tx.putReplyBack(id, { lease, state: 'unknown', retryAt: 0, error: 'no' }),
  async (tx) => {
    const [failed] = await tx.replies({ limit: 1, state: 'failed' });
    return failed && (await tx.retryReply(failed.id, 0));
  },
];

const REPLANNED = { reason: 'not marked', dueAt: 1, gasUsed: 1n, now: 1 };

const MOVE_PAYMENT: readonly ((store: Store, id: number, number: number) => Promise<unknown>)[] = [
  (store, id, number) => seedSent(store, [id], { nonce: number, attempt: sampleAttempt(number) }),
  (store, id) => store.transaction((tx) => replanOne(tx, id, { ...REPLANNED, hasFailed: true })),
  (store, id) => store.transaction((tx) => tx.failPayment(id, { reason: 'no', now: 1 })),
  (store, id, number) => seedConfirmed(store, id, { hash: seedHash(number) }),
  (store, id) => store.transaction((tx) => tx.unconfirmPayment(id, { reason: 'a reorganisation', now: 1 })),
];

const STEPS: Readonly<Record<string, Step>> = {
  mention: (store, { pick, number }) =>
    seedMention(store, {
      postId: `c${number}`,
      authorId: `${1 + (pick % 3)}`,
      platform: PLATFORMS[pick % 2] ?? 'farcaster',
    }),
  endMention: async (store, { pick, number }) => {
    const lease = `l${number}`;
    const request = { platforms: PLATFORMS, lease, now: SEEDED_AT, until: SEEDED_AT };
    const held = await store.transaction((tx) => tx.leaseMention(request));
    const end = END_MENTION[pick % END_MENTION.length];
    if (held !== null) await store.transaction(async (tx) => await end?.(tx, held.id, lease));
  },
  reply: async (store, { pick }) => {
    const free = [];
    for (const { id, platform } of await store.mentions({ limit: 100 })) {
      if (platform === 'farcaster' && (await store.replyTo(id)) === null) free.push(id);
    }
    const mentionId = free[pick % Math.max(1, free.length)];
    if (mentionId === undefined) return;
    await store.transaction((tx) => tx.queueReply({ mentionId, kind: 'answer', text: 'hi' }, SEEDED_AT));
  },
  endReply: async (store, { pick, number }) => {
    const held = await leaseReply(store, `r${number}`);
    const end = END_REPLY[pick % END_REPLY.length];
    if (held !== null) await store.transaction(async (tx) => await end?.(tx, held.id, `r${number}`));
  },
  payment: async (store) => {
    await seedFee(store, await seedGig(store));
  },
  movePayment: async (store, { pick, number }) => {
    const rows = await store.payments({ limit: 100 });
    const id = rows[pick % Math.max(1, rows.length)]?.id ?? 0;
    await MOVE_PAYMENT[Math.floor(pick / 7) % MOVE_PAYMENT.length]?.(store, id, number);
  },
  undone: async (store, { number }) => {
    const undone = store.transaction(async (tx) => {
      for (const { id } of await tx.replies({ limit: 3, state: 'failed' })) await tx.retryReply(id, 0);
      throw new Error(`undone ${number}`);
    });
    await expect(undone).rejects.toThrow('undone');
  },
};

export function describeCounts({ store }: Subject): void {
  describe('the counts by state', () => {
    test('behavior: equal the rows after any run of changes, of undone ones too', async () => {
      await seedGig(store);
      const steps = fc.array(fc.record({ name: fc.constantFrom(...Object.keys(STEPS)), pick: fc.nat(1_000) }), {
        minLength: 10,
        maxLength: 40,
      });
      let number = 0;
      await fc.assert(
        fc.asyncProperty(steps, async (run) => {
          for (const { name, pick } of run) {
            number += 1;
            // What the store refuses, such as a second fee of a gig, must leave the counts alone as well.
            await STEPS[name]?.(store, { pick, number }).catch((error: unknown) => {
              if (!(error instanceof RangeError)) throw error;
            });
          }
          await checkCounts(store);
        }),
        { numRuns: 15 },
      );
      expect(await store.mentions({ limit: 1 })).toHaveLength(1);
    });
  });
}
