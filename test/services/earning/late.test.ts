import { afterEach, beforeEach, expect, test } from 'vitest';
import { createEngine } from './engine.ts';
import { DAY, END, HOUR, MINUTE, START } from './gigs.ts';
import { type EarningWorld, openEarningWorld } from './world.ts';

let world: EarningWorld;
beforeEach(async () => {
  world = await openEarningWorld();
});
afterEach(() => world.close());

function like(who: string, at = world.clock.now): void {
  world.person(who);
  world.act({ who, kind: 'like', post: world.cast.id, at });
}

const overAt = async (gigId: number) => (await world.store.watch(gigId))?.overAt ?? null;

/** An engine whose platform's first answer comes when it is set free. */
function suspended() {
  const gate = Promise.withResolvers<void>();
  const { store, clock, reader } = world;
  const answered = Promise.withResolvers<void>();
  const engine = createEngine({
    store,
    clock,
    reader: {
      ...reader,
      async readActs(query) {
        const acts = await reader.readActs(query);
        answered.resolve();
        await gate.promise;
        return acts;
      },
    },
  });
  return { engine, free: gate.resolve, answered: answered.promise };
}

test('behavior: a gig is over although people go on acting after its end', async () => {
  const gig = await world.gig();
  like('amy');
  await world.engine.until(END);
  for (let at = END + HOUR; at < END + 2 * DAY; at += 6 * HOUR) {
    await world.engine.until(at);
    like(`late${at}`);
    if (at === END + HOUR) world.act({ who: 'amy', kind: 'unlike', post: world.cast.id });
    if (at === END + HOUR) world.act({ who: 'amy', kind: 'like', post: world.cast.id });
  }
  expect(await overAt(gig.id)).toBeLessThan(END + DAY);
  expect(await world.outcome(gig)).toEqual({ amy: 'awarded' });
});

test('behavior: what was done in time and seen within ten minutes after the end counts', async () => {
  const gig = await world.gig();
  await world.engine.until(END - MINUTE);
  like('amy');
  world.network.faults.api = 'server_error';
  await world.engine.until(END + MINUTE);
  world.network.faults.api = 'none';
  await world.engine.until(END + DAY);
  expect(await world.outcome(gig)).toEqual({ amy: 'awarded' });
});

test('error: a process that was suspended in a look stores nothing once another one has the watch', async () => {
  const gig = await world.gig({ holdMs: 0 });
  await world.engine.until(END - MINUTE);
  like('zed');
  world.clock.now = END;
  const { engine, free, answered } = suspended();
  const pending = engine.step();
  await answered;
  world.act({ who: 'zed', kind: 'unlike', post: world.cast.id });
  await world.engine.until(END + DAY);
  const before = await overAt(gig.id);
  free();
  await pending;
  expect(before).not.toBeNull();
  expect(await world.outcome(gig)).toEqual({});
  expect(engine.lines.filter(({ level }) => level === 'error')).toEqual([]);
});

test('error: a process that was suspended in a page does not make a like stand that was taken back', async () => {
  const gig = await world.gig();
  like('amy');
  like('ben');
  await world.engine.until(START + 11 * HOUR);
  world.clock.now = START + 11.5 * HOUR;
  const { engine, free, answered } = suspended();
  const pending = engine.step();
  await answered;
  world.act({ who: 'amy', kind: 'unlike', post: world.cast.id });
  world.clock.now = START + 12.5 * HOUR;
  await world.engine.step();
  free();
  await pending;
  await world.engine.until(END + DAY);
  expect(await world.outcome(gig)).toEqual({ amy: 'withdrawn', ben: 'awarded' });
});

test('behavior: what one process alone asked for before a long pause was seen when it asked', async () => {
  const gig = await world.gig();
  await world.engine.until(START + HOUR);
  like('amy');
  world.clock.now = START + 2 * HOUR;
  const { engine, free, answered } = suspended();
  const pending = engine.step();
  await answered;
  world.clock.now = START + 9 * HOUR;
  free();
  await pending;
  const [earning] = await world.store.earnings({ gigId: gig.id, limit: 1 });
  expect(earning?.dueAt).toBe(START + 14 * HOUR);
});
