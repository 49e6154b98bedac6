import { setTimeout as wait } from 'node:timers/promises';
import { BOT } from '../../../sandbox/people.ts';
import { createAnswers } from './answers.ts';
import { createChance } from './chance.ts';
import { createClient } from './client.ts';
import { type Evidence, gather } from './evidence.ts';
import { type Company, forked, load, measureCapacity } from './load.ts';
import { createMoney, type Money } from './money.ts';
import { openStage, type Stage, type StageOptions } from './stage.ts';
import { createTalk, type Talk } from './talk.ts';
import { startWatch, type Watch } from './watch.ts';

const MEASURE_SECONDS = 5;
const FIRST_GIGS = 9;
const FIRST_POSTS = 20;
const FIRST_AWARDS = 20;
const EARNERS_A_MINUTE = 20;
const QUIET = { patienceMs: 300_000, stepMs: 500, times: 4 };

/** What to do. */
export interface SoakOptions extends StageOptions {
  /** How long the load lasts; measuring before it and waiting for the last answers after it come on top. */
  readonly seconds: number;
  readonly seed: number;
}

/** A soak that has run. */
export interface Soak {
  readonly stage: Stage;
  readonly talk: Talk;
  readonly money: Money;
  /** Looks at everything as it is now. */
  gather(): Promise<Evidence>;
  close(): Promise<void>;
}

/** Gigs to tip from, people to tip, and posts to deliver again. */
async function begin({ money, talk, stage }: Company, seconds: number): Promise<void> {
  for (let count = 0; count < Math.ceil((seconds / 60) * EARNERS_A_MINUTE); count += 1) money.join();
  for (let count = 0; count < FIRST_GIGS; count += 1) {
    const token = stage.tokens[count % stage.tokens.length];
    if (token !== undefined) await money.openGig(token);
  }
  for (let count = 0; count < FIRST_POSTS; count += 1) await talk.chat(count % 2 === 0 ? 'farcaster' : 'twitter');
  for (let count = 0; count < FIRST_AWARDS; count += 1) await money.award();
}

const WAITING =
  /^gigclaim_(mentions_waiting|replies\{state="(?:queued|sending|unknown)"\}|transfers\{state="(?:planned|signed|broadcast)"\}) ([0-9]+)$/gm;

/** Waits until nothing is under way in the service, for some looks in a row. What is left then is for the verdict. */
async function untilQuiet({ stage, answers }: Company): Promise<void> {
  const deadline = Date.now() + QUIET.patienceMs;
  let busy: string[] = [];
  for (let calm = 0; calm < QUIET.times; ) {
    if (Date.now() > deadline) {
      answers.complain(`not done after ${QUIET.patienceMs / 1_000} s: ${busy.join(', ')}`);
      return;
    }
    const counts = [...(await (await fetch(`${stage.url}/metrics`)).text()).matchAll(WAITING)];
    busy = counts.filter(([, , n]) => n !== '0').map(([, what, n]) => `${n} ${what}`);
    calm = counts.length > 0 && busy.length === 0 ? calm + 1 : 0;
    await wait(QUIET.stepMs);
  }
}

async function run(company: Company, { seconds, say }: SoakOptions): Promise<Watch> {
  const { stage, money } = company;
  await begin(company, seconds);
  const capacity = await measureCapacity(company, MEASURE_SECONDS);
  say(`measured ${Math.round(capacity)} requests a second; the load goes on for ${seconds} s`);
  const watch = startWatch(stage);
  await load(company, { seconds, capacity, say });
  await watch.stop();
  for (const [name, { calls, counts }] of Object.entries(stage.gateways)) {
    const each = Object.entries(counts).map(([mishap, count]) => `${count} ${mishap}`);
    say(`calls to ${name}: ${calls()}, of which ${each.join(', ')}`);
  }
  await untilQuiet(company);
  say('the last answers and payments are there; everybody claims what is left');
  await money.claimRest();
  await untilQuiet(company);
  // Whatever would be done twice after a crash is done now.
  await stage.kill();
  await untilQuiet(company);
  return watch;
}

/** Opens a stage, measures, loads, waits for the last answer, and keeps everything as it is then. */
export async function runSoak(options: SoakOptions): Promise<Soak> {
  const startedAt = Date.now();
  const say = (line: string) => options.say(`${Math.round((Date.now() - startedAt) / 1_000)} s: ${line}`);
  const chance = createChance(options.seed);
  const stage = await openStage(chance, { ...options, say });
  const answers = createAnswers({ isShared: stage.failOver !== null });
  const client = createClient(stage.url, answers);
  async function close(): Promise<void> {
    client.close();
    await stage.close();
  }
  try {
    const talk = createTalk({ networks: stage.networks, bot: BOT.username, answers, chance: forked(chance) });
    const money = createMoney({ stage, client, talk, answers, chance: forked(chance) });
    const { samples } = await run({ stage, chance, answers, client, talk, money }, { ...options, say });
    const gatherNow = () => gather({ stage, talk, money, answers, samples, bot: BOT.username });
    return { stage, talk, money, gather: gatherNow, close };
  } catch (error) {
    await close();
    throw error;
  }
}
