import { spawnSync } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import manifest from '../../package.json' with { type: 'json' };
import { composeOf, notesOf } from '../../scripts/release/texts.ts';

const ROOT = join(import.meta.dirname, '../..');
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');

type Permissions = Readonly<Record<string, string>>;
interface Step {
  readonly uses?: string;
  readonly run?: string;
  readonly with?: Readonly<Record<string, unknown>>;
}
interface Workflow {
  readonly permissions: Permissions;
  readonly jobs: Readonly<
    Record<
      string,
      {
        readonly permissions?: Permissions;
        readonly needs?: string | readonly string[];
        readonly steps: readonly Step[];
        readonly 'timeout-minutes': number;
      }
    >
  >;
}

const FILES = globSync('.github/workflows/*.yml', { cwd: ROOT }).toSorted();
const workflow = (path: string): Workflow => parse(read(path));
const release = workflow('.github/workflows/release.yml');
const IMAGE = `ghcr.io/someone/gigclaim:${manifest.version}@sha256:${'ab'.repeat(32)}`;

describe.each(FILES)('%s', (path) => {
  const { permissions, jobs } = workflow(path);
  const steps = Object.values(jobs).flatMap((job) => job.steps);

  test('security: pins each action by the hash of a commit, and names its version', () => {
    const uses = [...read(path).matchAll(/\buses: *(.*)$/gm)].map(([, used]) => used);
    expect(uses).toHaveLength(steps.filter((step) => step.uses !== undefined).length);
    for (const used of uses) expect(used).toMatch(/^[\w-]+\/[\w-]+@[0-9a-f]{40} # v[0-9]+\.[0-9]+\.[0-9]+$/);
  });

  test('security: may read the code and nothing else, unless a job says so, and puts no value into a script', () => {
    expect(permissions).toEqual({ contents: 'read' });
    expect(steps.filter(({ run }) => run?.includes('${{'))).toEqual([]);
    const checkouts = steps.filter(({ uses }) => uses?.startsWith('actions/checkout@'));
    expect(checkouts.filter((step) => step.with?.['persist-credentials'] !== false)).toEqual([]);
  });

  test('behavior: has a limit of time for each job', () => {
    expect(Object.values(jobs).filter((job) => !(job['timeout-minutes'] > 0))).toEqual([]);
  });
});

test('security: an action has one hash in all workflows', () => {
  const pins = new Set(
    FILES.flatMap((path) => [...read(path).matchAll(/\buses: *(.*)$/gm)].map(([, used = '']) => used)),
  );
  const names = [...pins].map((pin) => pin.split('@')[0]);
  expect(names).toEqual([...new Set(names)]);
});

describe('a release', () => {
  test('security: each job may do what it needs, after the tests', () => {
    expect(Object.entries(release.jobs).map(([name, { permissions, needs }]) => [name, permissions, needs])).toEqual([
      ['checks', undefined, undefined],
      ['package', { contents: 'read', 'id-token': 'write', attestations: 'write' }, 'checks'],
      ['image', { contents: 'read', packages: 'write' }, 'checks'],
      ['release', { contents: 'write' }, ['package', 'image']],
    ]);
    expect(release.jobs['checks']?.steps.map(({ run }) => run).filter(Boolean)).toEqual([
      'node scripts/release.ts check "$GITHUB_REF_NAME"',
      'bash .ci/run',
    ]);
  });

  test('behavior: has images for two kinds of machines, with SBOM and provenance', () => {
    const build = release.jobs['image']?.steps.find(({ uses }) => uses?.startsWith('docker/build-push-action@'));
    expect(build?.with).toMatchObject({
      platforms: 'linux/amd64,linux/arm64',
      push: true,
      sbom: true,
      provenance: 'mode=max',
    });
  });

  test('behavior: has a compose.yaml with the image by its digest, and nothing to build', () => {
    const { services } = parse(composeOf(read('compose.yaml'), IMAGE), { merge: true });
    for (const name of ['gigclaim', 'gigclaim-2']) {
      expect([services[name].image, services[name].build, services[name].read_only]).toEqual([IMAGE, undefined, true]);
    }
    expect(() => composeOf(read('compose.yaml'), 'gigclaim:latest')).toThrow('an image is name:version@sha256:digest');
    expect(() => composeOf('services: {}', IMAGE)).toThrow('compose.yaml names no image that it builds');
  });

  test('behavior: has the changelog of its version as notes, whose links lead to that version', () => {
    const notes = notesOf(read('CHANGELOG.md'), { version: manifest.version, source: 'https://example.org/v' });
    expect(notes).toContain('[update](https://example.org/v/docs/operate.md#update)');
    expect(notes).toContain('### Breaking');
    expect(notes).not.toMatch(/^## /m);
    expect(() => notesOf('## Unreleased\n', { version: '9.9.9', source: '' })).toThrow('CHANGELOG.md has no 9.9.9');
  });

  test('error: a tag of another version ends it', () => {
    const check = (tag: string) =>
      spawnSync(process.execPath, [join(ROOT, 'scripts/release.ts'), 'check', tag], { encoding: 'utf8' });
    expect(check(`v${manifest.version}`).status).toBe(0);
    const { status, stderr } = check('v0.0.1');
    expect([status, stderr]).toEqual([
      1,
      expect.stringContaining(`the tag is v0.0.1, and the version ${manifest.version}`),
    ]);
  });
});
