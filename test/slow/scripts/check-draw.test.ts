import { createHash } from 'node:crypto';
import { createServer } from 'node:http';
import { text as readText } from 'node:stream/consumers';
import { expect, onTestFinished, test } from 'vitest';
import { listen } from '../../support/listen.ts';
import { run } from '../../support/process.ts';

/** Blocks of the chain come every two seconds from here on, the first having the number 0. */
const GENESIS = Date.UTC(2026, 11, 1);
const FIXED_AT = GENESIS + 600_000;
const PLACES = 2;
const SECRET = '5e'.repeat(32);
const PEOPLE = ['1', '10', '100', '2', '99'].map((id) => `farcaster:${id}`);
const FRIEND = 'farcaster:99';

const sha256 = (...parts: readonly (Buffer | string)[]) =>
  createHash('sha256')
    .update(Buffer.concat(parts.map((part) => Buffer.from(part))))
    .digest('hex');
const unhex = (text: string) => Buffer.from(text.replace(/^0x/, ''), 'hex');
const iso = (time: number) => new Date(time).toISOString();
const COMMITMENT = sha256(unhex(SECRET));

function blockAt(number: number) {
  const hash = (of: number) => `0x${sha256(`block ${of}`)}`;
  return { number, hash: hash(number), parentHash: hash(number - 1), time: GENESIS + number * 2_000 };
}

interface Form {
  readonly version?: 1 | 2;
  readonly fixedAt?: number;
  readonly places?: number;
  /** The lines of the entrants. */
  readonly people?: readonly string[];
}

/** What a service answers after a draw that keeps the rules, fixed at that time. */
function drawn({ version = 2, fixedAt = FIXED_AT, places = PLACES, people = PEOPLE }: Form = {}) {
  const notBefore = fixedAt + 60_000;
  const block = blockAt(Math.ceil((notBefore - GENESIS) / 2_000));
  const head = version === 1 ? '' : `42 8453 ${places} ${iso(notBefore)}\n`;
  const entrants = `${head}${people.map((line) => `${line}\n`).join('')}`;
  const root = sha256(entrants);
  const seed = sha256(unhex(SECRET), unhex(block.hash), unhex(root));
  const tickets = people.map((line) => ({ line, ticket: sha256(unhex(seed), line) }));
  const best = tickets.toSorted((a, b) => (a.ticket < b.ticket ? -1 : 1)).slice(0, places);
  const winners = best.map(({ line, ticket }, index) => {
    const [name, platform_user_id] = line.split(':');
    const platform = name === 'twitter' ? 'x' : name;
    return { place: index + 1, platform, platform_user_id, line, ticket };
  });
  const shown = { number: String(block.number), hash: block.hash, time: iso(block.time) };
  const gigs = { gig_id: 42, state: 'drawn', places, entrants: people.length, chain_id: 8453, chain: 'base' };
  const fixing = { commitment: COMMITMENT, root, fixed_at: iso(fixedAt), not_before: iso(notBefore) };
  const form = version === 1 ? {} : { root_version: version };
  const draw: Record<string, unknown> = { ...gigs, ...fixing, ...form, block: shown, secret: SECRET, seed, winners };
  const rule = { type: 'raffle', winners: places };
  const gig: Record<string, unknown> = { id: 42, chain: { chain_id: 8453 }, earning_rules: { rule } };
  return { draw, gig, entrants, winners: winners.map(({ line }) => line) };
}

/** A draw that a party with the database has repeated at later times until the friend wins. */
function redrawn(form: Form = {}) {
  for (let fixedAt = FIXED_AT + 2_000; ; fixedAt += 2_000) {
    const again = drawn({ ...form, fixedAt });
    if (again.winners.includes(FRIEND)) return again;
  }
}

async function serve(answer: (path: string, body: string) => string | null): Promise<string> {
  const server = createServer(async (request, response) => {
    const text = answer(request.url ?? '', await readText(request));
    response.writeHead(text === null ? 404 : 200).end(text ?? 'no such \u001b[2K page');
  });
  const { url, close } = await listen(server);
  onTestFinished(close);
  return url;
}

function endpoint(): Promise<string> {
  return serve((_, body) => {
    const { method, params } = JSON.parse(body) as { method: string; params: [string] };
    if (method === 'eth_chainId') return JSON.stringify({ result: '0x2105' });
    const { hash, parentHash, time } = blockAt(Number(params[0]));
    return JSON.stringify({ result: { hash, parentHash, timestamp: `0x${(time / 1_000).toString(16)}` } });
  });
}

type Answers = Pick<ReturnType<typeof drawn>, 'draw' | 'gig' | 'entrants'>;

function service({ draw, gig, entrants }: Answers): Promise<string> {
  const texts = new Map([
    ['/api/gigs/42', JSON.stringify({ data: gig })],
    ['/api/gigs/42/draw', JSON.stringify({ data: draw })],
    ['/api/gigs/42/draw/entrants', entrants],
  ]);
  return serve((path) => texts.get(path) ?? null);
}

async function check(url: string, ...args: string[]): Promise<{ code: number | string; output: string }> {
  const checked = run('docs/check-draw.mjs', { args: [url, '42', ...args], env: {} });
  return { code: await checked.ended, output: checked.output() };
}

/** What a person noted before the draw. */
const notesOf = ({ draw }: Answers) => [`--commitment=${draw['commitment']}`, `--root=${draw['root']}`];

test('behavior: accounts on X are named by their lines, which call it by its earlier name', async () => {
  const draw = drawn({ people: ['1', '2', '99'].map((id) => `twitter:${id}`) });
  const notes = [`--rpc=${await endpoint()}`, ...notesOf(draw)];
  expect(await check(await service(draw), ...notes)).toMatchObject({ code: 0 });
  const winners = draw.draw['winners'] as Record<string, unknown>[];
  const elsewhere = winners.map((winner) => ({ ...winner, platform: 'farcaster' }));
  const { code, output } = await check(
    await service({ ...draw, draw: { ...draw.draw, winners: elsewhere } }),
    ...notes,
  );
  expect(code).toBe(1);
  expect(output).toContain('the winners are named by their lines');
});

test('security: a raffle that was fixed again at other times until a friend won does not pass what was noted', async () => {
  const honest = drawn();
  expect(honest.winners).not.toContain(FRIEND);
  const notes = [`--rpc=${await endpoint()}`, ...notesOf(honest)];
  expect(await check(await service(honest), ...notes)).toMatchObject({ code: 0 });
  const cheat = redrawn();
  const ofOld = redrawn({ version: 1 });
  const { root } = honest.draw;
  const attacks: [what: string, answers: Answers][] = [
    ['another root', cheat],
    ['the root as it was noted, with the new text', { ...cheat, draw: { ...cheat.draw, root } }],
    ['the root and the text as they were', { ...cheat, entrants: honest.entrants, draw: { ...cheat.draw, root } }],
    ['a root of the old form', ofOld],
    [
      'the text as if it were of the old form',
      { ...cheat, entrants: honest.entrants, draw: { ...ofOld.draw, root, entrants: 6 } },
    ],
  ];
  for (const [what, answers] of attacks) {
    const { code, output } = await check(await service(answers), ...notes);
    expect({ what, code }).toEqual({ what, code: 1 });
    expect(output).toContain('DIFFERS');
    expect(output).not.toContain('OK:');
  }
});

test('security: a root of the old form passes only with the places and the time of the block that were noted', async () => {
  const honest = drawn({ version: 1 });
  const notes = [`--rpc=${await endpoint()}`, ...notesOf(honest)];
  const cheat = redrawn({ version: 1 });
  // Commitment and root are the same, because the root covers the entrants alone.
  expect(notesOf(cheat)).toEqual(notesOf(honest));
  const unproved = await check(await service(cheat), ...notes);
  expect(unproved).toMatchObject({ code: 2, output: expect.stringContaining('NOT PROVED') });
  expect(unproved.output).not.toContain('OK:');
  const all = [...notes, `--places=${PLACES}`, `--not-before=${honest.draw['not_before']}`];
  expect(await check(await service(honest), ...all)).toMatchObject({ code: 0 });
  const caught = await check(await service(cheat), ...all);
  expect(caught).toMatchObject({ code: 1, output: expect.stringContaining('the time of the block') });
  const more = await check(await service(drawn({ version: 1, places: 3 })), ...all);
  expect(more).toMatchObject({ code: 1, output: expect.stringContaining('DIFFERS the number of places') });
});

test('security: a time without its zone is refused, as it is another one in each zone', async () => {
  const honest = drawn();
  const local = String(honest.draw['not_before']).replace('Z', '');
  const entrants = honest.entrants.replace(/^.*\n/, `42 8453 ${PLACES} ${local}\n`);
  const answers = { ...honest, entrants, draw: { ...honest.draw, not_before: local, root: sha256(entrants) } };
  const { code, output } = await check(await service(answers));
  expect({ code, output }).toEqual({
    code: 1,
    output: expect.stringContaining(`DIFFERS the time not_before: "${local}" has not the form of it`),
  });
});

test('security: places, chain and times that differ from the terms of the gig are named', async () => {
  const honest = drawn();
  const url = await endpoint();
  const cases: [what: string, answers: Answers][] = [
    ["the number of places matches the gig's", { ...honest, gig: drawn({ places: 3 }).gig }],
    ["the chain matches the gig's", { ...honest, gig: { ...honest.gig, chain: { chain_id: 10 } } }],
    [
      'the time of the block is a minute or more after the fixing',
      { ...honest, draw: { ...honest.draw, fixed_at: iso(FIXED_AT + 1_000) } },
    ],
  ];
  for (const [what, answers] of cases) {
    const { code, output } = await check(await service(answers), `--rpc=${url}`, ...notesOf(honest));
    expect({ what, code }).toEqual({ what, code: 1 });
    expect(output).toContain(`DIFFERS ${what}`);
  }
  // The clock of the service was behind the chain's: the block is later than a minute after the fixing.
  const slow = { ...honest, draw: { ...honest.draw, fixed_at: iso(FIXED_AT - 300_000) } };
  expect(await check(await service(slow), `--rpc=${url}`, ...notesOf(honest))).toMatchObject({ code: 0 });
});

test('security: what a service says reaches the terminal as JSON strings only', async () => {
  const honest = drawn();
  const evil = '\u001b[2K\r\u009b2K\u202eOK: of 5 entrants\u0007';
  const draws = [
    ...Object.keys(honest.draw).map((name) => ({ ...honest.draw, [name]: evil })),
    { ...honest.draw, block: { ...(honest.draw['block'] as object), number: evil } },
    { ...honest.draw, block: { ...(honest.draw['block'] as object), hash: evil } },
    { ...honest.draw, winners: [{ place: 1, platform: evil, platform_user_id: evil, line: evil, ticket: evil }] },
    { ...honest.draw, winners: [evil] },
  ];
  const liars = [
    ...draws.map((draw) => service({ ...honest, draw })),
    service({ ...honest, entrants: `${evil}\n${honest.entrants}` }),
    service({ ...honest, gig: { chain: { chain_id: evil }, earning_rules: { rule: { winners: evil } } } }),
    serve(() => evil),
    serve(() => null),
    serve(() => JSON.stringify({ data: evil })),
  ];
  const results = [evil, { hash: evil, timestamp: '0x1' }].map((result) => JSON.stringify({ result }));
  const endpoints = [evil, ...results];
  const runs = [
    ...liars.map(async (liar) => await check(await liar)),
    ...endpoints.map(async (text) => await check(await service(honest), `--rpc=${await serve(() => text)}`)),
  ];
  for (const { code, output } of await Promise.all(runs)) {
    expect(output).toMatch(/^[ -~\n]+$/);
    expect(output.split('\n').some((line) => line.startsWith('OK'))).toBe(code === 0);
  }
});
