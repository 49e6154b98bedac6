import http from 'node:http';
import { expect, test } from 'vitest';
import { createFarcaster } from '../../../src/platforms/farcaster/adapter.ts';
import { FARCASTER, openWire } from '../../platforms/setup.ts';
import { createEngine, type SetClock } from './engine.ts';
import { HOUR, MINUTE, START } from './gigs.ts';
import { openForEachTest, world } from './world.ts';

openForEachTest();

/** Neynar's smallest plan: so many calls a minute. */
const CALLS_A_MINUTE = 300;
const CALL_MS = 100;

/** A Neynar that takes its time for each call, and refuses those beyond the limit. */
async function openStarterPlan(upstream: string, clock: SetClock) {
  const recent: number[] = [];
  const counts = { calls: 0, refused: 0 };
  const wire = await openWire((response, { method = 'GET', url = '/', headers }) => {
    clock.now += CALL_MS;
    counts.calls += 1;
    while ((recent[0] ?? clock.now) <= clock.now - MINUTE) recent.shift();
    if (recent.length >= CALLS_A_MINUTE) {
      counts.refused += 1;
      response.writeHead(429, { 'content-type': 'application/json' }).end('{"message":"slow down"}');
      return;
    }
    recent.push(clock.now);
    const passed = http.request(`${upstream}${url}`, { method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 500, answer.headers);
      answer.pipe(response);
    });
    passed.end();
  });
  return { wire, counts };
}

async function withEngine() {
  const { wire, counts } = await openStarterPlan(world.network.url, world.clock);
  const { acts } = createFarcaster({ ...FARCASTER, baseUrl: wire.url, clock: () => world.clock.now, timeoutMs: 3_000 });
  if (acts === null) throw new Error('Farcaster is not watched');
  const engine = createEngine({ store: world.store, clock: world.clock, reader: acts });
  return { wire, counts, engine };
}

test('security: accounts whose many replies are all deleted keep the others waiting for minutes only, at the smallest plan', async () => {
  const { wire, counts, engine } = await withEngine();
  const gig = await world.gig({ gigType: 'reply', holdMs: HOUR });
  const posts: { who: string; post: string }[] = [];
  for (let account = 0; account < 20; account += 1) {
    const who = `bad${account}`;
    for (let each = 0; each < 20; each += 1) {
      posts.push({ who, post: world.reply(who, `some quite long words of ${account} and ${each} indeed`).id });
    }
  }
  world.clock.now += MINUTE;
  world.reply('honest', 'These are certainly enough letters');
  await engine.until(START + 30 * MINUTE);
  for (const { who, post } of posts) world.act({ kind: 'delete', who, post });
  const before = counts.calls;
  await engine.until(START + HOUR + 30 * MINUTE);
  const { honest, ...others } = await world.outcome(gig);
  expect(honest).toBe('awarded');
  expect(new Set(Object.values(others))).toEqual(new Set(['withdrawn']));
  // Each deleted reply costs one call, and is not asked about again after a refusal.
  expect(counts.calls - before).toBeLessThan(600);
  await wire.close();
}, 60_000);

test('security: a copy is not judged before its original, about which the platform has not answered', async () => {
  const gig = await world.gig({ gigType: 'reply', holdMs: HOUR });
  const original = world.reply('amy', 'These are certainly enough letters');
  world.clock.now += MINUTE;
  world.reply('copycat', 'These are certainly enough letters');
  world.reply('other', 'Something else of enough letters');
  let isSilent = true;
  const engine = world.engineWith({
    async readPosts(ids) {
      const found = await world.reader.readPosts(ids);
      return new Map([...found].filter(([id]) => !isSilent || id !== original.id));
    },
  });
  await engine.until(START + 2 * HOUR);
  expect(await world.outcome(gig)).toEqual({ amy: 'held', copycat: 'held', other: 'awarded' });
  isSilent = false;
  await engine.until(START + 4 * HOUR);
  expect(await world.outcome(gig)).toEqual({ amy: 'awarded', copycat: 'duplicate_text', other: 'awarded' });
});
