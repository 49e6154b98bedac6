import { expect, test } from 'vitest';
import type { ActEvent } from '../../../src/domain/earning/act.ts';
import { createActInbox } from '../../../src/services/earning/acts/receive-acts.ts';
import { openTestStore } from '../../support/database.ts';
import { keepLog } from '../fakes.ts';
import { CROWD_POST } from './crowd.ts';
import { MINUTE, openGig, START } from './gigs.ts';

const GIGS = 120;

function reply(text: string): ActEvent {
  const act = { kind: 'reply', accountId: '11', username: 'amy', objectId: `0x${'1'.repeat(40)}` } as const;
  return {
    kind: 'act',
    platform: 'farcaster',
    act: { ...act, actedAt: START + MINUTE, text },
    isUndone: false,
    towards: [{ kind: 'post', id: '0xab' }],
  };
}

test('security: what a webhook tells of many gigs keeps the store from nobody for long: it is stored part by part', async () => {
  const { store, close } = await openTestStore();
  const gigs: number[] = [];
  for (let each = 0; each < GIGS; each += 1) {
    gigs.push((await openGig(store, { target: CROWD_POST, gigType: 'reply' })).id);
  }
  const atOnce: number[] = [];
  const transaction: typeof store.transaction = (run, options) =>
    store.transaction(async (tx) => {
      let stored = 0;
      const storeActs: typeof tx.storeActs = (...acts) => {
        stored += 1;
        return tx.storeActs(...acts);
      };
      const counted = new Proxy(tx, {
        get: (target, name) => (name === 'storeActs' ? storeActs : Reflect.get(target, name)),
      });
      const done = await run(counted);
      atOnce.push(stored);
      return done;
    }, options);
  const { storeActs: inbox } = createActInbox({
    store: { ...store, transaction },
    clock: () => START + MINUTE,
    log: keepLog().log,
  });
  expect(await inbox([reply('These are certainly enough letters')])).toBe(GIGS);
  expect(atOnce.reduce((sum, each) => sum + each, 0)).toBe(GIGS);
  expect(Math.max(...atOnce)).toBeLessThanOrEqual(50);
  const [first, last] = await Promise.all(
    [gigs[0] ?? 0, gigs.at(-1) ?? 0].map((id) => store.earnings({ gigId: id, limit: 9 })),
  );
  expect([first?.length, last?.length]).toEqual([1, 1]);
  await close();
});
