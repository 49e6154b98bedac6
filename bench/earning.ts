import type { Bench } from './bench.ts';
import { doubt, doubtOfWaits, type Round } from './contender.ts';
import { type Cost, measureCost, measureWatched, type Watched } from './earning/calls.ts';
import { EVENT_CONNECTIONS, EVENT_GIGS, measureEvents, NOTHING_STORED, OURS } from './earning/events.ts';
import { type LargeFound, measureLarge, type Turn } from './earning/large.ts';
import { ratios, type Spread, shown, shownSpread, spreadOf } from './figures.ts';
import { type Section, table, type Verdict } from './report.ts';

const LIKES = Number(process.env['EARNING_LIKES'] ?? 100_000);
const SIZE = LIKES.toLocaleString('en-US');

type Kind = keyof Turn['idle'];

function one(value: number): Spread {
  return spreadOf([value]);
}

function slower(turns: readonly Turn[], kind: Kind): Spread {
  const p99 = (which: 'idle' | 'busy') => turns.map((turn) => turn[which][kind].p99);
  return ratios(p99('busy'), p99('idle'));
}

function slowerVerdict(turns: readonly Turn[], kind: Kind, goal: string): Verdict {
  const rounds = (which: 'idle' | 'busy') => turns.map((turn) => turn[which][kind]);
  const because = doubtOfWaits(rounds('idle'), rounds('busy'));
  return { goal, is: 'at most', bound: 2, measured: slower(turns, kind), doubt: because };
}

/** Requests beside the sweeps, and beside the decisions and awards. */
function waitTable(turns: readonly Turn[]): string {
  const kinds: readonly [Kind, string][] = [
    ['lookups', 'look-ups'],
    ['webhooks', 'webhooks'],
  ];
  const phases: readonly [Turn['phase'], string][] = [
    ['swept', 'swept'],
    ['awarded', 'settled and awarded'],
  ];
  const rows = kinds.flatMap(([kind, name]) =>
    phases.flatMap(([phase, words]) => {
      const some = turns.filter((turn) => turn.phase === phase);
      if (some.length === 0) return [];
      const of = (which: 'idle' | 'busy', figure: 'p99' | 'worst') =>
        shownSpread(spreadOf(some.map((turn) => turn[which][kind][figure])));
      const ratio = shownSpread(slower(some, kind));
      return [[`${name} while it is ${words}`, of('idle', 'p99'), of('busy', 'p99'), ratio, of('busy', 'worst')]];
    }),
  );
  return table(['500 a second', 'p99 ms without it', 'p99 ms', 'ratio', 'longest ms'], rows);
}

function largeTable({ stored, awarded, mb, idleMb }: LargeFound): string {
  const rows = [
    ['all likes stored, s', shown(stored)],
    ['all awarded, s', shown(awarded)],
    ['resident, most, MB', shown(mb)],
    ['resident without the gig, after as many requests, MB', shown(idleMb)],
  ];
  return table([`a gig with ${SIZE} likes`, ''], rows);
}

function eventTable(rounds: ReadonlyMap<string, Round[]>): string {
  const rows = [...rounds].map(([name, measured]) => [
    name,
    shownSpread(spreadOf(measured.map(({ perSecond }) => perSecond))),
    shownSpread(spreadOf(measured.map(({ cpuMicros }) => cpuMicros))),
    shownSpread(spreadOf(measured.map(({ p99 }) => p99))),
  ]);
  return table(['server', 'likes/s', 'its CPU, µs each', 'p99 ms'], rows);
}

function costTable(costs: { alone: Cost; told: Cost }, { due, liked, quiet, gigs }: Watched): string {
  const row = (name: string, { calls, deliveries, credits }: Cost) => [
    name,
    shown(calls),
    shown(deliveries),
    shown(credits),
  ];
  const acts = table(
    ['a hundred acts, from first seen to awarded', 'calls', 'deliveries', 'credits, about'],
    [row('found by looks and sweeps alone', costs.alone), row('told of by webhooks, too', costs.told)],
  );
  const looks = table(
    [`${gigs} gigs over ${shown(due)} looks each, with the hourly sweeps`, 'calls for each look that was due'],
    [
      ['with a few likes', shown(liked)],
      ['towards which nothing was done', shown(quiet)],
    ],
  );
  return `${acts}\n\n${looks}`;
}

function verdictsOf(large: LargeFound, events: ReadonlyMap<string, Round[]>, { liked }: Watched): Verdict[] {
  const ours = events.get(OURS) ?? [];
  const beside = `while a gig with ${SIZE} likes is swept, settled and awarded, of that without`;
  return [
    {
      goal: `memory of a gig with ${SIZE} likes over idle`,
      is: 'at most',
      bound: 60,
      unit: 'MB',
      measured: one(large.mb - large.idleMb),
    },
    slowerVerdict(large.turns, 'lookups', `p99 of look-ups ${beside}`),
    slowerVerdict(large.turns, 'webhooks', `p99 of webhooks ${beside}`),
    {
      goal: `reactions taken durably, with ${EVENT_GIGS} watched gigs`,
      is: 'at least',
      bound: 2_000,
      unit: 'a second',
      measured: spreadOf(ours.map(({ perSecond }) => perSecond)),
      doubt: doubt(ours),
    },
    {
      goal: 'for each look that is due at gigs with a few likes',
      is: 'at most',
      bound: 1,
      unit: 'calls',
      measured: one(liked),
    },
  ];
}

/** A gig with very many likes, from the first sweep to the last award; many events; and what watching costs. */
export async function benchEarning(bench: Bench): Promise<Section> {
  bench.say(`earning: a gig with ${SIZE} likes`);
  const large = await measureLarge(bench, { likes: LIKES });
  bench.say(`earning: events of ${EVENT_GIGS} gigs`);
  const events = await measureEvents(bench);
  bench.say('earning: calls');
  const costs = {
    alone: await measureCost(bench, { isTold: false }),
    told: await measureCost(bench, { isTold: true }),
  };
  const watched = await measureWatched(bench);
  const intro =
    'A gig that pays for each like without a hold, so that it is swept twice. Requests are measured in turns beside a ' +
    'service without it, while the other process is stopped.';
  const eventIntro =
    `${EVENT_CONNECTIONS} connections deliver signed likes of ${EVENT_GIGS} watched gigs; an answer comes when the like is on ` +
    `disk, which was looked at. What stores nothing (${NOTHING_STORED.split(',')[0]}) is the limit of whatever does.`;
  const costIntro =
    'Credits are estimates by Neynar’s table, which bills the size of a page, whatever is on it, users, and deliveries.';
  return {
    title: 'Earning',
    text: [
      intro,
      largeTable(large),
      waitTable(large.turns),
      eventIntro,
      eventTable(events),
      costIntro,
      costTable(costs, watched),
    ].join('\n\n'),
    verdicts: verdictsOf(large, events, watched),
  };
}
