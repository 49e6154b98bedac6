import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { isPrinted, type Step, sectionsOf, stepsOf } from '../support/document-steps.ts';
import { type Sandbox, startSandbox } from '../support/sandbox.ts';
import { openShell, type Shell } from '../support/shell.ts';

const ROOT = join(import.meta.dirname, '../..');
/** Commands that ask for what the service does by itself in its own time. */
const CAN_BE_REPEATED = /admin -- (?:payment list|reconcile)|why \$ID/;

/** A command for a sandbox whose ports are not the usual ones. */
function inSandbox(command: string, { service, farcaster, x, chain, stateFile }: Sandbox): string {
  return command
    .replaceAll('http://127.0.0.1:3000', service)
    .replaceAll('http://127.0.0.1:4001', farcaster)
    .replaceAll('http://127.0.0.1:4002', x)
    .replaceAll('http://127.0.0.1:8545', chain)
    .replaceAll('data/sandbox.env', stateFile.replace(/json$/, 'env'));
}

/** How often a command that can be repeated is entered, a second after each other. */
const TURNS = 60;

/** What a command prints; of one that can be repeated, as soon as it is what the document says. */
async function enter(shell: Shell, { command, printed }: Step): Promise<string> {
  const turns = printed !== null && CAN_BE_REPEATED.test(command) ? TURNS : 1;
  let said = await shell.enter(command);
  for (let turn = 1; turn < turns && printed !== null && !isPrinted(printed, said); turn += 1) {
    await setTimeout(1_000);
    said = await shell.enter(command);
  }
  return said;
}

/** Enters every command as a reader does, in a fresh sandbox. @returns the steps, each with what it has printed */
async function walk(steps: readonly Step[]): Promise<readonly (Step & { readonly said: string })[]> {
  const sandbox = await startSandbox();
  const shell = openShell({ SANDBOX_STATE_FILE: sandbox.stateFile });
  const taken: (Step & { readonly said: string })[] = [];
  try {
    for (const step of steps) {
      const { command, printed } = step;
      taken.push({ ...step, said: await enter(shell, { command: inSandbox(command, sandbox), printed }) });
    }
  } finally {
    shell.close();
    await sandbox.stop();
  }
  return taken;
}

/** The commands in sections of a document. */
function stepsIn(path: string, headings: readonly string[]): Step[] {
  return stepsOf(sectionsOf(readFileSync(join(ROOT, path), 'utf8'), headings));
}

/** Documents that continue each other, each with the sections whose commands are entered. */
const WALKS: readonly (readonly (readonly [path: string, headings: readonly string[]])[])[] = [
  [['README.md', ['A minute in the sandbox']]],
  [['docs/sandbox.md', ['From the command line', 'Over HTTP', 'A claim', 'As the operator']]],
  [
    ['docs/first-gig.md', ['Create it', 'Fund it', 'Start it', 'Award tips', 'Look up claimable tips', 'Claim it']],
    ['docs/gig-end.md', ['Stop', 'Settlement', 'Refund', 'Cancel']],
  ],
  [['docs/earning.md', ['An example', 'In the sandbox', 'Ask why']]],
];

describe('the commands of the documents', () => {
  test.each(WALKS.map((documents) => ({ documents, name: documents.map(([path]) => path).join(' and ') })))(
    'behavior: those of $name print what it says',
    { timeout: 300_000 },
    async ({ documents }) => {
      const steps = documents.flatMap(([path, headings]) => stepsIn(path, headings));
      expect(steps.length).toBeGreaterThan(2);
      const taken = await walk(steps);
      expect(taken.filter(({ printed, said }) => printed !== null && !isPrinted(printed, said))).toEqual([]);
    },
  );

  test('security: a reader with another gig 8 funds and starts the gig of the document', {
    timeout: 300_000,
  }, async () => {
    const steps = [...stepsIn('docs/first-gig.md', ['Create it']), ...stepsIn('docs/earning.md', ['An example'])];
    // What they print is of gig 8.
    const taken = await walk(steps.map(({ command }) => ({ command, printed: null })));
    expect(JSON.parse(taken.at(0)?.said ?? '')).toMatchObject({ gig_id: 8 });
    expect(JSON.parse(taken.at(-1)?.said ?? '')).toMatchObject({ data: { id: 9, status: 'live' } });
  });
});

describe('the comparison', () => {
  test('behavior: hashes and times may differ, nothing else may', () => {
    const documented = `{"a":1,…,\n  "at":"2026-11-24T00:50:53.157Z","hash":"0x${'ab'.repeat(32)}"}`;
    expect(isPrinted(documented, `{"a":1,"b":2,"at":"2027-01-01T00:00:00.000Z","hash":"0x${'00'.repeat(32)}"}`)).toBe(
      true,
    );
    expect(isPrinted(documented, `{"a":2,"b":2,"at":"2027-01-01T00:00:00.000Z","hash":"0x${'00'.repeat(32)}"}`)).toBe(
      false,
    );
    expect(isPrinted('@gigclaim: Paid (tx 12).', '@gigclaim: Paid (tx 123).')).toBe(false);
  });

  test('error: a section that a document has no longer is found', () => {
    expect(() => sectionsOf('# A\n\n## B\n\nText\n', ['C'])).toThrow('one of these sections is missing: C');
    expect(stepsOf(sectionsOf('## B\n\n```console\n$ a \\\n    b\nprinted\n\n$ c\n```\n', ['B']))).toEqual([
      { command: 'a \\\n    b', printed: 'printed' },
      { command: 'c', printed: null },
    ]);
  });
});
