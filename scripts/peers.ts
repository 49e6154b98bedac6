import { existsSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { endOnSignals, readOptions } from './options.ts';
import { Absent, type Server } from './peers/child.ts';
import { type Comparison, compareAll } from './peers/compare.ts';
import { mockComparisons, startMock } from './peers/neynar-mock.ts';
import { emulatorComparisons, startEmulator } from './peers/x-emulator.ts';

const USAGE = `Usage: npm run peers -- [--playground FOLDER --x-openapi FILE [--go COMMAND]] [--neynar-openapi FILE [--prism COMMAND]]

Runs the adapters against programs that others wrote, as far as they are here, and prints what was compared:

  X's emulator       a clone of github.com/xdevplatform/playground, built with our patch (scripts/peers/x-emulator.patch) by
                     Go 1.21 or newer (--go, "go" when absent), and X's OpenAPI file: openapi.json of
                     github.com/xdevplatform/docs.
  a mock of Neynar   Neynar's OpenAPI file: src/api/spec.yaml of github.com/neynarxyz/OAS, served by Prism (--prism, "npx --yes
                     @stoplight/prism-cli@5.16.0" when absent).

A peer that is not here is named, and is no failure. Ends with 1 when a comparison fails.
`;

const { values } = readOptions(USAGE, () =>
  parseArgs({
    options: {
      help: { type: 'boolean', default: false },
      playground: { type: 'string' },
      'x-openapi': { type: 'string' },
      go: { type: 'string', default: 'go' },
      'neynar-openapi': { type: 'string' },
      prism: { type: 'string', default: 'npx --yes @stoplight/prism-cli@5.16.0' },
    },
  }),
);

/** The path that an option holds. @throws Absent when there is none, or nothing is there */
function pathOf(option: 'playground' | 'x-openapi' | 'neynar-openapi'): string {
  const path = values[option];
  if (path === undefined) throw new Absent(`give --${option}; npm run peers -- --help says where it is from`);
  if (!existsSync(path)) throw new Absent(`there is nothing at ${path} (--${option})`);
  return path;
}

interface Peer {
  readonly name: string;
  start(): Promise<Server>;
  comparisons(url: string): Promise<Comparison[]> | Comparison[];
}

const PEERS: readonly Peer[] = [
  {
    name: 'X’s emulator',
    start: async () =>
      await startEmulator({ playground: pathOf('playground'), openapi: pathOf('x-openapi'), go: values.go }),
    comparisons: emulatorComparisons,
  },
  {
    name: 'a mock of Neynar',
    start: async () => await startMock({ openapi: pathOf('neynar-openapi'), prism: values.prism }),
    comparisons: mockComparisons,
  },
];

/** Compares with one peer, and returns how many comparisons failed. */
async function meet({ name, start, comparisons }: Peer): Promise<number> {
  const server = await start();
  console.log(`${name}:`);
  try {
    const all = await compareAll(await comparisons(server.url));
    for (const { what, fault, note } of all) {
      const more = fault ?? note;
      console.log(`  ${fault === null ? '✓' : '✗'} ${what}${more === null ? '' : `: ${more}`}`);
    }
    const failed = all.filter(({ fault }) => fault !== null).length;
    console.log(`${name}: ${all.length} compared, ${failed} failed`);
    return failed;
  } finally {
    await server.stop();
  }
}

endOnSignals();
for (const peer of PEERS) {
  try {
    if ((await meet(peer)) > 0) process.exitCode = 1;
  } catch (error) {
    if (!(error instanceof Absent)) throw error;
    console.log(`${peer.name}: absent, nothing was compared: ${error.message}`);
  }
}
