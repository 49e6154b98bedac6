import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { commitmentOf } from '../../../../src/domain/earning/payouts/draw.ts';
import type { Gig } from '../../../../src/domain/gigs/gig.ts';
import { findEntrants } from '../../../../src/services/earning/award/show-draw.ts';
import { closeDraw, drawRaffle, fixDraw } from '../../../../src/services/earning/ways/draw.ts';
import { handOutShares } from '../../../../src/services/earning/ways/rounds.ts';
import {
  decideAs,
  SAMPLE_RULES,
  sampleAccount,
  sampleAct,
  seedActs,
  seedGigWithRules,
} from '../../../support/earning.ts';
import { SEEDED_AT } from '../../../support/store.ts';
import { read, shareDocument } from '../../document.ts';
import { open } from '../../pages/scene.ts';
import { service, shareService } from '../../service.ts';
import { published } from '../../terms.ts';

const DAY = 86_400_000;
const SECRET = '5e'.repeat(32);
const RULES = { ...SAMPLE_RULES, rule: { type: 'raffle', winners: 3 } } as const;
const HASH = `0x${'ab'.repeat(32)}` as const;

shareService();
shareDocument();

/** What draws a seeded raffle; a block that decides is there at once. */
function engine(gig: Gig) {
  const { store } = service;
  const block = { number: 1_234n, hash: HASH, at: gig.endTime + 3 * DAY };
  const newest = { ...block, at: gig.endTime };
  const reader = { newestBlock: async () => newest, firstBlockSince: async () => block };
  const deps = { store, clock: () => gig.endTime + DAY, chains: { reader: () => reader } };
  // Nothing else of them is asked.
  return { deps: deps as unknown as Parameters<typeof drawRaffle>[0] };
}

/** A raffle with so many eligible accounts. */
async function seedRaffle(entrants: number): Promise<Gig> {
  const { store } = service;
  const gig = await seedGigWithRules(store, { rules: RULES, startTime: SEEDED_AT, rewardAmount: 3n * 10n ** 18n });
  const ids = Array.from({ length: entrants }, (_, index) => index + 1);
  await store.transaction((tx) => tx.openDraw(gig.id, { secret: SECRET, commitment: commitmentOf(SECRET) }));
  await seedActs(
    store,
    gig,
    ids.map((id) => sampleAct(id)),
  );
  await store.transaction(async (tx) => {
    for (const id of ids) await decideAs(tx, gig, sampleAccount(id));
  });
  return gig;
}

const path = '/api/gigs/{id}/draw';
const ask = (gig: { id: number }, more = '') => service.app.request(`/api/gigs/${gig.id}/draw${more}`);

async function draw(gig: Gig): Promise<Record<string, unknown>> {
  await read.hold(path, 'get', ask(gig), 200);
  return ((await (await ask(gig)).json()) as { data: Record<string, unknown> }).data;
}

describe('a draw', () => {
  test('behavior: shows what is known, and the secret after the draw alone', async () => {
    const gig = await seedRaffle(5);
    const { deps } = engine(gig);
    const opened = await draw(gig);
    expect(opened).toMatchObject({ state: 'open', places: 3, commitment: commitmentOf(SECRET), root: null });
    expect(opened['draws_at']).toBe(new Date(gig.endTime + DAY / 2 + 60_000).toISOString());
    expect((await open(service, `/gigs/${gig.id}/draw`)).text).toContain('Note the commitment now');
    const early = await ask(gig, '/entrants');
    expect([early.status, await early.json()]).toMatchObject([
      400,
      { error: expect.stringMatching(/^The entrants of gig \d+ are not fixed yet; it is drawn from .* on\.$/) },
    ]);
    await closeDraw(deps, gig.id);
    expect(await draw(gig)).toMatchObject({ state: 'closed', root: null });
    await fixDraw(deps, gig, 3);
    const fixed = await draw(gig);
    expect(fixed).toMatchObject({ state: 'fixed', entrants: 5, secret: null, seed: null, block: null, winners: [] });
    expect(fixed).toMatchObject({ root_version: 2, places: 3, chain_id: gig.token.chainId });
    const before = await open(service, `/gigs/${gig.id}/draw`);
    const head = `${gig.id} ${gig.token.chainId} 3 ${fixed['not_before']}`;
    for (const text of [commitmentOf(SECRET), fixed['root'], head, 'Note the commitment and the root now']) {
      expect(before.text).toContain(text);
    }
    expect(JSON.stringify(fixed)).not.toContain(SECRET);
    await drawRaffle(deps, gig, 3);
    const drawn = await draw(gig);
    const block = { number: '1234', hash: HASH, time: new Date(gig.endTime + 3 * DAY).toISOString() };
    expect(drawn).toMatchObject({ state: 'drawn', root: fixed['root'], secret: SECRET, block, prize: '1' });
    expect(drawn['winners']).toHaveLength(3);
    const page = await open(service, `/gigs/${gig.id}/draw`);
    // Who has won comes first, then what proves it.
    expect(page.text).toMatch(
      /The winners are drawn\. Winners .* 1 @alice 1 DEGEN farcaster:\d .* 3 @alice 1 DEGEN farcaster:\d .* Facts Commitment /,
    );
    expect(page.page).toMatch(
      /<td data-label="Account"><a href="\/claim\/farcaster\/\d">@<bdi>alice<\/bdi><\/a><\/td>/,
    );
    expect((await open(service, `/gigs/${gig.id}`)).text).toContain('The draw, and how to check it');
    const events = await service.store.auditEvents({ limit: 10, gigId: gig.id });
    expect(JSON.stringify(events.map(({ detail }) => detail))).not.toContain(SECRET);
    expect(events.map(({ action }) => action)).toEqual(expect.arrayContaining(['draw.fix', 'draw.draw']));
  });

  test('behavior: the entrants come page by page, and their text has the root as its hash', async () => {
    const gig = await seedRaffle(2_345);
    const { deps } = engine(gig);
    await closeDraw(deps, gig.id);
    await fixDraw(deps, gig, 3);
    const before = await (await ask(gig, '/entrants')).text();
    const [first, ...lines] = before.split('\n').slice(0, -1);
    expect(lines).toHaveLength(2_345);
    expect(lines.slice(0, 3)).toEqual(['farcaster:1', 'farcaster:10', 'farcaster:100']);
    const { root, not_before } = await draw(gig);
    expect(first).toBe(`${gig.id} ${gig.token.chainId} 3 ${not_before}`);
    expect(createHash('sha256').update(before).digest('hex')).toBe(root);
    await drawRaffle(deps, gig, 3);
    await handOutShares(deps, gig.id, null);
    const after = await ask(gig, '/entrants');
    expect(after.headers.get('content-type')).toBe('text/plain; charset=utf-8');
    expect(await after.text()).toBe(before);
  });

  test('behavior: accounts are told that they take part, and when the draw comes', async () => {
    const gig = await seedRaffle(4);
    const { deps } = engine(gig);
    const tell = async () => {
      const answer = await service.app.request(`/api/gigs/${gig.id}/earnings?identifiers=1,2,3,4`);
      const { data } = published(answer, await answer.json()) as { data: { sentence: string }[] };
      return data.map(({ sentence }) => sentence).toSorted();
    };
    const record = async () => {
      const { data } = (await (await service.app.request(`/api/gigs/${gig.id}`)).json()) as {
        data: { earning: { next_division_at: string | null } };
      };
      return data.earning.next_division_at;
    };
    expect(await tell()).toEqual(Array(4).fill('Accepted for the draw.'));
    expect(await record()).toBe((await draw(gig))['draws_at']);
    await closeDraw(deps, gig.id);
    await fixDraw(deps, gig, 3);
    await drawRaffle(deps, gig, 3);
    const waiting = 'Accepted for the draw.';
    expect(await tell()).toEqual([waiting, ...Array(3).fill('Drawn. The tip follows.')]);
    expect(await record()).toBeNull();
  });

  test('behavior: a draw that was fixed before roots covered more says so, and keeps its root', async () => {
    const gig = await seedRaffle(2);
    const { deps } = engine(gig);
    await closeDraw(deps, gig.id);
    await fixDraw(deps, gig, 3);
    const { store } = service;
    const lines = 'farcaster:1\nfarcaster:2\n';
    const root = createHash('sha256').update(lines).digest('hex');
    const ofOld: typeof store = {
      ...store,
      draw: async (gigId) => {
        const kept = await store.draw(gigId);
        return kept?.fixed == null ? kept : { ...kept, fixed: { ...kept.fixed, root, rootVersion: 1 } };
      },
    };
    const parts: string[] = [];
    for await (const part of await findEntrants({ store: ofOld }, { gigId: gig.id })) parts.push(part);
    expect(parts.join('')).toBe(lines);
  });

  test('error: gigs without one say so', async () => {
    const fixed = await seedGigWithRules(service.store);
    await read.hold(path, 'get', ask(fixed), 400);
    await read.hold(`${path}/entrants`, 'get', ask(fixed, '/entrants'), 400);
    await read.hold(path, 'get', ask({ id: 987_654 }), 404);
    expect((await open(service, `/gigs/${fixed.id}/draw`)).status).toBe(400);
  });
});
