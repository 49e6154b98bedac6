import { expect, test } from 'vitest';
import type { Rule } from '../../../src/domain/earning/rules/index.ts';
import { openText } from '../../../src/domain/earning/text.ts';
import { createActInbox } from '../../../src/services/earning/acts/receive-acts.ts';
import { DAY, E18, END, HOUR, MINUTE, START } from './gigs.ts';
import { openForEachTest, world } from './world.ts';

const TEXT = 'A great project with a lovely team behind it';
const OTHER = 'Quite another thing to say about this';
const SPLIT: Rule = { type: 'split', roundMs: 6 * HOUR, maxAmount: 100n * E18 };

openForEachTest();

/** Somebody replies, and a webhook tells of it at once; `at` is what the sender says. */
async function reply(who: string, text: string, at = world.clock.now) {
  const post = world.reply(who, text, at);
  const { storeActs: inbox } = createActInbox(world.engine.deps);
  const account = { accountId: world.idOf(who), username: who };
  const act = { ...account, kind: 'reply', objectId: post.id, actedAt: at, text } as const;
  const towards = [{ kind: 'post', id: world.cast.id }] as const;
  await inbox([{ kind: 'act', platform: 'farcaster', act, isUndone: false, towards }]);
  return post;
}

const after = (ms: number) => world.engine.until(START + ms);

test.each([
  ['judged at once', 100],
  ['judged one by one', 1],
])('security: who copies a text and claims to have been first comes second, %s', async (_title, bulk) => {
  const gig = await world.gig({ gigType: 'reply', rule: SPLIT });
  await after(90 * MINUTE);
  await reply('ann', TEXT);
  await after(95 * MINUTE);
  for (const name of ['mal', 'max', 'meg']) await reply(name, TEXT, START + 70 * MINUTE);
  await world.engineWith({ bulk }).until(END + 2 * DAY);
  const copied = 'duplicate_text';
  expect(await world.outcome(gig)).toEqual({ ann: 'awarded', mal: copied, max: copied, meg: copied });
});

test('security: a copy that claims an earlier round than its original comes second all the same, and delays no round', async () => {
  const gig = await world.gig({ gigType: 'reply', rule: { ...SPLIT, roundMs: 5.5 * HOUR } });
  await after(5.5 * HOUR + MINUTE);
  await reply('ann', TEXT);
  await after(5.5 * HOUR + 2 * MINUTE);
  await reply('mal', TEXT, START + 5.4 * HOUR);
  const [mal] = await world.store.observations(gig.id, world.account(world.idOf('mal')));
  expect(mal?.rankedAt).toBe(START + 5.4 * HOUR);
  await after(18 * HOUR);
  expect(await world.store.lastRound(gig.id)).toMatchObject({ number: 1 });
  expect(await world.outcome(gig)).toEqual({ ann: 'held', mal: 'held' });
  await after(2 * DAY);
  expect(await world.outcome(gig)).toEqual({ ann: 'awarded', mal: 'duplicate_text' });
});

test('behavior: a text counts for the next one that used it when the first one earns nothing', async () => {
  const gig = await world.gig({ gigType: 'reply', rule: SPLIT });
  await after(90 * MINUTE);
  const first = await reply('ann', TEXT);
  await after(95 * MINUTE);
  await reply('ben', TEXT, START + 70 * MINUTE);
  world.act({ kind: 'delete', who: 'ann', post: first.id });
  await after(END - START + 2 * DAY);
  expect(await world.outcome(gig)).toEqual({ ann: 'withdrawn', ben: 'awarded' });
});

test('security: a copy of a later reply of an account, whose first one fails, comes second, too', async () => {
  const gig = await world.gig({ gigType: 'reply', rule: SPLIT });
  await after(90 * MINUTE);
  await reply('ann', 'gm');
  await after(94 * MINUTE);
  await reply('ann', TEXT);
  await after(95 * MINUTE);
  await reply('mal', TEXT, START + 70 * MINUTE);
  await after(END - START + 2 * DAY);
  expect(await world.outcome(gig)).toEqual({ ann: 'awarded', mal: 'duplicate_text' });
});

test('security: two who copy each other do not wait for each other for ever', async () => {
  const gig = await world.gig({ gigType: 'reply', rule: SPLIT });
  await after(90 * MINUTE);
  const first = await reply('ann', TEXT);
  await reply('ben', TEXT, START + 85 * MINUTE);
  await reply('ben', OTHER, START + 86 * MINUTE);
  await reply('ann', OTHER, START + 70 * MINUTE);
  world.act({ kind: 'delete', who: 'ann', post: first.id });
  await after(END - START + 2 * DAY);
  expect(await world.outcome(gig)).toEqual({ ann: 'awarded', ben: 'awarded' });
  expect(await world.store.lastRound(gig.id)).toMatchObject({ state: 'over' });
});

test('security: a copy with look-alike letters, marks and digits of other scripts is a copy', async () => {
  const gig = await world.gig({ gigType: 'reply', holdMs: 0 });
  await after(MINUTE);
  await reply('ann', `${TEXT} since 2024`);
  await after(2 * MINUTE);
  await reply('mal', 'А grеаt рrојесt wіth а lоvеlу tеаm bеhіnd іt since 2024');
  await reply('max', 'A grëat prôject with a lovely team behind it since ２０２４');
  await reply('meg', 'A great project with a loνely team behind it since ٢٠٢٤');
  await world.engine.until(START + 2 * HOUR);
  const copied = 'duplicate_text';
  expect(await world.outcome(gig)).toEqual({ ann: 'awarded', mal: copied, max: copied, meg: copied });
});

test('security: a copy of a text that was accepted before texts had skeletons is one, as it is written and in ASCII', async () => {
  const gig = await world.gig({ gigType: 'reply', holdMs: 0 });
  const umlauts = 'Ein schönes Projekt über große Gefühle';
  const { textHash, plainHash } = openText(umlauts).facts(null);
  await after(MINUTE);
  await reply('ann', umlauts);
  await reply('eve', TEXT);
  await world.engine.until(START + HOUR);
  expect(await world.outcome(gig)).toEqual({ ann: 'awarded', eve: 'awarded' });
  await world.sql(`update earning_texts set hash = '${plainHash}' where hash = '${textHash}'`);
  await reply('mal', umlauts);
  await reply('max', TEXT.replaceAll('o', 'о'));
  await world.engine.until(START + 3 * HOUR);
  const copied = 'duplicate_text';
  expect(await world.outcome(gig)).toEqual({ ann: 'awarded', eve: 'awarded', mal: copied, max: copied });
});
