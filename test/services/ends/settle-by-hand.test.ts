import { expect, test } from 'vitest';
import { type AccountActor, COMMAND_LINE } from '../../../src/domain/operators/actor.ts';
import { settleByHand } from '../../../src/services/ends/settle-by-hand.ts';
import type { Store } from '../../../src/store/port/index.ts';
import { perCase, storePerCase } from '../../support/per-case.ts';
import { seedGig } from '../../support/store.ts';
import { CROWD_POST, createCrowd } from '../earning/crowd.ts';
import { createEngine, type SetClock } from '../earning/engine.ts';
import { DAY, END, openGig, START } from '../earning/gigs.ts';

const { store, database } = storePerCase();
const clock = perCase((): SetClock => ({ now: START }));
const deps = perCase(() => createEngine({ store, clock, reader: createCrowd(clock).reader }).deps);

/** When all about the gigs of this file is over. */
const OVER = END + DAY;
const ask = (gigId: number, isUnasked?: boolean, using = deps) =>
  settleByHand(using, { gigId, actor: COMMAND_LINE, ...(isUnasked === undefined ? {} : { isUnasked }) });
const storeWith = (change: Partial<Store>): Store => ({ ...store, ...change });

test.each([true, false, undefined])(
  'behavior: with isUnasked %s, what is due is done first, of a gig that is watched alone',
  async (isUnasked) => {
    const manual = await seedGig(store, { live: true });
    const [watched, decided] = [
      await openGig(store, { target: CROWD_POST }),
      await openGig(store, { target: CROWD_POST }),
    ];
    await database.sql('update watches set over_at = ? where gig_id = ?', END, decided.id);
    clock.now = OVER;
    for (const { id } of [manual, decided]) {
      expect(await ask(id, isUnasked)).toEqual({ advance: null, why: null, gig: await store.gig(id) });
    }
    expect(await ask(watched.id, isUnasked)).toMatchObject({ advance: { failure: null } });
    const entries = await store.auditEvents({ gigId: watched.id, limit: 9 });
    const action = isUnasked === true ? 'gig.refuse_open' : 'gig.settle';
    expect(entries.map((entry) => entry.action)).toContain(action);
  },
);

test('error: of a gig that runs it says so, and goes no further where nothing is asked', async () => {
  const gig = await seedGig(store, { live: true });
  expect(await ask(gig.id)).toEqual({ advance: null, gig, why: 'running' });
  const running = { refusal: { code: 'gig_not_settleable', why: 'running' } };
  await expect(ask(gig.id, true)).rejects.toMatchObject(running);
});

test('error: what is no refusal of a settlement is passed on', async () => {
  const { id: gigId } = await seedGig(store, { live: true });
  clock.now = OVER;
  const transaction = () => Promise.reject(new TypeError('ours'));
  await expect(ask(gigId, false, { ...deps, store: storeWith({ transaction }) })).rejects.toThrow('ours');
  const actor: AccountActor = { kind: 'account', platform: 'farcaster', platformUserId: '7', requestId: null };
  const refusal = { code: 'not_gig_owner', gigId, act: 'settle' };
  for (const ownsGig of [store.ownsGig, async () => true]) {
    const asked = settleByHand({ ...deps, store: storeWith({ ownsGig }) }, { gigId, actor });
    await expect(asked).rejects.toMatchObject({ refusal });
  }
  expect((await store.gig(gigId))?.settledAt).toBeNull();
});
