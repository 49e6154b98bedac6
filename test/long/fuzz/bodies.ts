import fc from 'fast-check';
import { HOSTILE_NUMBERS, hostileJson, hostileText } from './hostile.ts';
import type { OpenApi, Schema } from './oracle.ts';

/** A body, and whether its bytes are what its headers say. */
export interface Body {
  readonly bytes: Uint8Array;
  readonly headers: readonly string[];
}

/** Values that a field of this name may really have, as JSON text, so that requests get past the first check. */
export type Known = Readonly<Record<string, readonly string[]>>;

const utf8 = (text: string) => Buffer.from(text, 'utf8');

/** JSON text that fits a schema, or nearly so. */
export function fitting(
  schema: Schema,
  context: { document: OpenApi; known: Known; name?: string },
): fc.Arbitrary<string> {
  const { document, known, name = '' } = context;
  const reference = schema['$ref'];
  if (typeof reference === 'string') {
    return fitting(document.schemas[reference.replace('#/components/schemas/', '')] ?? {}, context);
  }
  const values = known[name];
  if (values !== undefined) return fc.constantFrom(...values);
  const branches = schema['anyOf'] ?? schema['oneOf'];
  // What a schema holds under these names is schemas.
  if (Array.isArray(branches)) return fc.oneof(...(branches as Schema[]).map((branch) => fitting(branch, context)));
  if (Array.isArray(schema['enum'])) return fc.constantFrom(...schema['enum'].map((value) => JSON.stringify(value)));
  const properties = schema['properties'];
  if (typeof properties === 'object' && properties !== null)
    return objectOf(schema, properties as Record<string, Schema>, context);
  switch (schema['type']) {
    case 'array': {
      const item = fitting((schema['items'] ?? {}) as Schema, { ...context, name: '' });
      return fc.array(item, { maxLength: 4 }).map((items) => `[${items.join(',')}]`);
    }
    case 'integer':
      return fc.integer({ min: -5, max: 100 }).map(String);
    case 'number':
      return fc.oneof(fc.constantFrom(...HOSTILE_NUMBERS), fc.constantFrom('1', '12.5', '0.000001'));
    case 'string':
      return fc.oneof(
        fc.constantFrom('"1"', '"alice"', '"2027-03-01T15:00:00Z"'),
        hostileText.map((text) => JSON.stringify(text)),
      );
    default:
      return hostileJson;
  }
}

function objectOf(schema: Schema, properties: Record<string, Schema>, context: Parameters<typeof fitting>[1]) {
  const required = Array.isArray(schema['required']) ? schema['required'] : [];
  const fields = Object.entries(properties).map(([name, field]) => {
    const value = fitting(field, { ...context, name });
    const entry = value.map((text) => `${JSON.stringify(name)}:${text}`);
    return required.includes(name) ? entry : fc.option(entry, { nil: '' });
  });
  return fc.tuple(...fields).map((entries) => `{${entries.filter((entry) => entry !== '').join(',')}}`);
}

/** One field more, doubled, or with another value. */
function broken(json: fc.Arbitrary<string>, names: readonly string[]): fc.Arbitrary<string> {
  const entry = fc.tuple(fc.constantFrom(...names, '__proto__', 'constructor', 'extra', ''), hostileJson);
  return fc.tuple(json, entry, fc.boolean()).map(([text, [name, value], first]) => {
    const added = `${JSON.stringify(name)}:${value}`;
    const inner = text.startsWith('{') ? text.slice(1, -1) : '';
    // The last of two equal names counts in JavaScript, the first one elsewhere.
    return `{${(first ? [added, inner] : [inner, added]).filter((part) => part !== '').join(',')}}`;
  });
}

/** Ways in which text becomes bytes, most of them wrong. */
const ENCODINGS: readonly ((text: string) => Uint8Array)[] = [
  utf8,
  (text) => Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), utf8(text)]),
  (text) => Buffer.from(text, 'utf16le'),
  (text) => Buffer.concat([Buffer.from([0xfe, 0xff]), Buffer.from(text, 'utf16le').swap16()]),
  (text) => Buffer.from(text, 'latin1'),
  (text) => Buffer.concat([utf8(text.slice(0, -1)), Buffer.from([0xc0, 0xaf, 0xed, 0xa0, 0x80]), utf8(text.slice(-1))]),
  (text) => utf8(text.slice(0, Math.floor(text.length / 2))),
  (text) => utf8(`${text}}`),
  (text) => utf8(`${text}\u0000`),
  (text) => utf8(`/* */${text}`),
  (text) => utf8(text.replaceAll('"', "'")),
  (text) => utf8(`)]}',\n${text}`),
  (text) => utf8(`data=${encodeURIComponent(text)}`),
  (text) => utf8(`${text}${' '.repeat(Math.max(0, 65_536 - Buffer.byteLength(text)))}`),
  (text) => utf8(`${text}${' '.repeat(Math.max(0, 65_537 - Buffer.byteLength(text)))}`),
  () => Buffer.alloc(200_000, '['),
  () => new Uint8Array(),
];

const TYPES = [
  ...['application/json', 'application/json; charset=utf-16', 'text/plain'],
  ...['application/xml', 'multipart/form-data; boundary=x'],
  ...['application/x-www-form-urlencoded', '*/*', 'application/json\t;', 'x'.repeat(500)],
];

/** A body for an operation: fitting, broken in its values, or broken in its bytes. */
export function bodyOf(schema: Schema, context: { document: OpenApi; known: Known }): fc.Arbitrary<Body> {
  const fit = fitting(schema, context);
  const names = Object.keys(context.known);
  const text = fc.oneof(
    { weight: 4, arbitrary: fit },
    { weight: 5, arbitrary: broken(fit, names) },
    { weight: 2, arbitrary: hostileJson },
  );
  const bytes = fc.oneof(
    { weight: 5, arbitrary: text.map(utf8) },
    { weight: 1, arbitrary: fc.tuple(text, fc.constantFrom(...ENCODINGS)).map(([json, encode]) => encode(json)) },
  );
  const type = fc.option(
    fc.constantFrom(...TYPES).map((value) => `Content-Type: ${value}`),
    { nil: '' },
  );
  return fc.tuple(bytes, type).map(([content, line]) => ({ bytes: content, headers: line === '' ? [] : [line] }));
}
