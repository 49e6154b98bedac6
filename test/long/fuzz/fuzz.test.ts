import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { abuseConnections, cutOff } from './clients-part.ts';
import { drawCrowd, fuzzMentions, fuzzTexts } from './command-part.ts';
import { exceedLimit } from './limit-part.ts';
import { fuzzMcp } from './mcp-part.ts';
import { createOracle, fetchDocument, type Oracle } from './oracle.ts';
import { fuzzRequests } from './request-part.ts';
import { checkAlive } from './run.ts';
import { fuzzChallenges, fuzzWebhooks, strayMentions } from './webhook-part.ts';
import { openWorld, type World } from './world.ts';

/** Another seed finds other things: `npm run fuzz` draws one, and tries many times as much. */
const SEED = 20_261_121;
const MENTIONS = 200;

let world: World;
let oracle: Oracle;
let slowClients: Promise<(number | null)[]>;

beforeAll(async () => {
  world = await openWorld({ crowd: drawCrowd(MENTIONS / 2) });
  oracle = createOracle(await fetchDocument(world.url));
  slowClients = cutOff(world);
});

afterAll(async () => {
  await world.close();
});

describe('the check of answers', () => {
  const headers = { 'x-request-id': '1', 'x-content-type-options': 'nosniff', 'content-type': 'application/json' };
  const health = { method: 'GET', path: '/health', proper: true };
  const ok = { status: 200, headers, body: '{"status":"ok"}', surplus: '', ms: 1 };

  test('behavior: takes an answer that is documented', () => {
    expect(oracle.judge(health, ok)).toBeNull();
    const unknown = { ...ok, status: 404, body: '{"error":"Not found","code":"route_not_found","request_id":"1"}' };
    expect(oracle.judge({ ...health, path: '/nothing' }, unknown)).toBeNull();
    const tooLong = { error: 'The headers of the request are too long', code: 'headers_too_long', request_id: '1' };
    const parser = { ...ok, status: 431, body: JSON.stringify(tooLong) };
    expect(oracle.judge({ ...health, proper: false }, parser)).toBeNull();
  });

  test.each([
    ['a field that is not documented', { body: '{"status":"ok","more":1}' }],
    ['a missing field', { body: '{}' }],
    ['a body that is not JSON', { body: 'ok' }],
    ['a status that is not documented', { status: 500, body: '{"error":"Internal server error"}' }],
    ['another content type', { headers: { ...headers, 'content-type': 'text/html' } }],
    ['no request id', { headers: { ...headers, 'x-request-id': undefined } }],
    ['a second answer', { surplus: 'HTTP/1.1 200 OK' }],
    ['a refusal by the parser', { status: 400, body: '{"error":"The request is not valid HTTP/1.1"}' }],
  ])('behavior: refuses %s', (_what, change) => {
    // The type has no absent headers; the wire has.
    expect(oracle.judge(health, { ...ok, ...(change as Partial<typeof ok>) })).not.toBeNull();
  });

  test('behavior: refuses a fault of the service, although the document names it', () => {
    const fault = { ...ok, status: 500, body: '{"error":"Internal server error"}' };
    expect(oracle.judge({ ...health, path: '/api/gigs' }, fault)).toMatch(/^a fault of the service: 500/);
  });

  test('behavior: refuses silence', () => {
    expect(oracle.judge(health, { status: 0, reason: 'closed without an answer', ms: 1 })).not.toBeNull();
    const late = { status: 0, reason: 'no answer in time', ms: 1 } as const;
    expect(oracle.judge({ ...health, proper: false }, late)).not.toBeNull();
  });
});

test('security: no text outside the grammar starts or pays anything', async () => {
  const { texts, commands, named } = await fuzzTexts({ count: 15_000, seed: SEED });
  expect(texts).toBeGreaterThanOrEqual(15_000);
  expect(commands).toBeGreaterThan(50);
  expect(named).toBeGreaterThan(50);
});

test('security: no mention by owners of funded gigs, outside the grammar, starts or pays anything', async () => {
  const { posted, mentions } = await fuzzMentions(world, { count: MENTIONS, seed: SEED });
  expect(posted).toEqual({ farcaster: MENTIONS / 2, twitter: MENTIONS / 2 });
  expect(mentions).toBeGreaterThan(MENTIONS / 2);
  const owner = world.farcaster.users().at(-1)?.username ?? '';
  const [trap] = world.seeded.traps;
  const post = world.farcaster.post({ author: owner, text: `@gigclaim start gig ${trap?.id}` });
  expect((await world.farcaster.waitForReply(post.id, 20_000))?.text).toContain('is live until');
});

test.each(['farcaster', 'twitter'] as const)(
  'security: nothing is taken from %s that it did not sign',
  async (platform) => {
    const report = await fuzzWebhooks(world, platform, { count: 1_000, seed: SEED });
    expect(report.deliveries - report.signed).toBeGreaterThan(500);
    expect(report.signed).toBeGreaterThan(100);
    expect(await strayMentions(world, platform, report)).toEqual([]);
    for (const id of report.genuine) {
      // The network refuses replies to signed posts that it does not have, and their authors then wait, for five minutes at most.
      expect(await world[platform].waitForReply(id, 330_000)).not.toBeNull();
      expect(world[platform].repliesTo(id)).toHaveLength(1);
    }
  },
  600_000,
);

test('security: no challenge has an event signed', async () => {
  const { answered } = await fuzzChallenges(world, { count: 1_000, seed: SEED });
  expect(answered).toBeGreaterThan(50);
});

test('security: every answer to a hostile request is documented', async () => {
  const { proper, statuses } = await fuzzRequests(world, { count: 2_000, seed: SEED });
  expect(proper).toBeGreaterThan(1_000);
  for (const status of [200, 201, 400, 401, 404, 413, 431]) expect(statuses[status]).toBeGreaterThan(0);
  await checkAlive(world);
});

test('security: no message to /mcp is a fault, each refusal has a code, and without a key nothing changes', async () => {
  const stranger = await fuzzMcp(world, { count: 600, seed: SEED, key: null });
  expect(stranger.calls.refused).toBeGreaterThan(50);
  const client = await fuzzMcp(world, { count: 1_200, seed: SEED, key: world.apiKey });
  expect(client.calls.done).toBeGreaterThan(20);
  expect(client.calls.refused).toBeGreaterThan(50);
  for (const status of [200, 400, 413]) expect(client.statuses[status]).toBeGreaterThan(0);
  await checkAlive(world);
});

test('security: others are served while clients hold connections', async () => {
  const reports = await abuseConnections(world, { lookUps: 10 });
  expect(reports.map(({ served }) => served)).toEqual(Array.from({ length: 7 }, () => 10));
  await checkAlive(world);
});

test('security: a client that sends nothing, or never ends, is cut off', async () => {
  expect(await slowClients).toEqual([408, 408, 408]);
});

test('security: above its limit a client is refused as documented, whoever it says it is', async () => {
  const limited = await openWorld({ env: { RATE_LIMIT_PER_MINUTE: '30' } });
  try {
    const { passed, refused } = await exceedLimit(limited, { limit: 30 });
    expect(passed).toBe(30);
    expect(refused).toBeGreaterThan(30);
  } finally {
    await limited.close();
  }
});
