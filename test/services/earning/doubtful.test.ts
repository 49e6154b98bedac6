import { expect, test } from 'vitest';
import { DAY, END, HOUR, MINUTE, START } from './gigs.ts';
import { openForEachTest, world } from './world.ts';

openForEachTest();

/** An engine for which, from twelve hours after the start, so many lists are empty. */
function openDoubtful(lists: number) {
  const { clock, reader } = world;
  let left = lists;
  return world.engineWith({
    async readActs(query) {
      if (clock.now < START + 12 * HOUR || left === 0) return await reader.readActs(query);
      left -= 1;
      return { acts: [], next: null };
    },
  });
}

test('security: one empty list of likes refuses nobody: that is said twice, minutes apart', async () => {
  const gig = await world.gig();
  world.likes('amy', 'ben');
  await openDoubtful(2).until(END + 2 * DAY);
  expect(await world.outcome(gig)).toEqual({ amy: 'awarded', ben: 'awarded' });
});

test.each([
  ['leaves out an entry', { next: null, isPartial: true }],
  ['leaves out an entry of its first page', { next: 'more', isPartial: true }],
  ['names itself as the next page', { next: 'more', isPartial: false }],
])('security: a list that %s adds who is new, and refuses nobody for being absent', async (_, answer) => {
  const gig = await world.gig();
  const { store, clock, reader } = world;
  world.likes('amy', 'ben');
  let isOdd = true;
  const readActs: typeof reader.readActs = async (query) => {
    if (clock.now < START + HOUR || !isOdd) return await reader.readActs(query);
    if (query.cursor !== null) return { acts: [], next: answer.isPartial ? null : query.cursor };
    const acts = (await reader.readActs(query))?.acts ?? [];
    return { acts: acts.filter(({ username }) => username !== 'ben'), ...answer };
  };
  const engine = world.engineWith({ readActs });
  await engine.until(START + HOUR);
  world.like('cat');
  await engine.until(START + 20 * HOUR);
  expect(await world.outcome(gig)).toEqual({ amy: 'held', ben: 'held', cat: 'held' });
  expect(((await store.watch(gig.id))?.sweptAt ?? 0) < START + HOUR).toBe(true);
  isOdd = false;
  await engine.until(START + 20 * HOUR + 2 * DAY);
  expect(await world.outcome(gig)).toEqual({ amy: 'awarded', ben: 'awarded', cat: 'awarded' });
});

test('behavior: when all likes are taken back, all are refused, minutes later', async () => {
  const gig = await world.gig();
  world.likes('amy', 'ben');
  await world.engine.until(START + 11 * HOUR);
  for (const who of ['amy', 'ben']) world.unlike(who);
  await world.engine.until(START + 12 * HOUR + 30 * 60_000);
  expect(await world.outcome(gig)).toEqual({ amy: 'withdrawn', ben: 'withdrawn' });
  await world.engine.until(END + DAY);
  expect(await world.store.watch(gig.id)).toMatchObject({ failures: 0, overAt: expect.any(Number) });
});

test.each([
  { says: 'lists nothing', answer: { acts: [], next: null }, doubt: 'lists none of the known acts' },
  { says: 'knows no target', answer: null, doubt: 'does not know the target' },
])('security: what one process was told once, and another refutes, is not said twice later ($says)', async (given) => {
  const { store, clock, reader, engine: other } = world;
  let isWrong = false;
  const readActs: typeof reader.readActs = async (query) => (isWrong ? given.answer : await reader.readActs(query));
  const one = world.engineWith({ readActs });
  const doubts = () => one.lines.filter(({ error }) => JSON.stringify(error ?? '').includes(given.doubt)).length;
  /** Has the one process take steps until it doubts what it is told, in the time of one sweep. */
  const mislead = async (times: number) => {
    isWrong = true;
    for (const end = clock.now + 90 * MINUTE; doubts() < times && clock.now < end; clock.now += MINUTE) {
      await one.work();
    }
    isWrong = false;
  };
  const gig = await world.gig();
  world.likes('amy', 'ben');
  await other.until(clock.now + HOUR);
  await mislead(1);
  await other.until(clock.now + 6 * HOUR);
  world.like('cat');
  await other.until(clock.now + HOUR);
  await mislead(2);
  expect(doubts()).toBe(2);
  await other.until(clock.now + HOUR);
  expect(await store.watch(gig.id)).toMatchObject({ goneAt: null, failures: 0 });
  await other.until(END + DAY);
  expect(await world.outcome(gig)).toEqual({ amy: 'awarded', ben: 'awarded', cat: 'awarded' });
});

test('security: an answer that a stopped process had before is not the second one by which an account is gone', async () => {
  const { clock, reader } = world;
  const gig = await world.gig();
  world.likes('amy', 'ben');
  let lacking = 0;
  let onAnswer: (() => Promise<void>) | null = null;
  const readAccounts: typeof reader.readAccounts = async (ids, query) => {
    const found = new Map(await reader.readAccounts(ids, query));
    if (lacking > 0 && found.delete(world.idOf('ben'))) lacking -= 1;
    await onAnswer?.();
    return found;
  };
  const [one, other] = [world.engineWith({ readAccounts }), world.engineWith({ readAccounts })];
  await one.until(START + 12 * HOUR - MINUTE);
  lacking = 2;
  // The one stops with its answer, until the other has had one without the account, too, and an hour has passed.
  onAnswer = async () => {
    onAnswer = null;
    clock.now += 3 * MINUTE;
    await other.work();
    expect(lacking).toBe(0);
    expect(await world.outcome(gig)).toMatchObject({ ben: 'held' });
    clock.now += HOUR;
  };
  await one.until(START + 13 * HOUR + 10 * MINUTE);
  await other.until(END + DAY);
  expect(await world.outcome(gig)).toEqual({ amy: 'awarded', ben: 'awarded' });
});
