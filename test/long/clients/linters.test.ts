import { readFile, writeFile } from 'node:fs/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openService, type Service } from '../../http/service.ts';
import { temporaryFolder } from '../../support/store.ts';
import { beside, runPackage, writeDocument } from './programs.ts';

const LINTERS = {
  redocly: {
    file: '@redocly/cli/bin/cli.js',
    args: ['lint', 'openapi.json', '--format=json', `--config=${beside('redocly.yaml')}`],
  },
  spectral: {
    file: '@stoplight/spectral-cli/dist/index.js',
    args: ['lint', 'openapi.json', '--format=json', '--quiet', `--ruleset=${beside('spectral.yaml')}`],
  },
} as const;

let service: Service;
let folder: ReturnType<typeof temporaryFolder>;
let document: string;

beforeAll(async () => {
  service = await openService();
  folder = temporaryFolder();
  document = await writeDocument(service, folder.path);
});
afterAll(async () => {
  await service.close();
  folder.remove();
});

/** Every problem that a linter tells, warnings included. */
async function problemsOf(linter: keyof typeof LINTERS): Promise<unknown[]> {
  const { output } = await runPackage(LINTERS[linter], folder.path);
  const told: unknown = JSON.parse(
    output.slice(output.search(/[[{]/), Math.max(output.lastIndexOf(']'), output.lastIndexOf('}')) + 1),
  );
  if (Array.isArray(told)) return told;
  return typeof told === 'object' && told !== null && 'problems' in told && Array.isArray(told.problems)
    ? told.problems
    : [told];
}

test.each(['redocly', 'spectral'] as const)('behavior: %s finds nothing wrong with the document', async (linter) => {
  expect(await problemsOf(linter)).toEqual([]);
});

test.each(['redocly', 'spectral'] as const)('behavior: %s would find something', async (linter) => {
  const whole = await readFile(document, 'utf8');
  await writeFile(document, whole.replaceAll('"security":[],', '').replaceAll('"operationId":"createGig",', ''));
  expect(await problemsOf(linter)).not.toEqual([]);
  await writeFile(document, whole);
});
