import { expect, test } from 'vitest';
import { DAY, END, HOUR, MINUTE, START } from './gigs.ts';
import { openForEachTest, world } from './world.ts';

openForEachTest();

const overAt = async (gigId: number) => (await world.store.watch(gigId))?.overAt ?? null;

/** An engine in the middle of a step: it has its platform's first answer, and goes on with it when it is told to. */
async function suspended() {
  const gate = Promise.withResolvers<void>();
  const answered = Promise.withResolvers<void>();
  const engine = world.engineWith({
    async readActs(query) {
      const acts = await world.reader.readActs(query);
      answered.resolve();
      await gate.promise;
      return acts;
    },
  });
  const pending = engine.step();
  await answered.promise;
  const goOn = async () => {
    gate.resolve();
    await pending;
  };
  return { engine, goOn };
}

test('behavior: a gig is over although people go on acting after its end', async () => {
  const gig = await world.gig();
  world.like('amy');
  await world.engine.until(END);
  for (let at = END + HOUR; at < END + 2 * DAY; at += 6 * HOUR) {
    await world.engine.until(at);
    world.like(`late${at}`);
    if (at === END + HOUR) world.unlike('amy');
    if (at === END + HOUR) world.like('amy');
  }
  expect(await overAt(gig.id)).toBeLessThan(END + DAY);
  expect(await world.outcome(gig)).toEqual({ amy: 'awarded' });
});

test('behavior: what was done in time and seen within ten minutes after the end counts', async () => {
  const gig = await world.gig();
  await world.engine.until(END - MINUTE);
  world.like('amy');
  world.network.faults.api = 'server_error';
  await world.engine.until(END + MINUTE);
  world.network.faults.api = 'none';
  await world.engine.until(END + DAY);
  expect(await world.outcome(gig)).toEqual({ amy: 'awarded' });
});

test('error: a process that was suspended in a look stores nothing once another one has the watch', async () => {
  const gig = await world.gig({ holdMs: 0 });
  await world.engine.until(END - MINUTE);
  world.like('zed');
  world.clock.now = END;
  const { engine, goOn } = await suspended();
  world.unlike('zed');
  await world.engine.until(END + DAY);
  const before = await overAt(gig.id);
  await goOn();
  expect(before).not.toBeNull();
  expect(await world.outcome(gig)).toEqual({});
  expect(engine.lines.filter(({ level }) => level === 'error')).toEqual([]);
});

test('error: a process that was suspended in a page does not make a like stand that was taken back', async () => {
  const gig = await world.gig();
  world.likes('amy', 'ben');
  await world.engine.until(START + 11 * HOUR);
  world.clock.now = START + 11.5 * HOUR;
  const { goOn } = await suspended();
  world.unlike('amy');
  world.clock.now = START + 12.5 * HOUR;
  await world.engine.step();
  await goOn();
  await world.engine.until(END + DAY);
  expect(await world.outcome(gig)).toEqual({ amy: 'withdrawn', ben: 'awarded' });
});

test('behavior: what one process alone asked for before a long pause was seen when it asked', async () => {
  const gig = await world.gig();
  await world.engine.until(START + HOUR);
  world.like('amy');
  world.clock.now = START + 2 * HOUR;
  const { goOn } = await suspended();
  world.clock.now = START + 9 * HOUR;
  await goOn();
  const [earning] = await world.store.earnings({ gigId: gig.id, limit: 1 });
  expect(earning?.dueAt).toBe(START + 14 * HOUR);
});
