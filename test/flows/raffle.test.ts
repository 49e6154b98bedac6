import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { anvilClients, deployToken, freshAddress, mined, startAnvil } from '../support/anvil.ts';
import { run } from '../support/process.ts';
import { openWorld, type World } from '../support/world.ts';

const PATIENCE_MS = 30_000;
const HOUR_MS = 60 * 60 * 1000;
const DAY_MS = 24 * HOUR_MS;

let anvil: Awaited<ReturnType<typeof startAnvil>>;
let world: World;
let key: string;
let ahead: number;

beforeEach(async () => {
  ahead = 0;
  anvil = await startAnvil();
  const env = { EARNING_LOOK_SECONDS: '1', RPC_URL_31337: anvil.url };
  world = await openWorld({ clock: () => Date.now() + ahead, env });
  const args = ['api-key', 'create', '--name', 'flow'];
  const made = run('src/cli/main.ts', { args, env: { DATABASE_URL: `file:${world.databasePath}` } });
  expect(await made.ended, made.output()).toBe(0);
  key = made.output().trimEnd().split('\n').at(-1) ?? '';
});

afterEach(async () => {
  await world.close();
  await anvil.stop();
});

async function send<T>(path: string, body: unknown): Promise<T> {
  const response = await fetch(`${world.url}${path}`, {
    method: 'POST',
    headers: { 'x-api-key': key, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  expect(response.ok, await response.clone().text()).toBe(true);
  // The tests of each route hold the shapes.
  return (await response.json()) as T;
}

interface Shown {
  state: string;
  commitment: string;
  root: string | null;
  not_before: string | null;
  secret: string | null;
  seed: string | null;
  block: { number: string; hash: string } | null;
  winners: { line: string; platform_user_id: string }[];
}

const read = async (path: string) => await fetch(`${world.url}${path}`);

async function draw(gigId: number): Promise<Shown> {
  const response = await read(`/api/gigs/${gigId}/draw`);
  expect(response.status).toBe(200);
  return ((await response.json()) as { data: Shown }).data;
}

/** A raffle of 10 USDC over a week among those who like the cast, funded and live. */
async function startRaffle(url: string, winners: number): Promise<number> {
  const token = await deployToken({ decimals: 6, symbol: 'USDC' }, anvil.url);
  const created = await send<{ gig_id: number; gig_token_address: `0x${string}`; tx_data: `0x${string}` }>(
    '/api/gigs/create',
    {
      chain: 'anvil',
      token_address: token.address,
      amount: 10,
      start_time: new Date(Date.now() + ahead).toISOString(),
      duration: '1week',
      gig_type: 'like',
      url,
      earning_criteria: { rule: { type: 'raffle', winners } },
    },
  );
  const { gig_id: gigId, gig_token_address: to, tx_data: data } = created;
  const { wallet } = anvilClients(anvil.url);
  await mined(await wallet.sendTransaction({ account: token.holder, to, data }), anvil.url);
  await send('/api/gigs/start', { gig_id: gigId });
  return gigId;
}

function addPerson(name: string): string {
  const id = String(5_000 + world.farcaster.users().length);
  const registeredAt = Date.now() - 400 * DAY_MS;
  world.farcaster.addUser({ id, username: name, score: 0.9, registeredAt, verifiedAddresses: [freshAddress()] });
  return id;
}

/** Moves the time of the service and the chain on, and has the chain make blocks. */
async function later(ms: number): Promise<void> {
  const { test: node } = anvilClients(anvil.url);
  ahead += ms;
  await node.increaseTime({ seconds: ms / 1_000 });
  await node.mine({ blocks: 3, interval: 1 });
}

/** The service with one answer that was tampered with. */
async function tampered(change: (path: string, text: string) => string) {
  const server = createServer((request, response) => {
    const path = request.url ?? '';
    void read(path).then(async (answer) => response.writeHead(answer.status).end(change(path, await answer.text())));
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, close: () => new Promise((resolve) => server.close(resolve)) };
}

async function checkDraw(...args: string[]): Promise<{ code: number | string; output: string }> {
  const checked = run('docs/check-draw.mjs', { args, env: {} });
  return { code: await checked.ended, output: checked.output() };
}

test('behavior: a raffle is drawn by a later block, its winners can claim, and a script repeats the draw', async () => {
  const cast = world.farcaster.post({ author: 'alice', text: 'Like this' });
  const gigId = await startRaffle(cast.url, 2);
  const people = ['one', 'two', 'three', 'four', 'five'].map((who) => ({ who, id: addPerson(who) }));
  for (const { who } of people) world.farcaster.act({ who, kind: 'like', post: cast.id });
  const early = await draw(gigId);
  expect(early).toMatchObject({ state: 'open', root: null, secret: null, block: null, winners: [] });
  expect((await read(`/api/gigs/${gigId}/draw/entrants`)).status).toBe(400);
  expect((await checkDraw(world.url, String(gigId))).output).toContain('is not drawn yet: its draw is open');
  const counts = async () =>
    (await world.runtime.store.earningCounts(gigId)).map((each) => `${each.count} ${each.state}`);
  await expect.poll(counts, { timeout: PATIENCE_MS }).toEqual(['5 held']);

  await later(7 * DAY_MS + 13 * HOUR_MS);
  const state = async () => (await draw(gigId)).state;
  await expect.poll(state, { timeout: PATIENCE_MS }).toBe('fixed');
  const fixed = await draw(gigId);
  expect(fixed).toMatchObject({ commitment: early.commitment, secret: null, block: null, winners: [] });
  const entrants = await (await read(`/api/gigs/${gigId}/draw/entrants`)).text();
  expect(entrants).toBe(people.map(({ id }) => `farcaster:${id}\n`).join(''));

  await later(2 * 60_000);
  await expect.poll(state, { timeout: PATIENCE_MS }).toBe('drawn');
  await expect.poll(counts, { timeout: PATIENCE_MS }).toEqual(['2 awarded', '3 refused']);
  const drawn = await draw(gigId);
  expect(drawn).toMatchObject({ commitment: early.commitment, root: fixed.root, not_before: fixed.not_before });
  const claims = await Promise.all(
    people.map(async ({ id }) => {
      const { data } = (await (await read(`/api/claim?identifiers=${id}`)).json()) as {
        data: Record<string, { totalValue: number }>;
      };
      return [id, Object.values(data).reduce((sum, { totalValue }) => sum + totalValue, 0)] as const;
    }),
  );
  const won = new Set(drawn.winners.map(({ platform_user_id }) => platform_user_id));
  expect(claims).toEqual(people.map(({ id }) => [id, won.has(id) ? 5 : 0]));
  // Before the draw nothing that was logged or answered held the secret; nothing that was logged does now.
  expect(world.lines.join('\n')).not.toContain(drawn.secret ?? 'none');

  const noted = [`--rpc=${anvil.url}`, `--commitment=${early.commitment}`, `--root=${fixed.root}`];
  const checked = await checkDraw(world.url, String(gigId), ...noted);
  expect(checked).toMatchObject({ code: 0, output: expect.stringContaining('OK: of 5 entrants 2 were drawn') });
  expect(checked.output).not.toContain('DIFFERS');
  const loser = people.find(({ id }) => !won.has(id))?.id;
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
});
