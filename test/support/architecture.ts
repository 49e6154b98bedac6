import { readdirSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { type Import, importsOf, withoutComments } from './imports.ts';

/** Sources by their path from the project's root, with forward slashes: `src/domain/gigs/gig.ts`. */
export type Sources = ReadonlyMap<string, string>;

const ROOT = join(import.meta.dirname, '../..');

/** The sources below a folder of the project. */
export function read(folder: string): Sources {
  const paths = readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .map((path) => `${folder}/${path.replaceAll('\\', '/')}`)
    .filter((path) => path.endsWith('.ts'));
  return new Map(paths.map((path) => [path, readFileSync(join(ROOT, path), 'utf8')]));
}

const BELOW_RUNTIME = [
  ...['domain', 'node-flags', 'log', 'time-limit', 'outbound', 'config', 'store', 'chain', 'platforms', 'verifiers'],
  ...['alerts', 'endpoints', 'sign-in', 'prices', 'logo-file', 'services', 'bot', 'http', 'jobs', 'cli', 'tasks'],
];

/** Who may import whom. A command of the operator's composes its own parts, so `cli` reaches down to layer 1. */
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  domain: [],
  'node-flags': [],
  log: [],
  'time-limit': [],
  'compile-cache': [],
  'logo-file': ['domain'],
  outbound: ['domain', 'time-limit'],
  config: ['domain', 'platforms'],
  store: ['domain', 'log'],
  chain: ['domain', 'log', 'time-limit'],
  platforms: ['domain', 'log', 'time-limit'],
  verifiers: ['domain', 'log', 'time-limit', 'outbound'],
  alerts: ['domain', 'log', 'time-limit', 'outbound'],
  endpoints: ['domain', 'log', 'time-limit', 'outbound'],
  prices: ['domain', 'log', 'time-limit', 'outbound'],
  'sign-in': ['domain', 'log', 'time-limit', 'outbound'],
  services: ['domain', 'log', 'time-limit'],
  bot: ['domain', 'services'],
  http: ['domain', 'services', 'log'],
  jobs: ['domain', 'services', 'log'],
  cli: [
    ...['domain', 'services', 'log', 'config', 'store', 'chain', 'platforms'],
    ...['verifiers', 'alerts', 'endpoints', 'sign-in', 'outbound', 'logo-file'],
  ],
  tasks: ['domain', 'services', 'log', 'config', 'jobs'],
  terminal: ['domain', 'config'],
  sandbox: [...BELOW_RUNTIME, 'runtime'],
  runtime: BELOW_RUNTIME,
  main: [...BELOW_RUNTIME, 'compile-cache', 'terminal', 'runtime'],
  admin: ['cli', 'compile-cache', 'log'],
};

const STORE_PORT = 'src/store/port/index.ts';
/**
 * What all engines share knows nothing else of an engine, nor of what puts the store together. The port's index rests on what
 * its nouns return, so that they know its records alone.
 */
const SQL_MAY_IMPORT = /^src\/store\/(sql\/|port\/(?!index\.ts$))/;
/** What takes the whole store, by its type alone. */
const PORT_USERS: readonly string[] = ['services', 'tasks'];
const APP = 'src/http/app.ts';

/**
 * The folders inside a room, and which parts of the others each may import. What stands beside the folders puts them
 * together, or serves all of them.
 */
const SUB_ROOMS: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  http: {
    errors: [],
    middleware: ['errors/'],
    ui: ['middleware/'],
    api: ['middleware/', 'errors/'],
    mcp: ['middleware/', 'errors/', 'api/complete-document', 'api/operation-route'],
    pages: ['middleware/', 'errors/', 'ui/'],
    frame: ['middleware/', 'errors/', 'ui/'],
    admin: ['middleware/', 'errors/', 'ui/', 'frame/'],
    // Owners see the public pages' pieces, and more.
    my: ['middleware/', 'errors/', 'ui/', 'frame/', 'pages/'],
  },
  services: {
    gigs: ['operators/audit-events', 'operators/api-keys'],
    claims: ['gigs/', 'operators/audit-events'],
    audits: ['gigs/', 'payments/sender/', 'operators/audit-events'],
    payments: ['claims/', 'gigs/', 'operators/audit-events'],
    earning: ['gigs/', 'operators/audit-events'],
    ends: ['gigs/', 'audits/', 'earning/', 'payments/', 'operators/audit-events'],
    mentions: ['operators/audit-events'],
    notices: ['gigs/command-gig', 'gigs/read-funding', 'operators/audit-events'],
    notifications: ['claims/claim-progress', 'deliveries/', 'gigs/', 'operators/audit-events', 'owners/sessions'],
    deliveries: [],
    papers: [],
    prices: [],
    events: ['deliveries/', 'gigs/', 'notices/', 'operators/audit-events', 'operators/api-keys'],
    operators: [
      ...['claims/claim-progress', 'claims/list-claims', 'deliveries/'],
      ...['gigs/show/', 'gigs/steps/', 'mentions/', 'payments/'],
    ],
    owners: ['claims/', 'earning/acts/join', 'gigs/', 'operators/audit-events', 'operators/api-keys'],
    x402: ['ends/context', 'ends/end-gig', 'gigs/', 'operators/audit-events'],
  },
  // Of two engines none knows the other.
  store: {
    sql: ['port/'],
    sqlite: ['sql/', 'port/'],
    postgres: ['sql/', 'port/'],
    // It goes from one engine to the other.
    copy: ['sql/', 'sqlite/', 'postgres/'],
    // Its interfaces are what the nouns return.
    port: ['sql/nouns.ts', 'sql/engine.ts'],
  },
};

const MAX_LINES = 400;
const ENTRIES = /^(src\/main|src\/admin|sandbox\/(main|say|act|later|listen))\.ts$/;
const ENVIRONMENT = /\bprocess\s*(\?\.|\.)\s*env\b|\bprocess\s*\[|\benv\b[^;'"]*\}\s*from\s*['"](node:)?process['"]/;
const DEFAULT_EXPORT = /^export\s+default\b|^export\s*\{[^}]*\bas\s+default\b/m;
const EXPORTED = /^export\s+(?:async\s+)?(?:const|function\*?|class|interface|type)\s+(\w+)/gm;
const IMPURE = [/\bDate\.now\b/, /\bMath\.random\b/, /\bnew\s+Date\s*(\(\s*\)|(?!\s*\())/];

/** The room of a file: its folder in `src`, or its own name when it stands beside the folders; `sandbox` is one beside `src`. */
function roomOf(path: string): string {
  if (path.startsWith('sandbox/')) return 'sandbox';
  return path.split('/')[1]?.replace(/\.ts$/, '') ?? '';
}

function target(from: string, { specifier }: Import): string | null {
  return specifier.startsWith('.') ? posix.join(posix.dirname(from), specifier) : null;
}

/** The folder of a file inside its room; null when it stands beside the folders. */
function subRoomOf(path: string): string | null {
  return /^src\/\w+\/([\w-]+)\//.exec(path)?.[1] ?? null;
}

/** What is wrong with an import from one folder of a room by another. */
function subRoomProblem(room: string, from: string, to: string): string | null {
  const rooms = SUB_ROOMS[room];
  const [here, there] = [subRoomOf(from), subRoomOf(to)];
  if (rooms === undefined || here === null || there === null || here === there) return null;
  const isAllowed = rooms[here]?.some((part) => to.startsWith(`src/${room}/${part}`));
  return isAllowed ? null : `${room}/${here} imports ${room}/${there} (${to})`;
}

function edgeProblem(from: string, imported: Import): string | null {
  const to = target(from, imported);
  if (to === null) {
    if (imported.specifier === '?') return 'imports something computed';
    if (imported.specifier === 'viem/chains') return 'imports viem/chains, which is hundreds of files';
    // The normalization of names is pure as well, and stands nowhere else.
    const isNames = from === 'src/domain/names/ens-name.ts' && imported.specifier === 'viem/ens';
    if (roomOf(from) === 'domain' && !isNames && /^viem(\/(?!utils$).*)?$/.test(imported.specifier)) {
      return `domain imports ${imported.specifier}; only viem/utils is pure`;
    }
    return null;
  }
  if (from.startsWith('src/store/sql/') && to.startsWith('src/store/') && !SQL_MAY_IMPORT.test(to)) {
    return `store/sql imports ${to}`;
  }
  const [here, there] = [roomOf(from), roomOf(to)];
  if (!to.startsWith('src/') && here !== there) return `imports ${to} outside src`;
  if (here === there) return subRoomProblem(here, from, to);
  if (MAY_IMPORT[here]?.includes(there)) return null;
  if ((PORT_USERS.includes(here) || from === APP) && to === STORE_PORT) {
    return imported.typeOnly ? null : `${here} imports more than types of ${STORE_PORT}`;
  }
  return `${here} imports ${there} (${to})`;
}

/** One sentence for each import between two rooms that the layers forbid. */
export function forbiddenEdges(sources: Sources): string[] {
  return [...sources].flatMap(([path, source]) => {
    const [room, subRoom] = [roomOf(path), subRoomOf(path)];
    if (MAY_IMPORT[room] === undefined) return [`${path}: ${room} is no room`];
    const subRooms = SUB_ROOMS[room];
    if (subRooms !== undefined && subRoom !== null && !Object.hasOwn(subRooms, subRoom)) {
      return [`${path}: ${subRoom} is no room of ${room}`];
    }
    return importsOf(source)
      .map((imported) => edgeProblem(path, imported))
      .filter((problem) => problem !== null)
      .map((problem) => `${path}: ${problem}`);
  });
}

/** Each circle of imports, also of types, as `a → b → a`. */
export function circles(sources: Sources): string[] {
  const found: string[] = [];
  const done = new Set<string>();
  function visit(path: string, trail: readonly string[]): void {
    const start = trail.indexOf(path);
    if (start >= 0) {
      found.push([...trail.slice(start), path].join(' → '));
      return;
    }
    if (done.has(path)) return;
    for (const imported of importsOf(sources.get(path) ?? '')) {
      const to = target(path, imported);
      if (to !== null) visit(to, [...trail, path]);
    }
    done.add(path);
  }
  for (const path of sources.keys()) visit(path, []);
  return found;
}

/** The files that read the environment without being an entry of the process. */
export function environmentReaders(sources: Sources): string[] {
  return [...sources]
    .filter(([path, source]) => !ENTRIES.test(path) && ENVIRONMENT.test(withoutComments(source)))
    .map(([path]) => path);
}

/** Each name that more than one file exports, with the files. */
export function repeatedExports(sources: Sources): string[] {
  const files = new Map<string, string[]>();
  for (const [path, source] of sources) {
    for (const [, name = ''] of withoutComments(source).matchAll(EXPORTED)) {
      const known = files.get(name) ?? [];
      if (!known.includes(path)) files.set(name, [...known, path]);
    }
  }
  return [...files].filter(([, paths]) => paths.length > 1).map(([name, paths]) => `${name}: ${paths.join(', ')}`);
}

/** The files with a default export. */
export function defaultExports(sources: Sources): string[] {
  return [...sources].filter(([, source]) => DEFAULT_EXPORT.test(withoutComments(source))).map(([path]) => path);
}

/** The files of more than 400 lines, with their number of lines. */
export function longFiles(sources: Sources): string[] {
  return [...sources]
    .map(([path, source]) => ({ path, lines: source.replace(/\n$/, '').split('\n').length }))
    .filter(({ lines }) => lines > MAX_LINES)
    .map(({ path, lines }) => `${path}: ${lines} lines`);
}

/** The lines of all files below a folder, of whatever kind. @throws Error when there is none */
export function lineCount(folder: string): number {
  const entries = readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name));
  if (files.length === 0) throw new Error(`there is nothing in ${folder}`);
  return files.reduce((sum, file) => sum + readFileSync(file, 'utf8').replace(/\n$/, '').split('\n').length, 0);
}

/** A type that is put together from the properties, parameters or results of another, where it could have a name. */
const TAKEN_APART = /\bPick<|\b(?:Parameters|ReturnType)<typeof\b/g;

/** The most files that may lie flat in a folder, which a reader sees at a glance. */
const MAX_FLAT = 14;

/** Folders in which more files lie flat than {@link MAX_FLAT}, with how many. */
export function crowdedFolders(sources: Sources): string[] {
  const folders = Map.groupBy(sources.keys(), (path) => posix.dirname(path));
  return [...folders].flatMap(([folder, { length }]) => (length > MAX_FLAT ? [`${folder}: ${length}`] : []));
}

/** How many types for each 1,000 lines are put together from parts of others. */
export function takenApart(sources: Sources): number {
  const texts = [...sources.values()].map(withoutComments);
  const sum = (counts: readonly number[]) => counts.reduce((total, count) => total + count, 0);
  const found = sum(texts.map((text) => text.match(TAKEN_APART)?.length ?? 0));
  return (found * 1_000) / sum([...sources.values()].map((source) => source.split('\n').length - 1));
}

/** The files of domain and services that take the time or chance from the process instead of their caller. */
export function impureFiles(sources: Sources): string[] {
  return [...sources]
    .filter(([path]) => ['domain', 'services'].includes(roomOf(path)))
    .filter(([, source]) => IMPURE.some((pattern) => pattern.test(withoutComments(source))))
    .map(([path]) => path);
}

const WIRE = [/\bJSON\./, /\bbody: unknown\b/, /from\s*['"](?:zod|@hono\/[\w-]+)['"]/];

/** What Drizzle's builders of one engine have under these names, those of another have not, or mean something else by it. */
const OF_ONE_ENGINE = /\.(?:for|distinctOn|overriding|overridingSystemValue|fullJoin)\(/;

/** The shared queries that not every engine can build. */
export function engineQueries(sources: Sources): string[] {
  return [...sources]
    .filter(([path]) => path.startsWith('src/store/sql/'))
    .filter(([, source]) => OF_ONE_ENGINE.test(withoutComments(source)))
    .map(([path]) => path);
}

/** The services that know what requests look like on the wire: schemas, JSON text, bodies that were not read. */
export function wireServices(sources: Sources): string[] {
  return [...sources]
    .filter(([path]) => roomOf(path) === 'services')
    .filter(([, source]) => WIRE.some((pattern) => pattern.test(withoutComments(source))))
    .map(([path]) => path);
}

/** The files that register a route of the document without the handler that its schemas validate for. */
export function unboundRoutes(sources: Sources): string[] {
  return [...sources]
    .filter(([path]) => roomOf(path) === 'http')
    .filter(([, source]) => /\bregisterPath\b/.test(withoutComments(source)))
    .map(([path]) => path);
}
