import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { loadConfig } from '../src/config.ts';
import { createLog } from '../src/log.ts';
import { createRuntime } from '../src/runtime.ts';
import './old-typescript.ts';

const ROOT = resolve(import.meta.dirname, '..');
const CLIENT = join(ROOT, 'client/gigclaim.ts');
/** Everything below this line is made. */
const MADE = '// The types of the document, made from it by `npm run client:types`.\n';

/** The parts of a document that are left out here. */
interface Document {
  readonly openapi: string;
  readonly info: { readonly title: string; readonly version: string };
  readonly paths: Record<string, Record<string, { responses: Record<string, { headers?: object }> }>>;
  readonly components: { headers?: object };
}

/** Without what the client never returns: refusals, which it throws, and headers. */
function withoutRefusals({ components, ...document }: Document): Document {
  for (const operation of Object.values(document.paths).flatMap((methods) => Object.values(methods))) {
    const kept = Object.entries(operation.responses).filter(([status]) => status.startsWith('2'));
    operation.responses = Object.fromEntries(kept.map(([status, { headers, ...response }]) => [status, response]));
  }
  const { headers, ...named } = components;
  return { ...document, components: named };
}

/** The document of a service that has a database and nothing else. */
async function readDocument(): Promise<Document> {
  const folder = await mkdtemp(join(tmpdir(), 'gigclaim-client-'));
  const runtime = await createRuntime({
    config: loadConfig({ DATABASE_URL: `file:${join(folder, 'gigclaim.db')}`, HOST: '127.0.0.1' }),
    log: createLog({ level: 'silent' }),
    migrationsFolder: join(ROOT, 'drizzle'),
    pagesFolder: join(ROOT, 'src/http/pages'),
    version: '0.0.0',
  });
  try {
    await once(runtime.server.listen(0, '127.0.0.1'), 'listening');
    const { port } = runtime.server.address() as AddressInfo;
    // What it is, its own tests hold.
    return (await (await fetch(`http://127.0.0.1:${port}/api/openapi.json`)).json()) as Document;
  } finally {
    await runtime.stop();
    await rm(folder, { recursive: true });
  }
}

const { values } = parseArgs({ options: { outfile: { type: 'string', default: CLIENT } } });
const { default: describeTypes, astToString } = await import('openapi-typescript');
const types = astToString(await describeTypes(JSON.stringify(withoutRefusals(await readDocument()))));
const [written] = (await readFile(CLIENT, 'utf8')).split(MADE);
const formatter = ['format', `--stdin-file-path=${CLIENT}`];
const input = written + MADE + types;
const formatted = execFileSync(join(ROOT, 'node_modules/.bin/biome'), formatter, { cwd: ROOT, input });
await writeFile(values.outfile, formatted);
