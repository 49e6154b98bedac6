import Database from 'better-sqlite3';
import fc from 'fast-check';
import { fitting, type Known } from './bodies.ts';
import { tryCases } from './check.ts';
import { hostileJson, hostileText } from './hostile.ts';
import { fetchDocument, type OpenApi, type Schema } from './oracle.ts';
import { knownOf } from './request-part.ts';
import { exchange, type NoAnswer, type WireAnswer } from './wire.ts';
import type { World } from './world.ts';

/** No answer is waited for any longer. */
const PATIENCE_MS = 20_000;
/** Codes of JSON-RPC for a fault of the server. */
const INTERNAL = -32603;

interface Tool {
  readonly name: string;
  readonly properties: Readonly<Record<string, Schema>>;
}

/** One message to `/mcp`, ready to be written to a socket. */
interface Message {
  readonly headers: readonly string[];
  readonly body: Buffer;
}

/** What was sent and answered. */
export interface McpReport {
  readonly messages: number;
  /** How many calls of tools succeeded, and how many were refused by the API. */
  readonly calls: { readonly done: number; readonly refused: number };
  readonly statuses: Readonly<Record<string, number>>;
}

async function listTools(world: World): Promise<Tool[]> {
  const answer = await fetch(`${world.url}/mcp`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'x-api-key': world.apiKey,
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' }),
  });
  const { result } = messageOf(await answer.text()) as {
    result: { tools: { name: string; inputSchema: { properties: Record<string, Schema> } }[] };
  };
  return result.tools.map(({ name, inputSchema }) => ({ name, properties: inputSchema.properties }));
}

/** The message in the body of an answer, which is JSON or one event of a stream; undefined for anything else. */
function messageOf(body: string): unknown {
  try {
    const line = body.split('\n').find((each) => each.startsWith('data: '));
    return JSON.parse(line?.slice('data: '.length) ?? body);
  } catch {
    return undefined;
  }
}

/** Arguments of a tool that fit, nearly fit, or do not. */
function argumentsOf({ properties }: Tool, context: { document: OpenApi; known: Known }): fc.Arbitrary<string> {
  const fields = Object.entries(properties).map(([name, schema]) => {
    const fit = fitting(schema, { ...context, name: name === 'id' ? 'gig_id' : name });
    const value = fc.oneof({ weight: 5, arbitrary: fit }, { weight: 1, arbitrary: hostileJson });
    return fc.option(
      value.map((text) => `${JSON.stringify(name)}:${text}`),
      { nil: '', freq: 6 },
    );
  });
  const extra = fc.option(
    fc
      .tuple(fc.constantFrom('__proto__', 'constructor', 'then', 'x-api-key', 'all_clients'), hostileJson)
      .map(([name, text]) => `${JSON.stringify(name)}:${text}`),
    { nil: '', freq: 2 },
  );
  return fc
    .tuple(...fields, extra)
    .map((entries) => `{${(entries as string[]).filter((entry) => entry !== '').join(',')}}`);
}

function messagesOf(tools: readonly Tool[], context: { document: OpenApi; known: Known }): fc.Arbitrary<string> {
  const call = fc
    .constantFrom(...tools)
    .chain((tool) =>
      fc
        .tuple(argumentsOf(tool, context), fc.oneof({ weight: 8, arbitrary: fc.constant('1') }, hostileJson))
        .map(
          ([args, id]) =>
            `{"jsonrpc":"2.0","id":${id},"method":"tools/call","params":{"name":"${tool.name}","arguments":${args}}}`,
        ),
    );
  const unknown = fc
    .tuple(hostileText, hostileJson)
    .map(
      ([name, args]) =>
        `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":${JSON.stringify(name)},"arguments":${args}}}`,
    );
  const methods = fc.constantFrom(
    ...['initialize', 'tools/list', 'ping', 'resources/read', 'subscriptions/listen', 'server/discover', 'tools/call'],
    ...['notifications/initialized', 'notifications/cancelled', 'completion/complete', '__proto__', 'rpc.discover', ''],
  );
  const other = fc
    .tuple(methods, hostileJson, fc.constantFrom('"2.0"', '"1.0"', '2', 'null'), hostileJson)
    .map(([method, params, version, id]) => {
      const name = JSON.stringify(method);
      return `{"jsonrpc":${version},"id":${id},"method":${name},"params":${params}}`;
    });
  const batch = fc.array(call, { maxLength: 3 }).map((list) => `[${list.join(',')}]`);
  return fc.oneof(
    { weight: 8, arbitrary: call },
    { weight: 1, arbitrary: unknown },
    { weight: 3, arbitrary: other },
    { weight: 1, arbitrary: batch },
    { weight: 1, arbitrary: hostileJson },
    { weight: 1, arbitrary: hostileText },
    { weight: 1, arbitrary: call.map((text) => text.padEnd(256 * 1024 + 1)) },
  );
}

function headersOf(key: string | null): fc.Arbitrary<string[]> {
  const keys =
    key === null
      ? fc.constantFrom(
          ...[[], ['x-api-key: gck_wrong'], ['authorization: Bearer gck_wrong'], ['authorization: Basic YTpi'], []],
          ['mcp-session-id: 00000000-0000-4000-8000-000000000000'],
        )
      : fc.constantFrom([`x-api-key: ${key}`], [`authorization: Bearer ${key}`], [`x-api-key: ${key}`]);
  const usual = ['Content-Type: application/json', 'Accept: application/json, text/event-stream'];
  const kinds = fc.oneof(
    { weight: 8, arbitrary: fc.constant(usual) },
    {
      weight: 3,
      arbitrary: fc.constantFrom(
        ...[[], ['Content-Type: application/json'], ['Content-Type: text/plain', 'Accept: */*']],
        ...[['Accept: text/html'], [...usual, 'Content-Encoding: gzip'], [...usual, 'Origin: https://evil.example']],
        ...[
          ['Content-Type: application/x-www-form-urlencoded', 'Accept: application/json'],
          ['Content-Type: multipart/form-data; boundary=x', 'Accept: text/event-stream'],
        ],
        ...['2026-07-28', '2025-11-25', '2024-11-05', '1', 'x'.repeat(500)].map((version) => [
          ...usual,
          `MCP-Protocol-Version: ${version}`,
        ]),
        [...usual, 'MCP-Protocol-Version: 2026-07-28', 'MCP-Method: tools/list', 'MCP-Name: listGigs'],
        [...usual, 'Last-Event-ID: 1', 'MCP-Session-Id: stolen'],
        [...usual, 'X-Forwarded-For: 1.2.3.4, ::1', 'X-Request-Id: é'],
      ),
    },
  );
  return fc.tuple(keys, kinds).map(([left, right]) => [...left, ...right]);
}

/** What is wrong with an error body, or null. */
function judgeError(body: unknown, codes: ReadonlySet<string>): string | null {
  const { error, code, request_id: id } = (body ?? {}) as Record<string, unknown>;
  const isWhole = error !== undefined && typeof code === 'string' && codes.has(code) && typeof id === 'string';
  return isWhole ? null : `an error without a code: ${JSON.stringify(body)?.slice(0, 300)}`;
}

/** Counts what an answer is, and says what is wrong with it, or null. */
function judge(
  answer: WireAnswer | NoAnswer,
  { codes, count }: { codes: ReadonlySet<string>; count: (what: 'done' | 'refused') => void },
): string | null {
  if ('reason' in answer) return answer.reason;
  const { status, headers, body } = answer;
  if (status >= 500) return `a fault of the service: ${status} ${body.slice(0, 300)}`;
  if (headers['x-request-id'] === undefined) return `${status} has no X-Request-Id: ${body.slice(0, 300)}`;
  if (headers['x-content-type-options'] !== 'nosniff') return `${status} lacks the security headers`;
  // A notification has no answer.
  if (status === 202 && body === '') return null;
  const message = messageOf(body);
  if (typeof message !== 'object' || message === null) return `${status} is no message: ${body.slice(0, 300)}`;
  if (!('jsonrpc' in message)) return status === 200 ? 'no JSON-RPC' : judgeError(message, codes);
  const { error, result } = message as {
    error?: { code: unknown; message: unknown };
    result?: { isError?: boolean; content?: { text: string }[]; structuredContent?: unknown };
  };
  if (error !== undefined) {
    if (typeof error.code !== 'number') return `an error without a code: ${body.slice(0, 300)}`;
    // The protocol's library names the fields of a message that does not fit; anything else is a fault.
    const isFault = error.code === INTERNAL && !String(error.message).startsWith('[');
    return isFault ? `a fault of the service: ${body.slice(0, 300)}` : null;
  }
  const text = result?.content?.[0]?.text;
  if (text === undefined) return null;
  count(result?.isError === true ? 'refused' : 'done');
  const told: unknown = JSON.parse(text);
  if (result?.isError === true) return judgeError(told, codes);
  return JSON.stringify(told) === JSON.stringify(result?.structuredContent)
    ? null
    : 'the text is not what is structured';
}

/** What only a request with a key can change. */
const KEPT = ['gigs', 'gig_owners', 'tips', 'idempotency_keys', 'webhook_endpoints'];

/** How many rows a request with a key could have written. */
function countRows(world: World): string {
  const database = new Database(world.databasePath, { readonly: true });
  try {
    return KEPT.map((name) => `${name} ${database.prepare(`select count(*) from ${name}`).pluck().get()}`).join(', ');
  } finally {
    database.close();
  }
}

/**
 * Sends messages made from the tools' schemas and broken on purpose. With `key` null none of them may change anything.
 * @throws Error with the smallest message that fails, its seed included
 */
export async function fuzzMcp(
  world: World,
  options: { count: number; seed: number; key: string | null },
): Promise<McpReport> {
  const { key } = options;
  const document = await fetchDocument(world.url);
  const codes = new Set((document.schemas['ErrorCode'] as { enum: string[] }).enum);
  const tools = await listTools(world);
  const statuses: Record<string, number> = {};
  const calls = { done: 0, refused: 0 };
  const messages = fc
    .tuple(headersOf(key), messagesOf(tools, { document, known: { ...knownOf(world), wait: ['0', '26', '-1'] } }))
    .map(([headers, text]): Message => ({ headers, body: Buffer.from(text) }));

  function count(what: 'done' | 'refused'): void {
    calls[what] += 1;
  }

  async function attempt({ headers, body }: Message): Promise<string | null> {
    const lines = ['POST /mcp HTTP/1.1', 'Host: gigclaim.test', ...headers, `Content-Length: ${body.length}`];
    const head = [...lines, 'Connection: close', '', ''].join('\r\n');
    const bytes = Buffer.concat([Buffer.from(head, 'latin1'), body]);
    const answer = await exchange(world.port, bytes, { method: 'POST', patienceMs: PATIENCE_MS });
    statuses[answer.status] = (statuses[answer.status] ?? 0) + 1;
    return judge(answer, { codes, count });
  }

  const before = countRows(world);
  const tried = await tryCases(messages, {
    ...options,
    attempt,
    show: ({ headers, body }) => JSON.stringify([headers, body.toString().slice(0, 1_500)]),
  });
  if (key === null && countRows(world) !== before) {
    throw new Error(`without a key something was changed: ${before} is now ${countRows(world)}`);
  }
  return { messages: tried, calls, statuses };
}
