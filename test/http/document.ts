import { z } from '@hono/zod-openapi';
import { beforeAll, expect } from 'vitest';
import { type Service, service } from './service.ts';

type Json = Record<string, unknown>;

interface Content {
  readonly content?: Record<string, { schema: Json; examples?: Record<string, { value: unknown }> }>;
}

interface Operation {
  readonly operationId: string;
  readonly description?: string;
  readonly security?: unknown;
  readonly parameters?: { name: string; in: string; required?: boolean; description?: string; schema: Json }[];
  readonly requestBody?: Content & { required?: boolean };
  readonly responses: Record<string, Content>;
}

interface Document {
  readonly openapi: string;
  readonly servers: { url: string }[];
  readonly components: { schemas: Record<string, Json>; securitySchemes: Json };
  readonly paths: Record<string, Record<string, Operation>>;
}

/** The service's own document, with schemas that can be held against what the service takes and answers. */
export interface ReadDocument {
  readonly document: Document;
  operation(path: string, method: string): Operation;
  /** What is answered under a status; it refuses every field that the document does not name. */
  answerSchema(path: string, method: string, status: number): z.ZodType;
  /** What a request's body is, fields that nobody knows included. */
  requestSchema(path: string, method: string): z.ZodType;
  /** Fails unless the answer has this status and fits what is documented for it. */
  hold(path: string, method: string, response: Response | Promise<Response>, status: number): Promise<void>;
}

/** Reads the document over HTTP. */
export async function readDocument(service: Service): Promise<ReadDocument> {
  const response = await service.app.request('/api/openapi.json');
  expect(response.status).toBe(200);
  expect(response.headers.get('content-type')).toBe('application/json');
  // The tests hold its shape.
  const document = (await response.json()) as Document;

  /** The schema with its references put in place; `closed` refuses every field it does not name. */
  function resolve(value: unknown, closed: boolean): unknown {
    if (Array.isArray(value)) return value.map((item) => resolve(item, closed));
    if (typeof value !== 'object' || value === null) return value;
    const reference: unknown = Reflect.get(value, '$ref');
    if (typeof reference === 'string') {
      return resolve(document.components.schemas[reference.replace('#/components/schemas/', '')], closed);
    }
    const isOpen = 'additionalProperties' in value;
    const end = closed && 'properties' in value && !isOpen ? { additionalProperties: false } : {};
    const entries = Object.entries(value).filter(([name]) => name !== 'example');
    return { ...Object.fromEntries(entries.map(([name, part]) => [name, resolve(part, closed)])), ...end };
  }

  function schemaOf(found: Content | undefined, options: { what: string; closed: boolean }): z.ZodType {
    const content = found?.content?.['application/json'];
    if (content === undefined) throw new Error(`the document has no ${options.what}`);
    // What `resolve` makes of an object is an object.
    return z.fromJSONSchema(resolve(content.schema, options.closed) as z.core.JSONSchema.JSONSchema);
  }

  function operation(path: string, method: string): Operation {
    const found = document.paths[path]?.[method];
    if (found === undefined) throw new Error(`the document has no ${method} ${path}`);
    return found;
  }

  const read: ReadDocument = {
    document,
    operation,
    answerSchema: (path, method, status) =>
      schemaOf(operation(path, method).responses[status], { what: `${method} ${path} ${status}`, closed: true }),
    requestSchema: (path, method) =>
      schemaOf(operation(path, method).requestBody, { what: `body of ${method} ${path}`, closed: false }),
    async hold(path, method, answer, status) {
      const answered = await answer;
      expect(answered.status).toBe(status);
      const body: unknown = await answered.json();
      expect(read.answerSchema(path, method, status).safeParse(body).error?.issues ?? []).toEqual([]);
    },
  };
  return read;
}

/** The document of the service that the tests of a file share. */
export let read: ReadDocument;

/** Reads it once for the tests of a file, after {@link shareService}. */
export function shareDocument(): void {
  beforeAll(async () => {
    read = await readDocument(service);
  });
}
