import { describe, expect, test } from 'vitest';
import {
  circles,
  crowdedFolders,
  defaultExports,
  engineQueries,
  environmentReaders,
  forbiddenEdges,
  impureFiles,
  lineCount,
  longFiles,
  read,
  repeatedExports,
  type Sources,
  takenApart,
  unboundRoutes,
  wireServices,
} from '../support/architecture.ts';
import { withoutComments } from '../support/imports.ts';

function sources(files: Record<string, string>): Sources {
  return new Map(Object.entries(files));
}

describe('this project', () => {
  const src = new Map([...read('src'), ...read('sandbox')]);

  test('behavior: its files are found', () => {
    expect([...src.keys()]).toContain('src/domain/errors.ts');
  });

  test('behavior: no room imports one that it must not know', () => {
    expect(forbiddenEdges(src)).toEqual([]);
  });

  test('behavior: no imports go in a circle', () => {
    expect(circles(src)).toEqual([]);
  });

  test('behavior: only entries read the environment', () => {
    expect(environmentReaders(src)).toEqual([]);
  });

  test('security: only what limits the time and the size of answers asks another machine', () => {
    const asks = /(?<![.\w])(fetch|http)\(|import\('undici'\)|new https?\.Agent\(|\bhttps?\.(request|get)\(/;
    const found = [...read('src')].filter(([, text]) => asks.test(withoutComments(text))).map(([path]) => path);
    expect(found.toSorted()).toEqual([
      'src/chain/rpc/connections.ts',
      'src/endpoints/connections.ts',
      'src/outbound.ts',
      'src/platforms/answer-limit.ts',
      'src/sign-in/registries.ts',
    ]);
  });

  test('security: nothing that decides knows a price', () => {
    const asks = /from '[^']*\/prices\/|from '[^']*\/worth\.ts'|\bpriceOf\b/;
    const found = [...read('src')].filter(([, text]) => asks.test(withoutComments(text))).map(([path]) => path);
    const mayKnow =
      /^src\/(domain\/(prices|chains)\/|services\/prices\/|prices\/|chain\/|http\/|runtime\.ts|tasks\.ts)/;
    expect(found.filter((path) => !mayKnow.test(path))).toEqual([]);
    expect(found.length).toBeGreaterThan(10);
  });

  test('behavior: the gig type that accounts enter is named only where its traits, its rule and its words are', () => {
    // A verdict on a reply has the same word.
    const names = (text: string) => /(?<!\bverdict(?:: | === ))'hold'/.test(withoutComments(text));
    expect(["gigType === 'hold'", "verdict === 'hold'", "verdict: 'hold'"].map(names)).toEqual([true, false, false]);
    const found = [...read('src')].filter(([, text]) => names(text)).map(([path]) => path);
    expect(found.toSorted()).toEqual([
      'src/domain/earning/rules/hold.ts',
      'src/domain/earning/words/sentence.ts',
      'src/domain/gigs/gig-type.ts',
      'src/domain/gigs/gig.ts',
    ]);
  });

  test('behavior: no exported name stands for two things', () => {
    expect(repeatedExports(read('src'))).toEqual([]);
  });

  test('behavior: nothing is exported as default', () => {
    expect(defaultExports(src)).toEqual([]);
  });

  test('behavior: no file is longer than 400 lines', () => {
    expect(longFiles(src)).toEqual([]);
    expect(longFiles(read('test'))).toEqual([]);
  });

  test('behavior: the sandbox’s page has at most 2,500 lines, with its styles and its script', () => {
    expect(lineCount('sandbox/page')).toBeLessThanOrEqual(2_500);
  });

  test('behavior: no folder is crowded', () => {
    expect(crowdedFolders(read('src'))).toEqual([]);
    const found = Array.from({ length: 15 }, (_, index) => [`src/a/${index}.ts`, ''] as const);
    expect(crowdedFolders(new Map([...found, ['src/a/b/c.ts', '']]))).toEqual(['src/a: 15']);
  });

  test('behavior: types have names, and few are put together from parts of others', () => {
    expect(takenApart(read('src'))).toBeLessThanOrEqual(1.2);
    const found = {
      'src/services/a.ts': "type Some = Pick<Gig, 'id'>;\ntype Asked = Parameters<typeof ask>[0];\n",
      'src/services/b.ts': '// Pick<Gig>\ntype Answer = Awaited<ReturnType<typeof ask>>;\n',
    };
    expect(takenApart(sources(found))).toBe(750);
  });

  test('behavior: domain and services take time and chance from their caller', () => {
    expect(impureFiles(src)).toEqual([]);
  });
});

describe('the seam between http and services', () => {
  const src = read('src');

  test('behavior: services know no schema, no JSON text and no body', () => {
    expect(wireServices(src)).toEqual([]);
    const found = {
      'src/services/gigs/a.ts': "import { z } from 'zod';",
      'src/services/gigs/b.ts': 'const text = JSON.stringify(gig);',
      'src/services/c.ts': 'function create(request: { body: unknown }) {}',
      'src/services/d.ts': '// JSON.stringify\nexport const gig = 1;',
      'src/http/api/a.ts': 'JSON.stringify(gig);',
    };
    expect(wireServices(sources(found))).toEqual([
      'src/services/gigs/a.ts',
      'src/services/gigs/b.ts',
      'src/services/c.ts',
    ]);
  });

  test('behavior: a route of the API is validated by the schemas that the document shows, but for one that is read by hand', () => {
    expect(unboundRoutes(src)).toEqual(['src/http/api/define-operation.ts']);
    const byHand = [...src].filter(([, source]) => /\breadQuery:/.test(source)).map(([path]) => path);
    expect(byHand).toEqual(['src/http/api/claims/find-claimable.ts']);
    const found = {
      'src/http/api/a.ts': 'app.openAPIRegistry.registerPath(route);',
      'src/http/b.ts': 'app.openAPIRegistry.registerPath(route);',
    };
    expect(unboundRoutes(sources(found))).toEqual(['src/http/api/a.ts', 'src/http/b.ts']);
  });
});

describe('the queries that engines share', () => {
  test('behavior: use what the builders of all engines have', () => {
    expect(engineQueries(read('src'))).toEqual([]);
    const found = {
      'src/store/sql/a.ts': "build.select().from(gigs).for('update');",
      'src/store/sql/b.ts': 'build.selectDistinct().from(gigs).fullJoin(tips, isTheirs);',
      'src/store/sql/c.ts': 'build.insert(gigs).overridingSystemValue().values(gig);',
      'src/store/sql/d.ts': '// not .for(\nfor (const gig of gigs) await keep.run(gig);',
      'src/store/postgres/kit.ts': "query.for('update');",
    };
    expect(engineQueries(sources(found))).toEqual(['src/store/sql/a.ts', 'src/store/sql/b.ts', 'src/store/sql/c.ts']);
  });
});

describe('the rule of the layers', () => {
  function edge(from: string, source: string): string[] {
    return forbiddenEdges(sources({ [from]: source }));
  }

  const FORBIDDEN: Readonly<Record<string, readonly (readonly [source: string, problem: string])[]>> = {
    'src/domain/gigs/gig.ts': [
      ["import { log } from '../../log.ts';", 'domain imports log (src/log.ts)'],
      ["import type { Log } from '../../log.ts';", 'domain imports log (src/log.ts)'],
      ["import { http } from 'viem';", 'domain imports viem; only viem/utils is pure'],
    ],
    'src/store/sql/gigs.ts': [
      ["import { a } from '../../chain/a.ts';", 'store imports chain (src/chain/a.ts)'],
      ["import type { Db } from '../sqlite/connection.ts';", 'store/sql imports src/store/sqlite/connection.ts'],
      ["import type { StoreReads } from '../port/index.ts';", 'store/sql imports src/store/port/index.ts'],
      ["import type { Kit } from '../sqlite/kit.ts';", 'store/sql imports src/store/sqlite/kit.ts'],
      ["import { POSTGRES_KIT } from '../postgres/kit.ts';", 'store/sql imports src/store/postgres/kit.ts'],
    ],
    'src/store/gigs.ts': [
      ["import {\n  a,\n  b,\n} from '../platforms/a.ts';", 'store imports platforms (src/platforms/a.ts)'],
    ],
    'src/chain/a.ts': [
      ["export { b } from '../store/b.ts';", 'chain imports store (src/store/b.ts)'],
      ["export * from '../services/b.ts';", 'chain imports services (src/services/b.ts)'],
      ["import '../config.ts';", 'chain imports config (src/config.ts)'],
      ["import { base } from 'viem/chains';", 'imports viem/chains, which is hundreds of files'],
    ],
    'src/services/a.ts': [
      ["import type { B } from '../store/b.ts';", 'services imports store (src/store/b.ts)'],
      ["import type { B } from '../chain/b.ts';", 'services imports chain (src/chain/b.ts)'],
      ["import { b } from '../store/port/index.ts';", 'services imports more than types of src/store/port/index.ts'],
    ],
    'src/bot/a.ts': [
      ["import type { Store } from '../store/port/index.ts';", 'bot imports store (src/store/port/index.ts)'],
    ],
    'src/http/app.ts': [
      ["import { b } from '../store/port/index.ts';", 'http imports more than types of src/store/port/index.ts'],
    ],
    'src/http/a.ts': [
      ["import type { Store } from '../store/port/index.ts';", 'http imports store (src/store/port/index.ts)'],
      ["const b = await import('../bot/b.ts');", 'http imports bot (src/bot/b.ts)'],
      ["import { b } from '../../test/b.ts';", 'imports test/b.ts outside src'],
      ['await import(name);', 'imports something computed'],
    ],
    'src/jobs/a.ts': [["type B = import('../http/b.ts').B;", 'jobs imports http (src/http/b.ts)']],
    'src/cli/a.ts': [
      ["import { app } from '../http/app.ts';", 'cli imports http (src/http/app.ts)'],
      ["import { b } from '../../sandbox/b.ts';", 'imports sandbox/b.ts outside src'],
    ],
    'src/runtime.ts': [
      ["import { b } from '../sandbox/b.ts';", 'imports sandbox/b.ts outside src'],
      ["import { b } from './main.ts';", 'runtime imports main (src/main.ts)'],
    ],
    'src/admin.ts': [["import { b } from './runtime.ts';", 'admin imports runtime (src/runtime.ts)']],
    'src/main.ts': [["import { b } from '../sandbox/b.ts';", 'imports sandbox/b.ts outside src']],
    'src/store/port/index.ts': [
      ["import type { Values } from '../sql/mapping.ts';", 'store/port imports store/sql (src/store/sql/mapping.ts)'],
    ],
    'src/store/sqlite/kit.ts': [
      [
        "import type { POSTGRES_KIT } from '../postgres/kit.ts';",
        'store/sqlite imports store/postgres (src/store/postgres/kit.ts)',
      ],
    ],
    'src/store/sqlite/store.ts': [
      [
        "import type { Pool } from '../postgres/pool.ts';",
        'store/sqlite imports store/postgres (src/store/postgres/pool.ts)',
      ],
    ],
    'src/store/postgres/store.ts': [
      [
        "import type { Db } from '../sqlite/connection.ts';",
        'store/postgres imports store/sqlite (src/store/sqlite/connection.ts)',
      ],
    ],
    'src/utils/a.ts': [['', 'utils is no room']],
    'src/http/middleware/a.ts': [
      ["import type { B } from '../api/b.ts';", 'http/middleware imports http/api (src/http/api/b.ts)'],
    ],
    'src/http/ui/a.ts': [["import { b } from '../pages/b.ts';", 'http/ui imports http/pages (src/http/pages/b.ts)']],
    'src/http/pages/a.ts': [
      ["import { b } from '../api/gigs/b.ts';", 'http/pages imports http/api (src/http/api/gigs/b.ts)'],
    ],
    'src/http/admin/a.ts': [
      ["import { b } from '../pages/b.ts';", 'http/admin imports http/pages (src/http/pages/b.ts)'],
    ],
    'src/http/api/gigs/a.ts': [
      ["import { b } from '../../pages/b.ts';", 'http/api imports http/pages (src/http/pages/b.ts)'],
    ],
    'src/http/forms/a.ts': [['', 'forms is no room of http']],
    'src/services/gigs/a.ts': [
      ["import { b } from '../claims/b.ts';", 'services/gigs imports services/claims (src/services/claims/b.ts)'],
    ],
    'src/services/claims/a.ts': [
      [
        "import { b } from '../operators/sessions.ts';",
        'services/claims imports services/operators (src/services/operators/sessions.ts)',
      ],
    ],
    'src/services/tips/a.ts': [['', 'tips is no room of services']],
    'src/store/mysql/a.ts': [['', 'mysql is no room of store']],
  };

  const forbidden = Object.entries(FORBIDDEN).flatMap(([from, rows]) => rows.map((row) => [from, ...row] as const));

  test.each(forbidden)('behavior: %s may not say %j', (from, source, problem) => {
    expect(edge(from, source)).toEqual([`${from}: ${problem}`]);
  });

  test.each([
    ['src/domain/gigs/gig.ts', "import { getAddress } from 'viem/utils';\nimport { a } from './a.ts';"],
    [
      'src/store/sql/gigs.ts',
      "import { a } from '../../domain/a.ts';\nimport type { B } from '../port/b.ts';\nimport type { Kit } from './kit.ts';",
    ],
    ['src/services/a.ts', "import type { Store } from '../store/port/index.ts';"],
    ['src/http/app.ts', "import type { Store } from '../store/port/index.ts';"],
    ['src/tasks.ts', "import type { Store } from './store/port/index.ts';\nimport { a } from './services/a.ts';"],
    ['src/bot/a.ts', "import { a } from '../services/a.ts';"],
    ['src/cli/a.ts', "import { a } from '../store/a.ts';\nimport { b } from '../config.ts';"],
    ['src/admin.ts', "import { a } from './cli/a.ts';"],
    [
      'sandbox/a.ts',
      "import { a } from '../src/runtime.ts';\nimport { b } from '../src/http/b.ts';\nimport { c } from './c.ts';",
    ],
    ['src/http/pages/a.ts', "import { b } from '../ui/b.ts';\nimport { c } from '../middleware/c.ts';"],
    ['src/http/api/gigs/a.ts', "import { b } from '../claims/b.ts';\nimport { c } from '../../middleware/c.ts';"],
    ['src/http/app.ts', "import { b } from './api/b.ts';\nimport { c } from './admin/c.ts';"],
    ['src/services/claims/a.ts', "import { b } from '../operators/audit-events.ts';\nimport { c } from '../x.ts';"],
    ['src/services/payments/a.ts', "import { b } from '../claims/b.ts';\nimport { c } from '../gigs/c.ts';"],
    ['src/store/sqlite/a.ts', "import { b } from '../sql/b.ts';\nimport { c } from '../port.ts';"],
    ['src/store/sqlite/kit.ts', "import type { Kit } from '../sql/kit.ts';"],
    ['src/store/postgres/tables.ts', "import { b } from '../sql/b.ts';\nimport { POSTGRES_KIT } from './kit.ts';"],
    ['src/runtime.ts', "import { a } from './http/a.ts';\nawait import('./platforms/b.ts');"],
    ['src/main.ts', "import { a } from './runtime.ts';"],
    ['src/domain/a.ts', "// import { a } from '../log.ts';\n/**\n * import { a } from '../log.ts';\n */"],
  ])('behavior: %s may say %j', (from, source) => {
    expect(edge(from, source)).toEqual([]);
  });
});

describe('the other rules', () => {
  test('behavior: a circle is found, of values and of types', () => {
    const value = {
      'src/domain/a.ts': "import { b } from './b.ts';",
      'src/domain/b.ts': "export { a } from './a.ts';",
    };
    expect(circles(sources(value))).toEqual(['src/domain/a.ts → src/domain/b.ts → src/domain/a.ts']);
    const type = { ...value, 'src/domain/b.ts': "import type { A } from './a.ts';" };
    expect(circles(sources(type))).toEqual(['src/domain/a.ts → src/domain/b.ts → src/domain/a.ts']);
    const line = { ...value, 'src/domain/b.ts': "import type { C } from './c.ts';" };
    expect(circles(sources(line))).toEqual([]);
    const self = { 'src/domain/a.ts': "const a = await import('./a.ts');" };
    expect(circles(sources(self))).toEqual(['src/domain/a.ts → src/domain/a.ts']);
  });

  test.each(['const port = process.env.PORT;', "const port = process['env'];", "import { env } from 'node:process';"])(
    'behavior: %j belongs into an entry',
    (source) => {
      expect(environmentReaders(sources({ 'src/http/app.ts': source, 'src/cli/keys.ts': source }))).toHaveLength(2);
      const entries = { 'src/main.ts': source, 'src/admin.ts': source, 'sandbox/say.ts': source };
      expect(environmentReaders(sources(entries))).toEqual([]);
    },
  );

  test('behavior: a comment on the environment reads nothing', () => {
    expect(
      environmentReaders(sources({ 'src/config.ts': '/** Reads process.env. */\nlet a = 1; // process.env' })),
    ).toEqual([]);
  });

  test('behavior: a name that two files export is found', () => {
    const twice = {
      'src/a.ts': 'export type A = 1;',
      'src/b.ts': 'export async function A() {}',
      'src/c.ts': 'const A = 1;',
    };
    expect(repeatedExports(sources(twice))).toEqual(['A: src/a.ts, src/b.ts']);
  });

  test.each(['export default function a() {}', 'export { a as default };'])(
    'behavior: %j is a default export',
    (source) => {
      expect(defaultExports(sources({ 'src/a.ts': source }))).toEqual(['src/a.ts']);
    },
  );

  test('behavior: importing the default of a package is no default export', () => {
    expect(defaultExports(sources({ 'src/a.ts': "import text, { default as b } from 'text';" }))).toEqual([]);
  });

  test('behavior: the 401st line is one too many', () => {
    const fits = 'x\n'.repeat(400);
    expect(longFiles(sources({ 'src/a.ts': fits }))).toEqual([]);
    expect(longFiles(sources({ 'src/a.ts': `${fits}x\n` }))).toEqual(['src/a.ts: 401 lines']);
  });

  test.each([
    'const now = Date.now();',
    'const clock = options.clock ?? Date.now;',
    'const chance = Math.random();',
    'const now = new Date();',
    'const now = new Date;',
  ])('behavior: %j is for neither domain nor services', (source) => {
    expect(impureFiles(sources({ 'src/domain/a.ts': source }))).toEqual(['src/domain/a.ts']);
    expect(impureFiles(sources({ 'src/services/a.ts': source }))).toEqual(['src/services/a.ts']);
    expect(impureFiles(sources({ 'src/runtime.ts': source, 'src/http/a.ts': source }))).toEqual([]);
  });

  test('behavior: a date made from a given time is pure', () => {
    expect(impureFiles(sources({ 'src/domain/a.ts': 'const at = new Date(now).toISOString();' }))).toEqual([]);
  });
});
