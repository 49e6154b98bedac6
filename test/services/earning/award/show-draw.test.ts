import { expect, test } from 'vitest';
import type { AccountKey } from '../../../../src/domain/account.ts';
import { commitmentOf, drawsAt } from '../../../../src/domain/earning/payouts/draw.ts';
import { storeRules } from '../../../../src/domain/earning/terms/rules-json.ts';
import { isoText, minuteText } from '../../../../src/domain/time.ts';
import {
  findDraw,
  findEntrants,
  headOf,
  readEntrants,
  type ShownDraw,
} from '../../../../src/services/earning/award/show-draw.ts';
import { drawRaffle } from '../../../../src/services/earning/ways/draw.ts';
import type { Store } from '../../../../src/store/port/index.ts';
import { SAMPLE_RULES, SAMPLE_TARGET, seedGigWithRules } from '../../../support/earning.ts';
import { seedGig } from '../../../support/store.ts';
import { HOUR, MINUTE, SECRET } from '../gigs.ts';
import { rafflesPerCase } from '../raffles.ts';

const { store, clock, deps, enter, fix } = rafflesPerCase();

const show = ({ id: gigId }: { id: number }) => findDraw({ store }, { gigId });
async function textOf({ id: gigId }: { id: number }): Promise<string> {
  let text = '';
  for await (const part of await findEntrants({ store }, { gigId })) text += part;
  return text;
}
const refused = (message: string) => ({ refusal: { code: 'invalid_request', message } });

test('behavior: a draw shows its secret, its prize and its winners once it is drawn, and its entrants once they are fixed', async () => {
  const gig = await enter([11, 12, 9]);
  const at = drawsAt({ ...SAMPLE_RULES, holdMs: HOUR }, gig);
  const open = {
    gigId: gig.id,
    gig: await store.gig(gig.id),
    places: 2,
    drawsAt: at,
    commitment: commitmentOf(SECRET),
  };
  const hidden = { fixed: null, lot: null, secret: null, prize: null, winners: [] };
  expect(await show(gig)).toEqual({ ...open, ...hidden, state: 'open' });
  const early = `The entrants of gig ${gig.id} are not fixed yet; it is drawn from ${minuteText(at)} on.`;
  await expect(textOf(gig)).rejects.toMatchObject(refused(early));
  const other = await fix([11, 12, 9]);
  const shown = await show(other);
  expect(shown).toMatchObject({ state: 'fixed', secret: null, prize: null, winners: [], fixed: { entrants: 3 } });
  const head = `${other.id} ${other.token.chainId} 2 ${isoText(shown.fixed?.notBefore ?? 0)}`;
  const text = `${[head, 'farcaster:11', 'farcaster:12', 'farcaster:9'].join('\n')}\n`;
  expect(await textOf(other)).toBe(text);
  clock.now += 2 * MINUTE;
  await drawRaffle(deps, other, 2);
  const winners = await store.drawWinners(other.id);
  expect(winners).toHaveLength(2);
  const { lot } = (await store.draw(other.id)) ?? {};
  expect(await show(other)).toMatchObject({ state: 'drawn', secret: SECRET, prize: 50n, winners, lot });
  expect(await textOf(other)).toBe(text);
});

test('error: a gig that is no raffle, or not live, has no draw', async () => {
  const [manual, fixed, created] = [await seedGig(store), await seedGigWithRules(store), await seedGig(store)];
  const rules = storeRules({ ...SAMPLE_RULES, rule: { type: 'raffle', winners: 1 } });
  await store.transaction((tx) => tx.storeEarningRules(created.id, { given: null, rules, target: SAMPLE_TARGET }));
  for (const { id } of [manual, fixed]) {
    await expect(show({ id })).rejects.toMatchObject(refused(`Gig ${id} is no raffle, so it has no draw.`));
  }
  const early = `Gig ${created.id} is not live yet; its draw begins with its start.`;
  await expect(show(created)).rejects.toMatchObject(refused(early));
  await expect(show({ id: 99 })).rejects.toMatchObject({ refusal: { code: 'gig_not_found', gigId: 99 } });
});

test('behavior: a root of the first version, and none, have no first line', () => {
  const fixed = { rootVersion: 2, notBefore: 0 };
  const draw = (change: object) =>
    ({ gig: { id: 7, token: { chainId: 8453 } }, places: 3, fixed, ...change }) as ShownDraw;
  expect(headOf(draw({}))).toBe('7 8453 3 1970-01-01T00:00:00.000Z\n');
  expect([headOf(draw({ fixed: { ...fixed, rootVersion: 1 } })), headOf(draw({ fixed: null }))]).toEqual(['', '']);
});

test('behavior: entrants are read page by page', async () => {
  const all = Array.from(
    { length: 2_000 },
    (_, id) => ({ platform: 'farcaster', platformUserId: String(id) }) as const,
  );
  for (const count of [0, 999, 1_000, 1_001, 2_000]) {
    const queries: object[] = [];
    const entrants: Store['entrants'] = async (gigId, { after, limit }) => {
      queries.push({ gigId, after, limit });
      const from = after === null ? 0 : Number(after.platformUserId) + 1;
      return all.slice(from, Math.min(from + limit, count));
    };
    const pages: (readonly AccountKey[])[] = [];
    for await (const page of readEntrants({ ...store, entrants }, 7)) pages.push(page);
    expect(pages.flat()).toEqual(all.slice(0, count));
    expect(pages.every((page) => page.length > 0)).toBe(true);
    const reads = Array.from({ length: Math.floor(count / 1_000) + 1 }, (_, page) => all[page * 1_000 - 1] ?? null);
    expect(queries).toEqual(reads.map((after) => ({ gigId: 7, after, limit: 1_000 })));
  }
});
