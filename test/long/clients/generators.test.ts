import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ServedService, serveService } from '../../http/serve.ts';
import { DEGEN, knowDegen } from '../../http/terms.ts';
import { temporaryFolder } from '../../support/store.ts';
import { beside, checkTypes, FOR_BROWSERS, load, runPackage, writeDocument } from './programs.ts';

/** A create without anything that may be left out, and one that lacks what may not. */
const BODY = `{
  chain: 'anvil',
  token_address: '${DEGEN}',
  amount: 10,
  start_time: '2026-11-22T09:30:00Z',
  duration: '1week',
  gig_type: 'mention',
} as const`;
const INCOMPLETE = `{ chain: 'anvil', amount: 10 } as const`;

const OPENAPI_TYPESCRIPT = `import type { paths } from './generated.js';
type Create = paths['/api/gigs/create']['post'];
type Body = Create['requestBody']['content']['application/json'];
type Created = Create['responses'][201]['content']['application/json'];
export const body: Body = ${BODY};
// @ts-expect-error the terms are not complete
export const incomplete: Body = ${INCOMPLETE};
export async function create(url: string, key: string): Promise<number> {
  const headers = { 'x-api-key': key };
  const response = await fetch(\`\${url}/api/gigs/create\`, { method: 'POST', headers, body: JSON.stringify(body) });
  const created = (await response.json()) as Created;
  return created.gig_id;
}
`;

const HEY_API = `import { createClient } from './generated/client';
import { createGig } from './generated';
// @ts-expect-error the terms are not complete
export const incomplete = () => createGig({ body: ${INCOMPLETE} });
export async function create(url: string, key: string): Promise<number> {
  const client = createClient({ baseUrl: url, auth: () => key });
  const { data } = await createGig({ client, body: ${BODY}, throwOnError: true });
  return data.gig_id;
}
`;

const GENERATORS = {
  'openapi-typescript': {
    command: { file: 'openapi-typescript/bin/cli.js', args: ['openapi.json', '--output', 'generated.d.ts'] },
    call: OPENAPI_TYPESCRIPT,
  },
  '@hey-api/openapi-ts': {
    command: {
      file: '@hey-api/openapi-ts/bin/run.js',
      args: ['--input', 'openapi.json', '--output', 'generated', '--no-log-file'],
    },
    call: HEY_API,
  },
} as const;

let service: ServedService;
let folder: ReturnType<typeof temporaryFolder>;

beforeAll(async () => {
  service = await serveService();
  await knowDegen(service);
  folder = temporaryFolder();
});
afterAll(async () => {
  await service.close();
  folder.remove();
});

test.each(['openapi-typescript', '@hey-api/openapi-ts'] as const)(
  'behavior: with what %s generates, a minimal create type-checks and creates a gig',
  async (name) => {
    const { command, call } = GENERATORS[name];
    const own = join(folder.path, name.replaceAll('/', '-'));
    await mkdir(own);
    await writeDocument(service, own);
    const nodeArgs = [`--import=${pathToFileURL(beside('../../../scripts/old-typescript.ts'))}`];
    expect(await runPackage({ ...command, nodeArgs }, own)).toMatchObject({ code: 0 });
    await writeFile(join(own, 'call.ts'), call);
    await checkTypes(own, 'call.ts', FOR_BROWSERS);
    const made = await load<{ create(url: string, key: string): Promise<number> }>(own, 'call.ts');
    const id = await made.create(service.origin, service.key);
    expect(await service.store.gig(id)).toMatchObject({ gigType: 'mention', platform: 'farcaster' });
    expect(await service.store.gigOwners(id)).toEqual([]);
  },
);
