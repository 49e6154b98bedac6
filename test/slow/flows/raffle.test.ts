import { createServer } from 'node:http';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { listen } from '../../support/listen.ts';
import { run } from '../../support/process.ts';
import { openWatchedWorld, type WatchedWorld } from '../../support/watched-world.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const PEOPLE = ['one', 'two', 'three', 'four', 'five'];

let watched: WatchedWorld;

beforeEach(async () => {
  watched = await openWatchedWorld();
});

afterEach(() => watched.close());

interface Shown {
  state: string;
  commitment: string;
  root: string | null;
  fixed_at: string | null;
  not_before: string | null;
  secret: string | null;
  seed: string | null;
  block: { number: string; hash: string } | null;
  winners: { line: string; platform_user_id: string }[];
}

const read = async (path: string) => await fetch(`${watched.world.url}${path}`);

async function draw(gigId: number): Promise<Shown> {
  const response = await read(`/api/gigs/${gigId}/draw`);
  expect(response.status).toBe(200);
  return ((await response.json()) as { data: Shown }).data;
}

/** The service with one answer that was tampered with. */
async function tampered(change: (path: string, text: string) => string) {
  const server = createServer((request, response) => {
    const path = request.url ?? '';
    void read(path).then(async (answer) => response.writeHead(answer.status).end(change(path, await answer.text())));
  });
  return await listen(server);
}

async function checkDraw(...args: string[]): Promise<{ code: number | string; output: string }> {
  const checked = run('docs/check-draw.mjs', { args, env: {} });
  return { code: await checked.ended, output: checked.output() };
}

test('behavior: a raffle is drawn by a later block, a script repeats the draw, and its winners alone are paid', async () => {
  const { world, rpcUrl } = watched;
  const cast = world.farcaster.post({ author: 'alice', text: 'Like this' });
  const rule = { type: 'raffle', winners: 2 };
  const gigId = await watched.startGig({ gig_type: 'like', url: cast.url, earning_criteria: { rule } });
  const ids = new Map(PEOPLE.map((who) => [watched.addPerson(who), who]));
  for (const who of PEOPLE) world.farcaster.act({ who, kind: 'like', post: cast.id });
  const early = await draw(gigId);
  expect(early).toMatchObject({ state: 'open', root: null, secret: null, block: null, winners: [] });
  expect((await read(`/api/gigs/${gigId}/draw/entrants`)).status).toBe(400);
  expect((await checkDraw(world.url, String(gigId))).output).toContain('is not drawn yet: its draw is "open"');
  const counts = () => watched.counts(gigId);
  await expect.poll(counts).toEqual(['5 held']);

  await watched.later(7 * DAY_MS + 13 * HOUR_MS);
  const state = async () => (await draw(gigId)).state;
  await expect.poll(state).toBe('fixed');
  const fixed = await draw(gigId);
  expect(fixed).toMatchObject({ commitment: early.commitment, secret: null, block: null, winners: [] });
  const entrants = await (await read(`/api/gigs/${gigId}/draw/entrants`)).text();
  const head = `${gigId} 31337 2 ${fixed.not_before}\n`;
  expect(entrants).toBe(`${head}${[...ids.keys()].map((id) => `farcaster:${id}\n`).join('')}`);
  expect(Date.parse(fixed.not_before ?? '')).toBeGreaterThanOrEqual(Date.parse(fixed.fixed_at ?? '') + 60_000);

  await watched.later(2 * 60_000);
  await expect.poll(state).toBe('drawn');
  await expect.poll(counts).toEqual(['2 awarded', '3 refused']);
  const drawn = await draw(gigId);
  expect(drawn).toMatchObject({ commitment: early.commitment, root: fixed.root, not_before: fixed.not_before });
  const winners = drawn.winners.map(({ platform_user_id }) => ids.get(platform_user_id) ?? '');
  const losers = PEOPLE.filter((who) => !winners.includes(who));
  expect(await watched.claimable([...winners, ...losers])).toEqual([5, 5, 0, 0, 0]);
  // Before the draw nothing that was logged or answered held the secret; nothing that was logged does now.
  expect(world.lines.join('\n')).not.toContain(drawn.secret ?? 'none');

  const noted = [`--rpc=${rpcUrl}`, `--commitment=${early.commitment}`, `--root=${fixed.root}`];
  const checked = await checkDraw(world.url, String(gigId), ...noted);
  expect(checked).toMatchObject({ code: 0, output: expect.stringContaining('OK: of 5 entrants 2 were drawn') });
  expect(checked.output).not.toContain('DIFFERS');
  const loser = [...ids].find(([, who]) => who === losers[0])?.[0];
  const tamperings: [what: string, change: (path: string, text: string) => string][] = [
    ['every entrant is there once', (path, text) => (path.endsWith('entrants') ? `${text}farcaster:1\n` : text)],
    [
      'the winners have the lowest tickets',
      (_, text) => text.replace(`"line":"${drawn.winners[0]?.line}"`, `"line":"farcaster:${loser}"`),
    ],
    ['the commitment is the hash of the secret', (_, text) => text.replace(drawn.secret ?? '', 'ab'.repeat(32))],
    ['the hash of the block', (_, text) => text.replace(drawn.block?.hash ?? '', `0x${'ab'.repeat(32)}`)],
    ['the seed', (_, text) => text.replace(drawn.seed ?? '', 'ab'.repeat(32))],
    ['the root is the one that you noted', (_, text) => text.replace(drawn.root ?? '', 'ab'.repeat(32))],
  ];
  for (const [what, change] of tamperings) {
    const liar = await tampered(change);
    const { code, output } = await checkDraw(liar.url, String(gigId), ...noted);
    expect({ what, code }).toEqual({ what, code: 1 });
    expect(output).toContain(`DIFFERS ${what}`);
    await liar.close();
  }

  const page = await (await read(`/gigs/${gigId}/draw`)).text();
  for (const text of [drawn.commitment, drawn.root, drawn.secret, drawn.block?.hash, 'How to check it']) {
    expect(page).toContain(text);
  }
  expect(await (await read(`/gigs/${gigId}`)).text()).toContain(`/gigs/${gigId}/draw`);

  for (const who of winners) expect(await watched.tell(who, 'claim my rewards')).toMatch(/^Paid to 0x\w{40}: 5 USDC/);
  for (const who of losers) expect(await watched.tell(who, 'claim my rewards')).toContain('no claimable tokens');
  const paid = Object.fromEntries(PEOPLE.map((who) => [who, winners.includes(who) ? 5_000_000n : 0n]));
  expect(await watched.holdings(gigId, PEOPLE)).toEqual({ ...paid, treasury: 500_000n, wallet: 0n });
});
