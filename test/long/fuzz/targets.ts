import fc from 'fast-check';
import { hostileText } from './hostile.ts';
import type { Operation } from './oracle.ts';

/** Segments that may take the place of an id. */
const IDS = [
  ...['1', '2', '9', '0', '-1', '1.5', '1e3', '0x1', '00001'],
  ...['999999999999999', '9999999999999999999', '%31', '%2e%2e'],
  ...['1%00', '1;a=b', '1?', 'NaN', '__proto__', 'types', 'create', 'start'],
  ...['%D9%A1', "1'--", '..', '.', ' 1', '1%20', '%', '%zz'],
];

/** What may be done to a path. */
const TRICKS: readonly ((path: string) => string)[] = [
  (path) => `${path}/`,
  (path) => `/${path}`,
  (path) => path.replace('/api', '/api/.'),
  (path) => path.replace('/api', '/api/x/..'),
  (path) => path.replace('/api', '/api/x/%2e%2e'),
  (path) => path.replaceAll('/', '%2f'),
  (path) => path.replaceAll('/', '\\'),
  (path) => path.toUpperCase(),
  (path) => `${path}%00`,
  (path) => `${path}%c0%ae%c0%ae`,
  (path) => `${path}.json`,
  (path) => `${path};jsessionid=1`,
  (path) => `${path}#fragment`,
  (path) => `/../../../../etc/passwd${path}`,
  (path) => `${path}/${'a'.repeat(4_000)}`,
  (path) => `${path}${'/a'.repeat(1_000)}`,
  (path) => path.replace(/[a-z]/g, (letter) => `%${letter.charCodeAt(0).toString(16)}`),
];

const OTHER_PATHS = [
  ...['/', '/api', '/api/openapi.json', '/api/docs', '/api/client.ts', '/.env'],
  ...['/data/gigclaim.db', '/admin', '/webhooks/twitter'],
];

/** A query for an operation: its parameters, odd ones, and odd values. */
export function queryOf(operation: Operation): fc.Arbitrary<string> {
  const names = operation.parameters.filter((parameter) => parameter.in === 'query').map(({ name }) => name);
  const plain = fc.constantFrom(
    ...['1001', 'alice', '@bob', '1001,alice', 'all', 'live', 'x,farcaster', '1', '100', '101', '0'],
  );
  const raw = fc.constantFrom(
    ...['%00', '%ff', '%', '%zz', '%u0041', '1&1', '+', `${'1,'.repeat(2_000)}`],
    ...[','.repeat(500), 'a[]=1', '%F0%9F%98%80'],
  );
  const value = fc.oneof(
    plain,
    raw,
    hostileText.map((text) => encodeURIComponent(text.toWellFormed().slice(0, 3_000))),
  );
  const name = fc.constantFrom(...names, ...names, ...names, '__proto__', 'x[y]', '%00');
  return fc
    .array(fc.tuple(name, value), { maxLength: 4 })
    .map((pairs) => (pairs.length === 0 ? '' : `?${pairs.map(([left, right]) => `${left}=${right}`).join('&')}`));
}

/** A path for an operation: its own with some id, the same played a trick on, or another. */
export function pathOf(operation: Operation): fc.Arbitrary<string> {
  const filled = fc
    .oneof(fc.constantFrom(...IDS), fc.constantFrom('1', '1', '1', '2'))
    .map((id) => operation.path.replace('{id}', id));
  const tricked = fc.tuple(filled, fc.constantFrom(...TRICKS)).map(([path, trick]) => trick(path));
  const other = fc.constantFrom(...OTHER_PATHS);
  return fc.oneof(
    { weight: 12, arbitrary: filled },
    { weight: 3, arbitrary: tricked },
    { weight: 1, arbitrary: other },
  );
}

/** Every form in which a server may read a target's path. */
export function readings(target: string): string[] {
  const path = target.split(/[?#]/, 1)[0] ?? '';
  const parsed = URL.parse(target, 'http://gigclaim.test')?.pathname ?? path;
  const decoded = [path, parsed].map((text) => {
    try {
      return decodeURI(text);
    } catch {
      return text;
    }
  });
  return [...new Set([path, parsed, ...decoded])];
}

/** Whether a target of a path and a query holds only what HTTP allows in it. */
export const isTarget = (target: string) =>
  /^\/[\x21\x23-\x3b\x3d\x3f-\x5b\x5d\x5f\x61-\x7a\x7e]*$/.test(target) && !target.startsWith('//');
