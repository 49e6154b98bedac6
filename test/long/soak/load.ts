import type { Answers } from './answers.ts';
import { measure, offer } from './arrivals.ts';
import { type Chance, createChance } from './chance.ts';
import type { Client } from './client.ts';
import { identifierOf, type Money } from './money.ts';
import type { Stage } from './stage.ts';
import type { Talk } from './talk.ts';

/** Of all requests; the others are look-ups. */
const WEBHOOK_SHARE = 0.05;
const SHARE_OF_CAPACITY = 0.8;
const WORKERS = 32;
/**
 * New mentions a second. What an answer takes of the networks and the faults between bounds them, not the service's
 * speed: X shows the bot's last 3,200 posts, in which an uncertain reply must be found.
 */
const MENTIONS = { farcaster: 12, twitter: 4 };
const AWARDS_A_SECOND = 1;
const CLAIMS_A_SECOND = 0.7;
const GIGS_A_SECOND = 0.2;
const ROUND_MS = 20_000;
/** The last part of the load goes on without kills, long enough for major collections, which memory is judged by. Milliseconds. */
const UNDISTURBED = { least: 25_000, share: 0.4 };

/** Everybody who takes part. */
export interface Company {
  readonly stage: Stage;
  readonly chance: Chance;
  readonly answers: Answers;
  readonly client: Client;
  readonly talk: Talk;
  readonly money: Money;
}

/** Chance of its own for each stream, so that none depends on how the others are interleaved. */
export function forked(chance: Chance): Chance {
  return createChance(chance.between(1, 2 ** 31));
}

async function lookUp({ client, money, chance }: Company): Promise<void> {
  const asked = Array.from({ length: chance.between(1, 3) }, () => identifierOf(chance.pick(money.earners).author));
  await client.ask('look up', { path: `/api/claim?identifiers=${asked.join(',')}` });
}

/** How many requests of the usual mix are answered a second. */
export async function measureCapacity(company: Company, seconds: number): Promise<number> {
  const { chance, talk } = company;
  return await measure({
    workers: WORKERS,
    seconds,
    work: () => (chance.happens(WEBHOOK_SHARE) ? talk.redeliver() : lookUp(company)),
  });
}

/** When to measure again: when more than this share of the look-ups could not even be begun. */
const TOO_MUCH_SHED = 0.05;
const MEASURE_AGAIN_SECONDS = 3;

/** Kills the service; of several instances once their database first, and once one stands still for over a minute. */
async function disturb({ outages, failOver, halt, kill }: Stage): Promise<void> {
  if (outages.length === 0 && failOver !== null) await failOver();
  else if (outages.length === 2 && halt !== null) await halt();
  else await kill();
}

/**
 * Offers the usual mix, in rounds of 20 seconds, and kills the service after each round but those at the end. Where the
 * machine does not give what it gave at the beginning, what it gives is measured again.
 */
async function offerRequests(company: Company, terms: LoadTerms & { until: number }): Promise<void> {
  const { stage, chance, talk } = company;
  const { until, say, seconds } = terms;
  const undisturbed = Math.max(UNDISTURBED.least, seconds * 1_000 * UNDISTURBED.share);
  let { capacity } = terms;
  let arrived = 0;
  while (Date.now() < until) {
    const end = Math.min(until, Date.now() + ROUND_MS);
    const perSecond = capacity * SHARE_OF_CAPACITY;
    const round = { until: end, chance: forked(chance) };
    const fresh = MENTIONS.farcaster + MENTIONS.twitter;
    const [{ arrivals, shed, settled }, redeliveries] = await Promise.all([
      offer({ ...round, perSecond: perSecond * (1 - WEBHOOK_SHARE), work: () => lookUp(company) }),
      offer({ ...round, perSecond: Math.max(1, perSecond * WEBHOOK_SHARE - fresh), work: talk.redeliver }),
    ]);
    arrived += arrivals;
    const isBehind = shed > arrivals * TOO_MUCH_SHED;
    if (isBehind) say(`${shed} of ${arrivals} look-ups could not be begun`);
    // Before the kill: a service that has just come back is still cold.
    if ((isBehind || capacity < terms.capacity) && Date.now() < until) {
      capacity = await measureCapacity(company, MEASURE_AGAIN_SECONDS);
      say(`now ${Math.round(capacity)} requests a second are measured`);
    }
    if (end < until - undisturbed) {
      await disturb(stage);
    }
    await Promise.all([settled(), redeliveries.settled()]);
  }
  say(`${arrived} look-ups arrived, ${talk.mentions.length} mentions were posted`);
}

/** How much is to be offered. */
export interface LoadTerms {
  readonly seconds: number;
  /** Requests a second. */
  readonly capacity: number;
  readonly say: (line: string) => void;
}

/**
 * Everything at once for so many seconds; networks and node fail at random, and the service is killed every 20 seconds.
 * Settles when all clients have what they insisted on.
 */
export async function load(company: Company, terms: LoadTerms): Promise<void> {
  const { stage, talk, money, chance } = company;
  const gateways = Object.values(stage.gateways);
  for (const gateway of gateways) gateway.failing = true;
  const until = Date.now() + terms.seconds * 1_000;
  const stream = (perSecond: number, work: () => Promise<unknown>) =>
    offer({ perSecond, until, chance: forked(chance), work });
  const requests = offerRequests(company, { ...terms, until });
  const streams = await Promise.all([
    stream(MENTIONS.farcaster, () => talk.chat('farcaster')),
    stream(MENTIONS.twitter, () => talk.chat('twitter')),
    stream(AWARDS_A_SECOND, money.award),
    stream(CLAIMS_A_SECOND, money.claim),
    stream(GIGS_A_SECOND, () => money.openGig(chance.pick(stage.tokens))),
  ]);
  await requests;
  for (const gateway of gateways) gateway.failing = false;
  for (const { settled } of streams) await settled();
}
