import { mkdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { endOnSignals, endWithUsage, readNumber, readOptions } from '../scripts/options.ts';
import { benchAwards } from './awards.ts';
import type { Bench } from './bench.ts';
import { benchBeside } from './beside.ts';
import { benchEarning } from './earning.ts';
import { startGenerator } from './generator.ts';
import { benchGrowth } from './growth.ts';
import { benchLookups } from './lookups.ts';
import { describeLoad, describeMachine } from './machine.ts';
import { benchMentions } from './mentions.ts';
import { benchPayouts } from './payouts.ts';
import { benchPostgres } from './postgres.ts';
import { type PrintedPart, partText, writeReport } from './report/compose.ts';
import { dropPart, keepPart, readParts } from './report/parts.ts';
import { isSameState, readState, shownState } from './report/state.ts';
import { type Section, verdictTable } from './report.ts';
import { say } from './rounds.ts';
import { benchStart } from './start.ts';
import { bundleService, startSurroundings } from './surroundings.ts';
import { benchTaps } from './taps.ts';
import { benchWebhooks } from './webhooks.ts';

const PARTS: Readonly<Record<string, (bench: Bench) => Promise<Section>>> = {
  lookups: benchLookups,
  beside: benchBeside,
  taps: benchTaps,
  webhooks: benchWebhooks,
  mentions: benchMentions,
  awards: benchAwards,
  payouts: benchPayouts,
  earning: benchEarning,
  postgres: benchPostgres,
  growth: benchGrowth,
  start: benchStart,
};

const USAGE = `Usage: npm run bench -- [part …] [options]

Parts: ${Object.keys(PARTS).join(' ')}; all of them when none is named.

  --sizes N,N     tips in the look-ups' tables (10000,1000000,5000000); the
                  largest also bounds the likes and lines of the part beside,
                  and the rows of the part growth
  --rounds N      rounds of each comparison (9); starts, payouts and the gigs of
                  earning and beside have their own
  --seconds N     length of one measurement (1); steady streams are longer
  --data FOLDER   where prepared tables and measured parts are kept (a folder
                  under the system's temporary one)
  --out FILE      where the report goes, and its picture beside it
                  (bench/results.md)
  --dirty         write the report of code with changes that no commit has, and
                  say so in it

Each part is printed, and kept until it is measured again. The report is written
when all parts are kept of one commit and one machine, also if they ran one by
one, and names the commit.

A part ends without figures when a rival reads a large table from beginning to
end, answers otherwise than the service, or has not stored a webhook that it
accepted.
`;
const ROOT = fileURLToPath(new URL('..', import.meta.url));
const RESULTS = fileURLToPath(new URL('./results.md', import.meta.url));
const NO_GIT = 'git does not tell the commit of the code';

const { positionals, values } = readOptions(USAGE, () =>
  parseArgs({
    allowPositionals: true,
    options: {
      help: { type: 'boolean', default: false },
      sizes: { type: 'string', default: '10000,1000000,5000000' },
      rounds: { type: 'string', default: '9' },
      seconds: { type: 'string', default: '1' },
      data: { type: 'string', default: join(tmpdir(), 'gigclaim-bench-data') },
      out: { type: 'string', default: RESULTS },
      dirty: { type: 'boolean', default: false },
    },
  }),
);
const unknown = positionals.filter((part) => PARTS[part] === undefined);
if (unknown.length > 0) endWithUsage(USAGE, `There is no part ${unknown.join(', ')}`);
const rounds = readNumber(USAGE, 'rounds', values.rounds, { least: 1 });
const seconds = readNumber(USAGE, 'seconds', values.seconds, { least: 0.1, whole: false });
const sizes = values.sizes.split(',').map((size) => readNumber(USAGE, 'sizes', size, { least: 10_000 }));
const state = readState(ROOT);
if (positionals.length === 0 && state !== null && state.changes !== null && !values.dirty) {
  endWithUsage(USAGE, 'The code has changes that no commit has: commit them, or say --dirty to write their report');
}
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
const measured: PrintedPart[] = [];
for (const [name, part] of chosen) {
  dropPart(values.data, name);
  try {
    const section = await part(bench);
    const now = readState(ROOT);
    if (state !== null && (now === null || !isSameState(state, now))) throw new Error('the code changed meanwhile');
    const found = {
      part: name,
      machine: describeMachine(),
      programs: Object.fromEntries(bench.versions),
      how: `${state === null ? NO_GIT : `Commit ${shownState(state)}`}. Ended ${new Date().toISOString().slice(0, 16)}Z, rounds: ${rounds} of ${seconds} s for each contender, unless it says otherwise; ${describeLoad()}.`,
      section,
    };
    measured.push(found);
    if (state !== null) keepPart(values.data, { ...found, state });
  } catch (error) {
    // The other parts' figures took long to measure.
    say(`${name} failed: ${error instanceof Error ? error.stack : String(error)}`);
    process.exitCode = 1;
  }
}
await bench.generator.stop();
await bench.surroundings.stop();
for (const part of measured) process.stdout.write(`${partText(part)}\n\n`);
const verdicts = measured.flatMap(({ section }) => section.verdicts);
if (verdicts.length > 0) process.stdout.write(`${verdictTable(verdicts)}\n`);
const names = Object.keys(PARTS);
const parts = readParts(values.data, names);
const problem = state === null ? NO_GIT : writeReport(values.out, parts, { names, isDirtyAllowed: values.dirty });
say(problem === null ? `${values.out} is written` : `${values.out} is not written: ${problem}`);
process.exit();
