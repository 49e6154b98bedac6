import type { Bench } from './bench.ts';
import type { Round } from './contender.ts';
import { startPostgres } from './data/postgres.ts';
import { shown, spreadOf } from './figures.ts';
import { type Cost, measureMention } from './postgres/costs.ts';
import { compareLookups } from './postgres/lookups.ts';
import { comparePayouts } from './postgres/payouts.ts';
import { measureRecovery } from './postgres/recovery.ts';
import { compareWebhooks } from './postgres/webhooks.ts';
import { type Section, table } from './report.ts';

/** Of the rival's tables and of ours. */
const TIPS = 1_000_000;

function costOf(name: string, rounds: readonly Round[]): Cost {
  const median = (of: 'cpuMicros' | 'helperMicros') => spreadOf(rounds.map((round) => round[of])).median;
  return { name, own: median('cpuMicros'), database: median('helperMicros') };
}

function costTable(costs: readonly Cost[]): string {
  const rows = costs.map(({ name, own, database }) => [
    name,
    shown(own),
    shown(database),
    shown(1e6 / own),
    shown(1e6 / database),
  ]);
  return table(
    [
      'one',
      'an instance’s CPU, µs',
      'the database’s, µs',
      'a second on its core',
      'a second on a core of the database',
    ],
    rows,
  );
}

/** The service on PostgreSQL: beside rivals on the same server, beside itself on SQLite, and what each thing takes on both sides. */
export async function benchPostgres(bench: Bench): Promise<Section> {
  const tips = Math.min(TIPS, Math.max(...bench.sizes));
  const postgres = await startPostgres(bench.dataFolder, tips);
  if (postgres === null)
    return { title: 'PostgreSQL', text: 'PostgreSQL is not installed: not measured.', verdicts: [] };
  bench.versions.set('PostgreSQL', postgres.version);
  try {
    const lookups = await compareLookups(bench, postgres, tips);
    const webhooks = await compareWebhooks(bench, postgres);
    const payouts = await comparePayouts(bench, postgres);
    const mention = await measureMention(bench, postgres);
    const recovery = await measureRecovery(bench, postgres);
    const costs = [
      costOf('a look-up', lookups.costs),
      costOf('a webhook, kept', webhooks.costs),
      mention,
      payouts.cost,
    ];
    const intro =
      'The server and the load generator share a core, the service has the other. Its commits are on disk. ' +
      `The look-ups' table holds ${tips.toLocaleString('en-US')} tips.`;
    const parts = [lookups, webhooks, payouts, recovery];
    const told = parts.map(({ title, text }) => `### ${title}\n\n${text}`);
    return {
      title: 'PostgreSQL',
      text: [intro, ...told, `### What each takes\n\n${costTable(costs)}`].join('\n\n'),
      verdicts: parts.flatMap(({ verdicts }) => verdicts),
    };
  } finally {
    await postgres.stop();
  }
}
