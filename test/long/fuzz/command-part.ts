import { setTimeout as wait } from 'node:timers/promises';
import fc from 'fast-check';
import type { LocalPlatform } from '../../../sandbox/networks/network.ts';
import { parseCommand } from '../../../src/bot/commands/index.ts';
import { parseClaim } from '../../../src/domain/claims/claim.ts';
import { openSqliteStore } from '../../../src/store/sqlite/store.ts';
import { MIGRATIONS } from '../../support/store.ts';
import { tryCases } from './check.ts';
import type { Crowd } from './seed.ts';
import { commandTexts, effectOf, forbidsDefault, paysNamed } from './texts.ts';
import type { World } from './world.ts';

const BOT = 'gigclaim';
/** How many mentions may wait for their answer before more are posted. */
const MOST_WAITING = 200;
/** What X takes: its count is at most two for each of these. */
const LONGEST_POST = 130;

/** People to post as, so many on each network that nobody reaches a limit of the bot. */
export function drawCrowd(count: number): Crowd {
  const people = (prefix: string) =>
    Array.from({ length: count }, (_, index) => ({
      id: `${prefix}${10_000_000 + index}`,
      username: `u${10_000_000 + index}`,
    }));
  return { farcaster: people('7'), twitter: people('18000000000') };
}

/**
 * Reads generated texts with the bot's own reader, as mentions and as posts whose URL was sent: what starts or pays is
 * exactly what the grammar says.
 * @returns how many texts were read, how many of them were in the grammar, and how many posts name who is paid
 */
export async function fuzzTexts(options: { count: number; seed: number }) {
  let commands = 0;
  let named = 0;
  function readPost(text: string): string | null {
    const claim = parseClaim(text);
    if (typeof claim === 'string') return null;
    if (claim.address === null)
      return forbidsDefault(text) ? 'its URL pays the default address, which its words forbid' : null;
    named += 1;
    return paysNamed(text, claim.address) ? null : `its URL pays ${claim.address}, which it only mentions`;
  }

  async function attempt(text: string): Promise<string | null> {
    const misread = readPost(text);
    if (misread !== null) return misread;
    const { name } = parseCommand(text, { username: BOT });
    const effect = effectOf(text, BOT);
    commands += effect === 'none' ? 0 : 1;
    const read = name === 'start' ? 'start' : name === 'claim' ? 'pay' : 'none';
    // An id of more digits than any gig has is none.
    if (read === effect || (effect === 'start' && /[0-9\uff10-\uff19]{16}/.test(text))) return null;
    return `read as ${name}, while the grammar says ${effect}`;
  }
  const cases = commandTexts({ bot: BOT, gigs: [1, 2, 3, 12, 42] });
  const texts = await tryCases(cases, { ...options, attempt, show: (text) => JSON.stringify(text) });
  return { texts, commands, named };
}

async function waiting(world: World): Promise<number> {
  const text = await (await fetch(`${world.url}/metrics`)).text();
  const depth = /^gigclaim_mentions_waiting ([0-9]+)$/m.exec(text)?.[1];
  if (depth === undefined) throw new Error('the metrics do not say how many mentions wait');
  return Number(depth);
}

async function untilAnswered(world: World, most: number): Promise<void> {
  while ((await waiting(world)) > most) await wait(100);
}

/** What the mentions of a world have led to. */
async function effectsIn(world: World) {
  const store = await openSqliteStore({ path: world.databasePath, migrationsFolder: MIGRATIONS });
  try {
    const traps = await Promise.all(world.seeded.traps.map(({ id }) => store.gig(id)));
    const claims = await store.claims({ limit: 10 });
    const mentions = await store.mentions({ limit: 1_000_000 });
    return {
      started: traps.filter((gig) => gig?.status !== 'created').length,
      claims: claims.length,
      mentions: mentions.length,
      unanswered: mentions.filter(({ state }) => state === 'received' || state === 'failed').length,
    };
  } finally {
    await store.close();
  }
}

/**
 * Posts texts that are near the grammar and not in it, as owners of gigs that wait only for their start, and as people
 * with tips to claim; each as somebody else. Afterwards nothing has started, nothing is paid, and every mention is
 * answered or left alone.
 * @throws Error that says what started or was paid
 */
export async function fuzzMentions(world: World, options: { count: number; seed: number }) {
  const gigs = world.seeded.traps.map(({ id }) => id);
  const near = commandTexts({ bot: BOT, gigs }).filter(
    (text) => text.length <= LONGEST_POST && effectOf(text, BOT) === 'none' && !text.includes('\u0000'),
  );
  const texts = fc.sample(near, { seed: options.seed, numRuns: options.count });
  const posted: Record<LocalPlatform, number> = { farcaster: 0, twitter: 0 };
  for (const [index, text] of texts.entries()) {
    const network = index % 2 === 0 ? world.farcaster : world.twitter;
    network.post({ author: `u${10_000_000 + Math.floor(index / 2)}`, text });
    posted[network.platform] += 1;
    if (index % MOST_WAITING === MOST_WAITING - 1) {
      await network.settled();
      await untilAnswered(world, MOST_WAITING);
    }
  }
  await Promise.all([world.farcaster.settled(), world.twitter.settled()]);
  await untilAnswered(world, 0);
  const effects = await effectsIn(world);
  if (effects.started + effects.claims + effects.unanswered > 0) {
    throw new Error(`seed ${options.seed}: ${JSON.stringify(effects)} of texts outside the grammar`);
  }
  return { posted, ...effects };
}
