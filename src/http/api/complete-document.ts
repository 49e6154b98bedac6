import { curlSample, type Sampled } from './code-samples.ts';

type Json = Record<string, unknown>;

interface Body {
  schema: Json;
  example?: unknown;
  examples?: unknown;
}

interface Answer {
  readonly description?: string;
  headers?: Json;
  content?: Record<string, Body>;
}

/** An operation of the document, as far as other parts of the service read it. */
export interface DescribedOperation extends Sampled {
  readonly responses: Record<string, Answer>;
  /** Commands and programs that show the operation, as renderers of the document know them. */
  'x-codeSamples'?: readonly { readonly lang: string; readonly label: string; readonly source: string }[];
}

/** The parts of an OpenAPI document that are completed here. */
export interface Described {
  readonly servers?: readonly { readonly url: string }[];
  readonly paths?: Record<string, Record<string, DescribedOperation>>;
  readonly components?: { schemas?: Record<string, object>; headers?: object };
}

const COMPONENTS = '#/components/schemas/';

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const integer = (description: string, example: number) => ({ description, schema: { type: 'integer' }, example });

/** What every response may carry, by its name in the document. */
const HEADERS = {
  'X-Request-Id': {
    description: 'The id of the request, which the service’s log has; a client may choose it.',
    schema: { type: 'string' },
    example: '7f4df9a2-6c1e-4b7d-9d0e-2f1a4c5b6d7e',
  },
  'RateLimit-Policy': {
    description: 'The limit and its window in seconds.',
    schema: { type: 'string' },
    example: '100;w=60',
  },
  'RateLimit-Limit': integer('Requests in a window.', 100),
  'RateLimit-Remaining': integer('Requests that are left in this window.', 99),
  'RateLimit-Reset': integer('Seconds until the window ends.', 42),
  'Idempotent-Replayed': {
    description: '`true` when this is the first response under the Idempotency-Key again; absent otherwise.',
    schema: { type: 'string', enum: ['true'] },
    example: 'true',
  },
};
type HeaderName = keyof typeof HEADERS;

function headersOf(path: string, { parameters = [] }: DescribedOperation, status: string): HeaderName[] {
  const isLimited = path.startsWith('/api/');
  const isOnce = status.startsWith('2') && parameters.some(({ name }) => name === 'Idempotency-Key');
  return [
    'X-Request-Id',
    ...(isLimited ? (['RateLimit-Policy', 'RateLimit-Limit', 'RateLimit-Remaining', 'RateLimit-Reset'] as const) : []),
    ...(isOnce ? (['Idempotent-Replayed'] as const) : []),
  ];
}

/** An example made of the examples of its fields, and of plain values where a field has none. */
function createExampleMaker(schemas: Readonly<Record<string, object>>): (schema: unknown) => unknown {
  const ofType: Readonly<Record<string, unknown>> = {
    string: 'text',
    integer: 1,
    number: 1,
    boolean: true,
    null: null,
  };
  function ofObject({ properties, additionalProperties }: Json): Json {
    if (isObject(properties)) {
      return Object.fromEntries(Object.entries(properties).map(([name, field]) => [name, make(field)]));
    }
    return isObject(additionalProperties) ? { name: make(additionalProperties) } : {};
  }
  function make(schema: unknown): unknown {
    if (!isObject(schema)) return null;
    const { $ref, example, enum: values, const: only, anyOf, oneOf, allOf, type, items } = schema;
    if (example !== undefined) return example;
    if (typeof $ref === 'string') return make(schemas[$ref.slice(COMPONENTS.length)]);
    if (only !== undefined) return only;
    if (Array.isArray(values)) return values[0];
    const [first] = [anyOf, oneOf].find(Array.isArray) ?? [];
    if (first !== undefined) return make(first);
    if (Array.isArray(allOf)) return Object.assign({}, ...allOf.map(make));
    const kind: unknown = Array.isArray(type) ? type[0] : type;
    if (kind === 'array') return [make(items)];
    return kind === 'object' ? ofObject(schema) : (ofType[String(kind)] ?? null);
  }
  return make;
}

/** `findClaimable` as `FindClaimableResponse`. */
function bodyName(operationId: string): string {
  return `${operationId.charAt(0).toUpperCase()}${operationId.slice(1)}Response`;
}

/**
 * Names every JSON body of a success, gives it an example, declares the headers of all responses, and shows each operation as a
 * command, so that no route has to say so itself.
 */
export function completeDocument({ servers = [], paths = {}, components = {} }: Described): void {
  components.headers = { ...components.headers, ...HEADERS };
  components.schemas ??= {};
  const { schemas } = components;
  const exampleOf = createExampleMaker(schemas);
  const [{ url } = { url: '' }] = servers;
  for (const [path, operations] of Object.entries(paths)) {
    for (const [method, operation] of Object.entries(operations)) {
      const source = curlSample({ url, path, method }, operation, exampleOf);
      operation['x-codeSamples'] = [{ lang: 'Shell', label: 'curl', source }];
      for (const [status, answer] of Object.entries(operation.responses)) {
        const refs = headersOf(path, operation, status).map((name) => [name, { $ref: `#/components/headers/${name}` }]);
        answer.headers = { ...Object.fromEntries(refs), ...answer.headers };
        const body = answer.content?.['application/json'];
        if (body === undefined || !status.startsWith('2')) continue;
        if (!('$ref' in body.schema)) {
          const name = bodyName(operation.operationId);
          schemas[name] = { description: answer.description, ...body.schema };
          body.schema = { $ref: `${COMPONENTS}${name}` };
        }
        body.example ??= exampleOf(body.schema);
      }
    }
  }
}
