import { describe, expect, test } from 'vitest';
import { EVENT_TYPES } from '../../../src/domain/events/event.ts';
import type { Gig } from '../../../src/domain/gigs/gig.ts';
import { COMMAND_LINE } from '../../../src/domain/operators/actor.ts';
import { awardTips } from '../../../src/services/gigs/tips/award-tips.ts';
import { voidTips } from '../../../src/services/gigs/tips/void-tip.ts';
import type { Store } from '../../../src/store/port/index.ts';
import { answerWith } from '../../support/alert-receiver.ts';
import { isOnPostgres } from '../../support/database.ts';
import { SEEDED_AT, seedGig } from '../../support/store.ts';
import { createClock } from '../fakes.ts';
import { courierPerCase, createCourier, newSigningKey } from './world.ts';

const HOUR = 3_600_000;

const { store, wire } = courierPerCase();

class Killed extends Error {
  override readonly name = 'Killed';
}

interface KillPoint {
  /** Which of its commits, or of its requests, is the last thing that the process does. */
  readonly at: number;
  readonly when: 'before the commit' | 'after the commit' | 'before the answer';
}

/** The store of a process that is killed there; nothing of it is done afterwards. */
function mortal(point: KillPoint) {
  let commits = 0;
  let dead = false;
  const transaction: Store['transaction'] = async (run, options) => {
    commits += 1;
    const isLast = point.when !== 'before the answer' && commits === point.at;
    if (dead || (isLast && point.when === 'before the commit')) {
      dead = true;
      throw new Killed('killed');
    }
    const result = await store.transaction(run, options);
    if (!isLast) return result;
    dead = true;
    throw new Killed('killed');
  };
  return {
    store: { ...store, transaction },
    die: () => {
      dead = true;
    },
    isDead: () => dead,
  };
}

const CAUSES = 6;

/** Causes of events of two gigs, each in a transaction of its own. @returns how many were made */
async function live(on: Store, gigs: readonly [Gig, Gig], made: number): Promise<number> {
  const now = SEEDED_AT + HOUR;
  const account = { platform: 'farcaster', username: null, userAddress: null } as const;
  for (let cause = made; cause < CAUSES; cause += 1) {
    const { id: gigId } = gigs[cause % 2] ?? gigs[0];
    if (cause < 4) {
      const tip = { ...account, platformUserId: String(2_000 + cause), value: '1' };
      await on.transaction((tx) => awardTips(tx, { gigId, tips: [tip] }, { actor: COMMAND_LINE, now }));
    } else {
      const [oldest] = (await on.tipsOfGig(gigId, { limit: 100 })).slice(-1);
      const request = { tipIds: [oldest?.id ?? 0], reason: 'test', actor: COMMAND_LINE };
      await voidTips({ store: on, clock: () => now }, request);
    }
  }
  return CAUSES;
}

/** How many of the causes the ledger has. */
async function causesOf(gigs: readonly [Gig, Gig]): Promise<number> {
  let causes = 0;
  for (const { id } of gigs) {
    for (const { voidedAt } of await store.tipsOfGig(id, { limit: 100 })) causes += voidedAt === null ? 1 : 2;
  }
  return causes;
}

describe('a process that is killed', () => {
  const commits = Array.from({ length: 20 }, (_, index) => index + 1);
  const points: readonly KillPoint[] = [
    ...commits.flatMap((at) => (['before the commit', 'after the commit'] as const).map((when) => ({ at, when }))),
    ...Array.from({ length: CAUSES }, (_, index) => ({ at: index + 1, when: 'before the answer' as const })),
  ];

  test('security: at any commit or request: each cause has one event, and each arrives, in order, under one id', async () => {
    for (const point of points) {
      const around = createClock();
      const signingKey = newSigningKey();
      const gigs = [
        await seedGig(store, { client: 'shop', live: true }),
        await seedGig(store, { client: 'shop', live: true }),
      ] as const;
      const from = await store.lastEventSeq();
      const first = mortal(point);
      const seen = wire.received.length;
      const endpoint = await createCourier(store, { around, signingKey }).endpoint(wire.url);
      wire.choose(() => {
        const isLast = point.when === 'before the answer' && wire.received.length - seen === point.at;
        if (isLast) first.die();
        return isLast ? (response) => void response.destroy() : answerWith(204);
      });
      const before = createCourier(first.store, { around, signingKey, name: 'a' });
      try {
        await live(first.store, gigs, 0);
        await before.deliver();
      } catch (error) {
        if (!(error instanceof Killed)) throw error;
      }
      wire.react(answerWith(204));
      // The leases and the release of the dead process end, by the clock where others may live.
      await store.begin();
      around.advance(isOnPostgres() ? 60_000 : 20_000);
      const after = createCourier(store, { around, signingKey, name: 'b' });
      await live(store, gigs, await causesOf(gigs));
      await after.deliver();
      around.advance(60_000);
      await after.deliver();
      const filter = { after: from, client: 'shop', types: EVENT_TYPES, gigId: null, limit: 100 };
      const events = await store.eventsAfter(filter);
      expect([point, events.map(({ type }) => type)]).toEqual([
        point,
        [...Array(4).fill('tips.awarded'), ...Array(2).fill('tip.voided')],
      ]);
      const arrived = wire.received.slice(seen);
      expect(new Set(arrived.map(({ id }) => id))).toEqual(new Set(events.map(({ uid }) => uid)));
      for (const { id: gigId } of gigs) {
        const seqs = arrived.filter(({ body }) => body.data.gig_id === gigId).map(({ body }) => body.seq);
        expect([point, seqs]).toEqual([point, seqs.toSorted((a, b) => a - b)]);
      }
      const left = await store.eventDeliveries({ endpointId: endpoint, limit: 100 });
      expect(left.map(({ state }) => state)).toEqual(Array(CAUSES).fill('delivered'));
      await store.transaction((tx) => tx.deleteWebhookEndpoint(endpoint, around.clock()));
    }
  });
});
