import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import type { NoAnswer, WireAnswer } from './wire.ts';

/** A JSON schema, as far as it is looked into here. */
export type Schema = Readonly<Record<string, unknown>>;

/** One operation of the document. */
export interface Operation {
  readonly method: string;
  /** As the document writes it: `/api/gigs/{id}`. */
  readonly path: string;
  readonly parameters: readonly { name: string; in: string; schema: Schema }[];
  readonly body: Schema | null;
  readonly responses: Readonly<Record<string, Readonly<Record<string, Schema>>>>;
}

/** The document as the service serves it. */
export interface OpenApi {
  readonly operations: readonly Operation[];
  readonly schemas: Readonly<Record<string, Schema>>;
}

interface RawContent {
  readonly content?: Record<string, { schema: Schema }>;
}

interface RawOperation {
  readonly parameters?: Operation['parameters'];
  readonly requestBody?: RawContent;
  readonly responses: Record<string, RawContent>;
}

function schemasOf({ content }: RawContent): Record<string, Schema> {
  return Object.fromEntries(Object.entries(content ?? {}).map(([type, { schema }]) => [type, schema]));
}

/** Reads `/api/openapi.json`. */
export async function fetchDocument(url: string): Promise<OpenApi> {
  const answer = await fetch(`${url}/api/openapi.json`);
  // What has another shape fails below, at the first look into it.
  const document = (await answer.json()) as {
    paths: Record<string, Record<string, RawOperation>>;
    components: { schemas: Record<string, Schema> };
  };
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      method: method.toUpperCase(),
      path,
      parameters: operation.parameters ?? [],
      body: schemasOf(operation.requestBody ?? {})['application/json'] ?? null,
      responses: Object.fromEntries(
        Object.entries(operation.responses).map(([status, response]) => [status, schemasOf(response)]),
      ),
    })),
  );
  return { operations, schemas: document.components.schemas };
}

/** The schema without references, and refusing every field that it does not name. */
function closed(value: unknown, schemas: OpenApi['schemas']): unknown {
  if (Array.isArray(value)) return value.map((item) => closed(item, schemas));
  if (typeof value !== 'object' || value === null) return value;
  const reference: unknown = Reflect.get(value, '$ref');
  if (typeof reference === 'string') return closed(schemas[reference.replace('#/components/schemas/', '')], schemas);
  const end = 'properties' in value && !('additionalProperties' in value) ? { additionalProperties: false } : {};
  const entries = Object.entries(value).filter(([name]) => name !== 'example');
  return { ...Object.fromEntries(entries.map(([name, part]) => [name, closed(part, schemas)])), ...end };
}

/** Says of an answer what is wrong with it, or null when the document has room for it. */
export interface Oracle {
  /**
   * @param asked.path without its query
   * @param asked.proper whether the request is well-formed HTTP; the parser may refuse one that is not, in its own way
   */
  judge(asked: { method: string; path: string; proper: boolean }, answer: WireAnswer | NoAnswer): string | null;
}

/** What the HTTP parser refuses, before it is known which operation or page was meant. */
const PARSER_REFUSALS: Readonly<Record<number, string>> = {
  400: 'The request is not valid HTTP/1.1',
  408: 'The request did not arrive in time',
  413: 'The chunk extensions of the request are too long',
  417: 'Of the Expect header, only 100-continue is supported',
  431: 'The headers of the request are too long',
};
/** Documented elsewhere than in the document, and no JSON. */
const PAGES: Readonly<Record<string, string>> = {
  '/api/docs': 'text/html',
  '/api/docs/redoc.js': 'text/javascript',
  '/api/client.ts': 'text/plain',
};

const DOCUMENT = '/api/openapi.json';

/** The pages for people, which answer in HTML whatever comes of it. */
const PEOPLE = /^\/(?:(?:claim|gigs|admin)(?:\/.*)?)?$/;
const PEOPLE_STATUSES: ReadonlySet<number> = new Set([200, 302, 303, 304, 400, 401, 403, 404, 405, 409, 415, 429, 503]);

const NO_URL = new Set([
  'The request line or the Host header is malformed: send a path in the request line, and only the host in the Host header',
  'The request has more than one Host header',
  'The request has no Host header',
]);

/** The sentence of an error that carries its code and the id of its request; null for another body. */
function sentenceOf({ body, headers }: WireAnswer): string | null {
  try {
    const { error, code, request_id: id }: Record<string, unknown> = JSON.parse(body);
    const isWhole = typeof error === 'string' && typeof code === 'string' && id === headers['x-request-id'];
    return isWhole ? error : null;
  } catch {
    return null;
  }
}

/** What makes no URL, or names two hosts, is refused before anybody knows which operation or page was meant. */
function isNoUrl(answer: WireAnswer): boolean {
  return answer.status === 400 && NO_URL.has(sentenceOf(answer) ?? '') && answer.surplus === '';
}

function isParserRefusal(method: string, answer: WireAnswer): boolean {
  const error = PARSER_REFUSALS[answer.status];
  return error !== undefined && (sentenceOf(answer) === error || (method === 'HEAD' && answer.body === ''));
}

/** What a page must not be: in another type than it says, or without the policy that keeps foreign scripts out. */
function judgePage({ status, headers, body }: WireAnswer): string | null {
  if (!PEOPLE_STATUSES.has(status)) return `status ${status} of a page; it says ${body.slice(0, 300)}`;
  const type = headers['content-type'] ?? '';
  if (body === '' || type.startsWith('image/png')) return null;
  if (!type.startsWith('text/html')) return `a page in ${type}`;
  const policy = headers['content-security-policy'] ?? '';
  return policy.includes("default-src 'none'") && !policy.includes('unsafe')
    ? null
    : `a page under the policy ${policy}`;
}

function operationMatcher({ path }: Operation): RegExp {
  const text = path.replace(/[.*+?^$()|[\]\\]/g, '\\$&').replace(/\{[a-z]+\}/g, '[0-9]+');
  return new RegExp(`^${text}$`);
}

/** Judges answers by the service's own document. */
export function createOracle(document: OpenApi): Oracle {
  const ajv = new Ajv2020({ strict: false, allErrors: false });
  addFormats.default(ajv);
  const matchers = document.operations.map((operation) => ({ operation, matches: operationMatcher(operation) }));
  const validators = new Map<Schema, ValidateFunction>();
  const texts = ['error', 'code', 'request_id'];
  const errorSchema = {
    type: 'object',
    properties: Object.fromEntries(texts.map((name) => [name, { type: 'string' }])),
    required: texts,
  };

  function validator(schema: Schema): ValidateFunction {
    const known = validators.get(schema);
    if (known !== undefined) return known;
    // An object in, an object out.
    const made = ajv.compile(closed(schema, document.schemas) as Schema);
    validators.set(schema, made);
    return made;
  }

  function fits(body: string, schema: Schema): string | null {
    let value: unknown;
    try {
      value = JSON.parse(body);
    } catch {
      return `the body is not JSON: ${body.slice(0, 200)}`;
    }
    const validate = validator(schema);
    return validate(value)
      ? null
      : `the body does not fit: ${ajv.errorsText(validate.errors)} in ${body.slice(0, 400)}`;
  }

  function judgeOperation(operation: Operation, answer: WireAnswer, bodiless: boolean): string | null {
    const documented = operation.responses[String(answer.status)];
    if (documented === undefined)
      return `status ${answer.status} is not documented; it says ${answer.body.slice(0, 300)}`;
    const type = (answer.headers['content-type'] ?? '').split(';', 1)[0] ?? '';
    const schema = documented[type];
    if (schema === undefined) return `content type ${type} is not documented for ${answer.status}`;
    if (bodiless) return answer.body === '' ? null : 'a HEAD has a body';
    return type === 'application/json' ? fits(answer.body, schema) : null;
  }

  /** What no operation is at: the pages, the webhooks, preflights, and nothing at all. */
  function judgeOther(asked: { method: string; path: string }, answer: WireAnswer): string | null {
    const { method, path } = asked;
    if (method === 'OPTIONS' && answer.status === 204) return answer.body === '' ? null : 'a 204 has a body';
    const page = PAGES[path];
    if (page !== undefined && answer.status === 200 && answer.headers['content-type']?.startsWith(page)) return null;
    const isFile = page !== undefined || path === DOCUMENT || path.startsWith('/assets/');
    if (isFile && answer.status === 304) return answer.headers['etag'] === undefined ? 'a 304 has no ETag' : null;
    if (path === DOCUMENT && answer.status === 200) return null;
    if (path.startsWith('/webhooks/')) return null;
    const isRefused = answer.status === 404 || (answer.status === 405 && answer.headers['allow'] !== undefined);
    if (PEOPLE.test(path) && (!isRefused || answer.headers['content-type']?.startsWith('text/html')))
      return judgePage(answer);
    if (path.startsWith('/assets/') && answer.status === 200) return null;
    if (isRefused && answer.headers['content-type']?.startsWith('text/html')) return judgePage(answer);
    if (!isRefused) return `status ${answer.status} where there is nothing; it says ${answer.body.slice(0, 300)}`;
    return method === 'HEAD' ? null : fits(answer.body, errorSchema);
  }

  function judgeAnswer(asked: { method: string; path: string; proper: boolean }, answer: WireAnswer): string | null {
    // The document names 500 as well; it must not happen.
    if (answer.status >= 500 && answer.status !== 503) return `a fault of the service: ${answer.status} ${answer.body}`;
    if (answer.surplus !== '') return `there is a second answer: ${answer.surplus.slice(0, 200)}`;
    if (answer.headers['x-request-id'] === undefined) return `${answer.status} has no X-Request-Id: ${answer.body}`;
    if (answer.headers['x-content-type-options'] !== 'nosniff') return `${answer.status} lacks the security headers`;
    if (!asked.proper && isParserRefusal(asked.method, answer)) return null;
    const method = asked.method === 'HEAD' ? 'GET' : asked.method;
    const found = matchers.find(({ operation, matches }) => operation.method === method && matches.test(asked.path));
    return found === undefined
      ? judgeOther(asked, answer)
      : judgeOperation(found.operation, answer, asked.method === 'HEAD');
  }

  return {
    judge(asked, answer) {
      if (!('reason' in answer)) return isNoUrl(answer) ? null : judgeAnswer(asked, answer);
      return asked.proper || answer.reason === 'no answer in time' ? answer.reason : null;
    },
  };
}
