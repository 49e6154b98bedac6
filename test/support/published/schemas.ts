import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv, type ValidateFunction } from 'ajv';
import addFormats from 'ajv-formats';
import { z } from 'zod';

// What the published schemas say of the operations that the service uses, in `test/recorded/schemas`.

const FOLDER = join(import.meta.dirname, '../../recorded/schemas');

/** Who is sent requests. */
export const SERVICES = ['neynar', 'x', 'relay', 'ethereum'] as const;
export type Service = (typeof SERVICES)[number];

/** A request that has left the service. */
export interface Sent {
  readonly service: Service;
  readonly method: string;
  /** With the query. */
  readonly path: string;
  readonly contentType: string;
  readonly body: string;
}

const fields = z.record(z.string(), z.record(z.string(), z.unknown()));
const document = z.strictObject({
  service: z.string(),
  source: z.string(),
  /** How a parameter that is a list is written. */
  lists: z.enum(['comma', 'repeated']).optional(),
  /** What is sent although the schema does not name it, with the reason. */
  beyond: z.record(z.string(), z.string()).optional(),
  $defs: z.record(z.string(), z.unknown()),
  operations: z.record(
    z.string(),
    z.strictObject({
      method: z.string().default('POST'),
      path: z.string().default(''),
      /** Where it is not that of the document. */
      source: z.string().optional(),
      params: fields.default({}),
      query: z.strictObject({ required: z.array(z.string()), properties: fields }).optional(),
      body: z.unknown().optional(),
      form: z.unknown().optional(),
    }),
  ),
});

interface Operation {
  readonly name: string;
  readonly method: string;
  /** The segments of its path. */
  readonly segments: readonly string[];
  /** What must be in the query for a request to be this one of those of the same path. */
  readonly marks: readonly string[];
  readonly lists: readonly string[];
  readonly isJson: boolean;
  readonly check: ValidateFunction;
}

interface Published {
  readonly service: string;
  readonly listsByComma: boolean;
  readonly operations: readonly Operation[];
}

const withoutSlash = (path: string) => path.split('/').filter((segment) => segment !== '');

function load(name: Service): Published {
  const { service, lists, $defs, operations } = document.parse(
    JSON.parse(readFileSync(join(FOLDER, `${name}.json`), 'utf8')),
  );
  const ajv = new Ajv({ coerceTypes: true, strict: false });
  addFormats.default(ajv);
  const object = (properties: object, required: readonly string[]) => ({
    type: 'object',
    properties,
    required,
    additionalProperties: false,
  });
  return {
    service,
    listsByComma: lists === 'comma',
    operations: Object.entries(operations).map(([operation, { method, path, params, query, body, form }]) => ({
      name: operation,
      method,
      segments: withoutSlash(path),
      marks: query?.required ?? [],
      lists: Object.entries(query?.properties ?? {}).flatMap(([parameter, schema]) =>
        isList(schema, $defs) ? [parameter] : [],
      ),
      isJson: form === undefined,
      check: ajv.compile({
        $defs,
        ...object(
          {
            path: object(params, Object.keys(params)),
            query: object(query?.properties ?? {}, query?.required ?? []),
            body: body ?? form ?? { const: null },
          },
          ['path', 'query', 'body'],
        ),
      }),
    })),
  };
}

function isList({ type, $ref }: Readonly<Record<string, unknown>>, defs: Readonly<Record<string, unknown>>): boolean {
  if (typeof $ref !== 'string') return type === 'array';
  const found = z.object({ type: z.unknown() }).safeParse(defs[$ref.split('/').at(-1) ?? '']);
  return found.data?.type === 'array';
}

const loaded = new Map<Service, Published>();

function publishedBy(service: Service): Published {
  const known = loaded.get(service) ?? load(service);
  loaded.set(service, known);
  return known;
}

/** The names of the operations of a service. */
export function operationsOf(service: Service): string[] {
  return publishedBy(service).operations.map(({ name }) => name);
}

function fits({ method, segments }: Operation, asked: { method: string; segments: readonly string[] }): boolean {
  return (
    method === asked.method &&
    segments.length === asked.segments.length &&
    segments.every((segment, place) => segment.startsWith('{') || segment === asked.segments[place])
  );
}

function parametersOf({ segments }: Operation, asked: readonly string[]): Record<string, string> {
  const named = segments.map((segment, place) => [segment, asked[place] ?? ''] as const);
  return Object.fromEntries(
    named.flatMap(([segment, value]) => (segment.startsWith('{') ? [[segment.slice(1, -1), value]] : [])),
  );
}

function readQuery({ lists }: Operation, query: URLSearchParams, byComma: boolean): Record<string, unknown> {
  const entry = (name: string) => {
    const values = query.getAll(name);
    if (lists.includes(name)) return byComma ? values.flatMap((value) => value.split(',')) : values;
    return values.length === 1 ? values[0] : values;
  };
  return Object.fromEntries([...new Set(query.keys())].map((name) => [name, entry(name)]));
}

function readBody(text: string, { isJson }: Operation): unknown {
  if (text === '') return null;
  if (!isJson) return Object.fromEntries(new URLSearchParams(text));
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** The operation of a request, and what is wrong with the request; `operation` is null when none is published. */
export interface Verdict {
  readonly operation: string | null;
  readonly faults: readonly string[];
}

function judge(service: string, operation: Operation, value: object): Verdict {
  if (operation.check(value)) return { operation: operation.name, faults: [] };
  const faults = (operation.check.errors ?? []).map(({ instancePath, message, params }) => {
    const which = 'additionalProperty' in params ? ` (${params['additionalProperty']})` : '';
    return `${service}, ${operation.name}: ${instancePath.slice(1).replaceAll('/', '.') || 'request'} ${message}${which}`;
  });
  return { operation: operation.name, faults };
}

function judgeRest(sent: Sent): Verdict {
  const { service, listsByComma, operations } = publishedBy(sent.service);
  const [path = '', search = ''] = sent.path.split('?');
  const query = new URLSearchParams(search);
  const segments = withoutSlash(path);
  const of = operations
    .filter((operation) => fits(operation, { method: sent.method, segments }))
    // A path without parameters is more particular than one with some, and a query that is required than none.
    .toSorted((one, other) => other.marks.length - one.marks.length);
  const plain = of.filter((operation) => !operation.segments.some((segment) => segment.startsWith('{')));
  const candidates = plain.length > 0 ? plain : of;
  const operation =
    candidates.find(({ marks }) => marks.length > 0 && marks.every((mark) => query.has(mark))) ?? candidates.at(-1);
  if (operation === undefined) {
    return { operation: null, faults: [`${service} has no operation ${sent.method} ${path}`] };
  }
  const body = readBody(sent.body, operation);
  const expected = operation.isJson ? 'application/json' : 'application/x-www-form-urlencoded';
  if (body !== null && !sent.contentType.startsWith(expected)) {
    return {
      operation: operation.name,
      faults: [`${service}, ${operation.name}: its body is sent as ${sent.contentType}`],
    };
  }
  const value = { path: parametersOf(operation, segments), query: readQuery(operation, query, listsByComma), body };
  return judge(service, operation, value);
}

const call = z.strictObject({
  jsonrpc: z.literal('2.0'),
  id: z.int().nonnegative(),
  method: z.string(),
  params: z.array(z.unknown()).default([]),
});

function judgeCall(value: unknown): Verdict {
  const { service, operations } = publishedBy('ethereum');
  const read = call.safeParse(value);
  if (!read.success) return { operation: null, faults: [`${service}: no JSON-RPC: ${z.prettifyError(read.error)}`] };
  const { method, params } = read.data;
  const operation = operations.find(({ name }) => name === method);
  if (operation === undefined) return { operation: null, faults: [`${service} has no method ${method}`] };
  return judge(service, operation, { path: {}, query: {}, body: params });
}

/** What the published schemas say of a request; several verdicts for a batch. */
export function judgeSent(sent: Sent): Verdict[] {
  if (sent.service !== 'ethereum') return [judgeRest(sent)];
  const body: unknown = JSON.parse(sent.body);
  return Array.isArray(body) ? body.map(judgeCall) : [judgeCall(body)];
}
