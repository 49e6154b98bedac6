import { describe, expect, test } from 'vitest';
import type { Gig } from '../../../src/domain/gigs/gig.ts';
import type { StoreTx } from '../../../src/store/port/index.ts';
import { decideAs, sampleAccount, sampleAct, seedActs, seedWatchedGig } from '../../support/earning.ts';
import { useRawStore } from './raw.ts';

const HEX = 'ab'.repeat(32);
const FIXED = { entrants: 3, root: HEX, rootVersion: 2, fixedAt: 1_000, notBefore: 61_000 };
const BLOCK = { number: 7n, hash: `0x${HEX}`, at: 62_000 } as const;
const WON = { ...sampleAccount(2), place: 1, ticket: HEX };
const FORWARD = 'a draw goes forward only, and keeps what is set';
const HEADLESS = 'a draw is fixed with its places and a block a minute later';

let gig: Gig;

/** Gig 1 for 100 units with an open draw: accounts 1, 2 and 10 are eligible, 4 is refused. */
const { store, change, write, run } = useRawStore(async (store) => {
  gig = await seedWatchedGig(store, { rewardAmount: 100n });
  const ids = [1, 2, 10, 4];
  const acts = ids.map((id) => sampleAct(id));
  await seedActs(store, gig, acts);
  await store.transaction(async (tx) => {
    await tx.openDraw(gig.id, { secret: HEX, commitment: HEX });
    for (const id of ids.slice(0, 3)) await decideAs(tx, gig, sampleAccount(id));
    await decideAs(tx, gig, sampleAccount(4), { to: 'refused', reason: 'too_young' });
  });
});

const close = () => write.closeDraw(gig.id, 900);
const fix = (other: Partial<typeof FIXED> = {}) => write.fixDraw(gig.id, { ...FIXED, ...other });
const divide = (tx: StoreTx) =>
  tx.divideRound(gig.id, { number: 1, pool: 100n, total: 1n, members: 1, reserved: 100n, now: 70_000 });
const keep = (tx: StoreTx) => tx.storeDrawn(gig.id, { block: BLOCK, seed: HEX, drawnAt: 70_000, winners: [WON] });
const draw = () =>
  change(async (tx) => {
    await decideAs(tx, gig, sampleAccount(2), { part: { round: 1, weight: 1n } });
    await divide(tx);
    return await keep(tx);
  });

describe('a draw', () => {
  test('behavior: goes forward step by step, and keeps its entrants in the order of their bytes', async () => {
    const lines = async (query = { after: null as null | ReturnType<typeof sampleAccount>, limit: 9 }) =>
      (await store.entrants(gig.id, query)).map(({ platformUserId }) => platformUserId);
    expect(await lines()).toEqual(['1', '10', '2']);
    expect([await close(), await close()]).toEqual([true, false]);
    expect([await fix(), await fix()]).toEqual([true, false]);
    expect(await store.draw(gig.id)).toMatchObject({ state: 'fixed', fixed: FIXED, lot: null });
    expect([await draw(), await change(keep)]).toEqual([true, false]);
    const lot = { block: BLOCK, seed: HEX, drawnAt: 70_000 };
    expect(await store.draw(gig.id)).toEqual({
      gigId: gig.id,
      secret: HEX,
      commitment: HEX,
      state: 'drawn',
      fixed: FIXED,
      lot,
    });
    expect(await store.drawWinners(gig.id)).toEqual([{ ...WON, username: 'alice' }]);
    await write.refuseOpenEarnings(gig.id, { reason: 'share_too_small', now: 1, limit: 0 });
    const others = { from: 'eligible', to: 'refused', reason: 'not_drawn' } as const;
    await decideAs(write, gig, sampleAccount(1), others);
    expect(await lines()).toEqual(['1', '10', '2']);
    expect(await lines({ after: sampleAccount(1), limit: 1 })).toEqual(['10']);
    expect(await store.draw(99)).toBeNull();
  });

  test('security: no step is left out, and nothing that is set changes', async () => {
    expect(await fix()).toBe(false);
    expect(await change(keep)).toBe(false);
    const { id } = gig;
    await expect(write.openDraw(id, { secret: HEX, commitment: HEX })).rejects.toThrow('a draw begins open');
    expect(run(`update draws set commitment = '${'cd'.repeat(32)}'`)).toThrow(FORWARD);
    await close();
    await expect(fix({ notBefore: 60_999 })).rejects.toThrow(HEADLESS);
    await expect(fix({ rootVersion: 1 })).rejects.toThrow(HEADLESS);
    await fix();
    expect(run(`update draws set root = '${'cd'.repeat(32)}'`)).toThrow(FORWARD);
    expect(run("update draws set state = 'closed'")).toThrow(FORWARD);
    expect(run('update draws set root_version = 1')).toThrow(FORWARD);
    expect(run('delete from draws')).toThrow('a draw cannot be deleted');
    const won = `insert into draw_winners values (${id}, 1, 'farcaster', '1', '${HEX}')`;
    await expect(change(keep)).rejects.toThrow('a draw divides what is left');
    await draw();
    expect(run(won)).toThrow('winners come with their draw');
    expect(run('update draw_winners set place = 2')).toThrow('a winner cannot be changed');
    expect(run('delete from draw_winners')).toThrow('a winner cannot be deleted');
    expect(run(`update draws set seed = '${'cd'.repeat(32)}'`)).toThrow(FORWARD);
  });

  test('security: it is closed when nobody is held, and nobody enters or leaves afterwards', async () => {
    await seedActs(store, gig, [sampleAct(5)]);
    await expect(close()).rejects.toThrow('a draw is closed when nobody is held');
    await decideAs(write, gig, sampleAccount(5), { to: 'refused', reason: 'withdrawn' });
    await close();
    await seedActs(store, gig, [sampleAct(6)]);
    const enters = 'nobody enters or leaves a draw that is closed';
    const stays = 'an entrant of a draw stays until the draw';
    const decide = (id: number, decision: Parameters<typeof decideAs>[3]) =>
      decideAs(write, gig, sampleAccount(id), decision);
    await expect(decide(6, {})).rejects.toThrow(enters);
    await expect(decide(6, { to: 'refused', reason: 'not_drawn' })).rejects.toThrow(enters);
    expect(await decide(6, { to: 'refused', reason: 'after_end' })).toBe(true);
    await expect(decide(1, { to: 'held' })).rejects.toThrow(stays);
    await expect(decide(1, { to: 'refused', reason: 'withdrawn' })).rejects.toThrow(stays);
    await expect(decide(1, { to: 'refused', reason: 'not_drawn' })).rejects.toThrow(stays);
    await expect(decide(1, { part: { round: 1, weight: 1n } })).rejects.toThrow(stays);
    expect(run("delete from earnings where platform_user_id = '1'")).toThrow('cannot be deleted');
    await fix();
    await draw();
    expect(await decide(1, { to: 'refused', reason: 'not_drawn' })).toBe(true);
    await expect(decide(1, { to: 'held' })).rejects.toThrow(enters);
    await expect(decide(2, { to: 'refused', reason: 'not_drawn' })).rejects.toThrow('a member of a divided round');
  });

  test('behavior: other gigs are not touched by its rules', async () => {
    await close();
    const other = await seedWatchedGig(store);
    await seedActs(store, other, [sampleAct(1)]);
    expect(await decideAs(write, other, sampleAccount(1))).toBe(true);
    const leaves = { to: 'refused', reason: 'withdrawn' } as const;
    expect(await decideAs(write, other, sampleAccount(1), leaves)).toBe(true);
  });
});
