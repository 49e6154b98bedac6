import { mkdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { endOnSignals, endWithUsage, readNumber, readOptions } from '../scripts/options.ts';
import type { Bench } from './bench.ts';
import { benchEarning } from './earning.ts';
import { startGenerator } from './generator.ts';
import { benchLookups } from './lookups.ts';
import { describeMachine } from './machine.ts';
import { benchMentions } from './mentions.ts';
import { benchPayouts } from './payouts.ts';
import { benchPostgres } from './postgres.ts';
import { type Section, verdictTable } from './report.ts';
import { benchStart } from './start.ts';
import { bundleService, startSurroundings } from './surroundings.ts';
import { benchWebhooks } from './webhooks.ts';

const USAGE = `Usage: npm run bench -- [part …] [options]

Parts: lookups webhooks mentions payouts earning postgres start; all of them when none is named.

  --sizes N,N     tips in the look-ups' tables (10000,1000000,5000000)
  --rounds N      rounds of each comparison (9); starts and payouts have their own
  --seconds N     length of one measurement (1)
  --data FOLDER   where prepared tables are kept (a folder under the system's temporary one)
  --out FILE      where the report goes (bench/results.md, when all parts ran; otherwise only to the terminal)
`;

const PARTS: Readonly<Record<string, (bench: Bench) => Promise<Section>>> = {
  lookups: benchLookups,
  webhooks: benchWebhooks,
  mentions: benchMentions,
  payouts: benchPayouts,
  earning: benchEarning,
  postgres: benchPostgres,
  start: benchStart,
};

function say(line: string): void {
  process.stderr.write(`${new Date().toISOString().slice(11, 19)} ${line}\n`);
}

function report(sections: readonly Section[], machine: string, options: string): string {
  const verdicts = sections.flatMap((section) => section.verdicts);
  const parts = sections.map(({ title, text }) => `## ${title}\n\n${text}`);
  const intro =
    'Written by `npm run bench`. Figures are medians of interleaved rounds, with the least and the most in brackets; a ratio ' +
    'is taken within each round, because the machine’s pace drifts. Absolute figures say little about another machine.';
  return [`# Measured`, intro, machine, options, '## Goals', verdictTable(verdicts), ...parts].join('\n\n');
}

const { positionals, values } = readOptions(USAGE, () =>
  parseArgs({
    allowPositionals: true,
    options: {
      help: { type: 'boolean', default: false },
      sizes: { type: 'string', default: '10000,1000000,5000000' },
      rounds: { type: 'string', default: '9' },
      seconds: { type: 'string', default: '1' },
      data: { type: 'string', default: join(tmpdir(), 'gigclaim-bench-data') },
      out: { type: 'string' },
    },
  }),
);
const unknown = positionals.filter((part) => PARTS[part] === undefined);
if (unknown.length > 0) endWithUsage(USAGE, `There is no part ${unknown.join(', ')}`);
const rounds = readNumber(USAGE, 'rounds', values.rounds, { least: 1 });
const seconds = readNumber(USAGE, 'seconds', values.seconds, { least: 0.1, whole: false });
const sizes = values.sizes.split(',').map((size) => readNumber(USAGE, 'sizes', size, { least: 10_000 }));
endOnSignals();
const chosen = Object.entries(PARTS).filter(([name]) => positionals.length === 0 || positionals.includes(name));
mkdirSync(values.data, { recursive: true });
await bundleService();
const bench: Bench = {
  surroundings: await startSurroundings(),
  generator: startGenerator(),
  dataFolder: values.data,
  rounds,
  seconds,
  sizes,
  versions: new Map(),
  say,
};
const sections: Section[] = [];
for (const [name, part] of chosen) {
  try {
    sections.push(await part(bench));
  } catch (error) {
    // The other parts' figures took long to measure.
    say(`${name} failed: ${error instanceof Error ? error.stack : String(error)}`);
    sections.push({ title: name, text: `Not measured: ${String(error)}`, verdicts: [] });
    process.exitCode = 1;
  }
}
await bench.generator.stop();
await bench.surroundings.stop();
const text = report(
  sections,
  describeMachine(bench.versions),
  `- ${values.rounds} rounds of ${values.seconds} s for each contender`,
);
const out = values.out ?? (positionals.length === 0 ? new URL('./results.md', import.meta.url).pathname : null);
if (out !== null) writeFileSync(out, `${text}\n`);
process.stdout.write(`${text}\n`);
process.exit();
