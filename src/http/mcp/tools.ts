import type { Scope } from '../../domain/operators/actor.ts';
import type { Described, DescribedOperation } from '../api/complete-document.ts';
import { isPublic, type RouteTerms } from '../api/operation-route.ts';
import { keyProblem } from '../middleware/idempotency.ts';

type Json = Readonly<Record<string, unknown>>;
type Schema = Record<string, JsonValue>;
type JsonValue = string | number | boolean | null | JsonValue[] | { [name: string]: JsonValue };

interface ArgumentSchema {
  readonly type?: string | readonly string[];
  readonly anyOf?: readonly ArgumentSchema[];
  readonly oneOf?: readonly ArgumentSchema[];
  readonly properties?: Readonly<Record<string, ArgumentSchema>>;
  readonly required?: readonly string[];
  readonly items?: ArgumentSchema;
}

/** The argument that is sent as the header of the same name. */
const KEY = 'idempotency_key';
const KEY_SCHEMA = {
  type: 'string',
  minLength: 1,
  maxLength: 255,
  description:
    'Your own name for this call, such as order-7f3a. A call with the same name and arguments returns the first result and does ' +
    'nothing twice: repeat with it whenever you did not get an answer.',
};

interface ToolFacts {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly inputSchema: {
    readonly type: 'object';
    readonly properties: Record<string, Schema>;
    readonly required: string[];
  };
  readonly annotations: Readonly<Record<string, boolean>>;
}

/** A tool, and the request that a call of it becomes. */
export interface OfferedTool {
  readonly facts: ToolFacts;
  /** What a key needs for it; null for a tool that needs no key. */
  readonly scope: Scope | null;
  readonly method: string;
  /** With its parameters in braces. */
  readonly path: string;
  readonly inPath: readonly string[];
  readonly inQuery: readonly string[];
  readonly hasBody: boolean;
}

/** The request of a call; a text says why there is none. */
export type ToolRequest =
  | {
      readonly path: string;
      readonly init: RequestInit & { readonly headers: Headers };
      /** What is wrong with the name of the call, a sentence; null when nothing is. */
      readonly keyProblem: string | null;
    }
  | string;

/** Puts what a schema refers to in its place, because a tool's schema stands alone. */
function inPlace(value: unknown, schemas: Json): unknown {
  if (Array.isArray(value)) return value.map((item) => inPlace(item, schemas));
  if (typeof value !== 'object' || value === null) return value;
  const reference: unknown = Reflect.get(value, '$ref');
  if (typeof reference === 'string') return inPlace(schemas[reference.slice('#/components/schemas/'.length)], schemas);
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, inPlace(part, schemas)]));
}

function bodyOf(
  { requestBody }: DescribedOperation,
  schemas: Json,
): { properties?: Record<string, object>; required?: string[] } {
  const schema = requestBody?.content['application/json']?.schema;
  return schema === undefined ? {} : (inPlace(schema, schemas) as { properties?: Record<string, object> });
}

function annotate({ method, mcp }: RouteTerms, takesKey: boolean): Record<string, boolean> {
  if (method === 'get') return { readOnlyHint: true };
  const isFinal = mcp?.isFinal ?? false;
  return { readOnlyHint: false, destructiveHint: isFinal, ...(takesKey ? { idempotentHint: true } : {}) };
}

/** What the document has of an operation. */
interface Documented {
  /** With its parameters in braces. */
  readonly path: string;
  readonly described: DescribedOperation;
  readonly schemas: Json;
}

function toTool(operation: RouteTerms, { path, described, schemas }: Documented): OfferedTool {
  const { id: name, summary, description, scope, body: sentBody } = operation;
  const { parameters = [] } = described;
  const method = operation.method.toUpperCase();
  const sent = parameters.filter((parameter) => parameter.in === 'path' || parameter.in === 'query');
  const takesKey = parameters.some((parameter) => parameter.name === 'Idempotency-Key');
  const creates = operation.answer.status === 201;
  const body = bodyOf(described, schemas);
  const fields = sent.map((parameter) => {
    const said = parameter.description === undefined ? {} : { description: parameter.description };
    return [parameter.name, { ...parameter.schema, ...said }];
  });
  return {
    facts: {
      name,
      title: summary,
      // Errors name requests.
      description: `${summary}. ${description} This is \`${method} ${path}\`.`.replaceAll('  ', ' '),
      inputSchema: {
        type: 'object',
        properties: { ...Object.fromEntries(fields), ...body.properties, ...(takesKey ? { [KEY]: KEY_SCHEMA } : {}) },
        required: [
          ...sent.filter(({ required }) => required === true).map((parameter) => parameter.name),
          ...(body.required ?? []),
          ...(takesKey && creates ? [KEY] : []),
        ],
      },
      annotations: annotate(operation, takesKey),
    },
    scope: isPublic(operation) ? null : scope,
    method,
    path,
    inPath: sent.filter((parameter) => parameter.in === 'path').map((parameter) => parameter.name),
    inQuery: sent.filter((parameter) => parameter.in === 'query').map((parameter) => parameter.name),
    hasBody: sentBody !== undefined,
  };
}

/** The tools that these operations of the document are, by their names, in the order in which they are listed. */
export function describeTools(
  operations: readonly RouteTerms[],
  { paths = {}, components = {} }: Described,
): ReadonlyMap<string, OfferedTool> {
  const documented = new Map(
    Object.entries(paths).flatMap(([path, methods]) =>
      Object.values(methods).map((described) => [described.operationId, { path, described }]),
    ),
  );
  const schemas = components.schemas ?? {};
  const placeOf = ({ mcp }: RouteTerms) => mcp?.place ?? 0;
  const tools = operations.filter(({ mcp }) => mcp !== undefined).sort((a, b) => placeOf(a) - placeOf(b));
  return new Map(
    tools.map((operation) => {
      const found = documented.get(operation.id);
      if (found === undefined) throw new Error(`the document has no operation ${operation.id}`);
      return [operation.id, toTool(operation, { ...found, schemas })];
    }),
  );
}

/** A value as it stands in a path, a query or a header; null for an object, which is none. */
function plainText(value: unknown): string | null {
  if (Array.isArray(value)) {
    const texts = value.map((item) => (Array.isArray(item) ? null : plainText(item)));
    return texts.includes(null) ? null : texts.join(',');
  }
  // An object may have any `toString`, also none.
  return typeof value === 'object' ? null : String(value).toWellFormed();
}

function takesNull({ type, anyOf = [], oneOf = [] }: ArgumentSchema): boolean {
  const either = [...anyOf, ...oneOf];
  return either.length > 0 ? either.some(takesNull) : type === undefined || [type].flat().includes('null');
}

/** Without each optional field that is null where null has no meaning: agents fill in all that they may leave out. */
function withoutNulls(value: unknown, schema: ArgumentSchema = {}): unknown {
  if (Array.isArray(value)) return value.map((item) => withoutNulls(item, schema.items));
  const { properties = {}, required = [] } = schema;
  if (typeof value !== 'object' || value === null) return value;
  const isMeant = (name: string, part: unknown) =>
    part !== null || required.includes(name) || takesNull(properties[name] ?? {});
  const meant = Object.entries(value).filter(([name, part]) => isMeant(name, part));
  return Object.fromEntries(meant.map(([name, part]) => [name, withoutNulls(part, properties[name])]));
}

function findKeyProblem(key: string | undefined, isRequired: boolean): string | null {
  if (key === undefined) return isRequired ? `${KEY} is required` : null;
  const problem = keyProblem(key);
  return problem === null ? null : `${KEY} ${problem}`;
}

/** The request of a call of the tool with these arguments. The API reports everything else that it lacks. */
export function requestOf({ facts, method, path, inPath, inQuery, hasBody }: OfferedTool, args: Json): ToolRequest {
  const { required } = facts.inputSchema;
  const given = [...inPath, ...inQuery, KEY].filter((name) => (args[name] ?? null) !== null);
  const missing = inPath.find((name) => required.includes(name) && !given.includes(name));
  if (missing !== undefined) return `${missing} is required`;
  const texts = new Map<string, string>();
  for (const name of given) {
    const text = plainText(args[name]);
    if (text === null) return `${name} must be text or a number`;
    texts.set(name, text);
  }
  const key = texts.get(KEY);
  const problem = findKeyProblem(key, required.includes(KEY));
  const filled = inPath.reduce(
    (text, name) => text.replace(`{${name}}`, encodeURIComponent(texts.get(name) ?? '')),
    path,
  );
  const query = new URLSearchParams([...texts].filter(([name]) => inQuery.includes(name)));
  const headers = new Headers({ 'content-type': 'application/json' });
  if (key !== undefined && problem === null) headers.set('idempotency-key', key);
  const rest = Object.entries(args).filter(([name]) => ![...inPath, ...inQuery, KEY].includes(name));
  const body = hasBody ? { body: JSON.stringify(withoutNulls(Object.fromEntries(rest), facts.inputSchema)) } : {};
  const target = query.size === 0 ? filled : `${filled}?${query}`;
  return { path: target, init: { method, headers, ...body }, keyProblem: problem };
}
