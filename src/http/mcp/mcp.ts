import type { Context, MiddlewareHandler } from 'hono';
import { DomainError } from '../../domain/errors.ts';
import { parseExactJson } from '../../domain/exact-json.ts';
import { allows, type Scope } from '../../domain/operators/actor.ts';
import { summarizeError } from '../../log.ts';
import { authenticateApiKey } from '../../services/operators/api-keys.ts';
import type { Described } from '../api/complete-document.ts';
import type { RouteTerms } from '../api/operation-route.ts';
import type { HttpConfig, HttpContext } from '../context.ts';
import { errorResult } from '../errors/error-words.ts';
import { HttpError } from '../errors/http-error.ts';
import { forbidCaching } from '../middleware/api-key.ts';
import { isTooDeep, nestedTooDeeply, readBody } from '../middleware/body.ts';
import { type App, type AppEnv, carryHeaders } from '../middleware/context.ts';
import { allowOrigins } from '../middleware/cors.ts';
import type { ToolResult } from './protocol.ts';
import { describeTools, type OfferedTool, requestOf } from './tools.ts';

const MAX_MESSAGE_BYTES = 256 * 1024;

export interface McpOptions extends HttpContext {
  readonly version: string;
  /** The rate limit of the public paths. */
  readonly limited: MiddlewareHandler<AppEnv>;
  /** The document of the API, asked for at the first request. */
  readonly describe: () => Described;
  /** The operations, some of which are tools. */
  readonly operations: readonly RouteTerms[];
}

/** Refuses what a page of another origin sends, so that no page that a person visits uses a service on their network. */
function refuseForeignOrigin({ publicUrl, mcpOrigins }: HttpConfig): MiddlewareHandler<AppEnv> {
  const known = new Set([new URL(publicUrl).origin, ...mcpOrigins]);
  return async (c, next) => {
    const sent = c.req.header('origin');
    if (sent !== undefined && !known.has(sent)) throw new HttpError({ code: 'foreign_origin' });
    await next();
  };
}

/**
 * The message with each number that would lose digits replaced by what no field accepts. A list of messages is refused, because
 * it would be several calls for one request.
 */
async function readMessage(c: Context<AppEnv>): Promise<string> {
  const text = new TextDecoder().decode(await readBody(c, MAX_MESSAGE_BYTES));
  try {
    const { value, hasInexact } = parseExactJson(text);
    if (Array.isArray(value)) {
      throw new DomainError({ code: 'invalid_request', message: 'Send one message in a request, not a list' });
    }
    if (isTooDeep(value)) throw nestedTooDeeply();
    return hasInexact ? JSON.stringify(value) : text;
  } catch (error) {
    if (error instanceof RangeError) throw nestedTooDeeply();
    // The protocol has its own answer to what is not JSON.
    if (error instanceof SyntaxError) return text;
    throw error;
  }
}

function keyOf(c: Context<AppEnv>): string | undefined {
  return c.req.header('x-api-key') ?? /^Bearer +(\S+)$/i.exec(c.req.header('authorization') ?? '')?.[1];
}

/** What the caller's key allows; nothing without a key, and null for one that is not valid. */
async function scopesOf(c: Context<AppEnv>, deps: HttpContext): Promise<readonly Scope[] | null> {
  const key = keyOf(c);
  if (key === undefined) return [];
  try {
    return (await authenticateApiKey(deps, key)).scopes;
  } catch (error) {
    if (error instanceof DomainError) return null;
    throw error;
  }
}

/** Where x402 puts a payment and its receipt in messages of the protocol. */
const [PAYMENT, RECEIPT] = ['x402/payment', 'x402/payment-response'] as const;
const PAYMENT_REQUIRED = 402;

/** What has to be paid is read by programs, as what was asked for is. */
function toResult(text: string, { ok, status }: { readonly ok: boolean; readonly status: number }): ToolResult {
  const content = [{ type: 'text' as const, text }];
  if (ok) return { content, structuredContent: JSON.parse(text) };
  return status === PAYMENT_REQUIRED
    ? { content, structuredContent: JSON.parse(text), isError: true }
    : { content, isError: true };
}

function receiptOf(response: Response): Pick<ToolResult, '_meta'> {
  const receipt = response.headers.get('payment-response');
  return receipt === null ? {} : { _meta: { [RECEIPT]: JSON.parse(Buffer.from(receipt, 'base64').toString('utf8')) } };
}

/** A refusal that lists what is wrong with a body, with one problem more; any other one as it is. */
function withProblem(text: string, problem: string): string {
  const refusal: { code?: string; details?: readonly string[] } = JSON.parse(text);
  if (refusal.code !== 'validation_failed') return text;
  return JSON.stringify({ ...refusal, details: [...(refusal.details ?? []), problem] });
}

/** Sends the request that the call is to the API, as the caller would, and counts it no second time. */
async function callTool(
  app: App,
  c: Context<AppEnv>,
  tool: OfferedTool,
  args: Record<string, unknown>,
  meta: Readonly<Record<string, unknown>>,
): Promise<ToolResult> {
  const { requestId } = c.get('request');
  const request = requestOf(tool, args);
  if (typeof request === 'string') {
    return toResult(JSON.stringify(errorResult({ code: 'invalid_request', message: request }, requestId).body), {
      ok: false,
      status: 400,
    });
  }
  const { headers } = request.init;
  headers.set('x-request-id', requestId);
  const key = keyOf(c);
  if (key !== undefined) headers.set('x-api-key', key);
  const forwarded = c.req.header('x-forwarded-for');
  if (forwarded !== undefined) headers.set('x-forwarded-for', forwarded);
  const payment = meta[PAYMENT];
  if (payment !== undefined) {
    headers.set('payment-signature', Buffer.from(JSON.stringify(payment)).toString('base64'));
  }
  const { keyProblem } = request;
  const response = await app.request(request.path, request.init, { ...c.env, isInner: true, keyProblem });
  const text = await response.text();
  const said = keyProblem === null ? text : withProblem(text, keyProblem);
  return { ...toResult(said, response), ...receiptOf(response) };
}

/** `POST /mcp`: the API as tools of the Model Context Protocol. The API decides everything: a call is a request to it. */
export function addMcpRoute(app: App, options: McpOptions): void {
  const { config, version, limited, describe, operations } = options;
  let tools: ReturnType<typeof describeTools> | null = null;
  app.use('/mcp', allowOrigins(config.mcpOrigins, 'POST'));
  app.post('/mcp', limited, refuseForeignOrigin(config), carryHeaders, async (c) => {
    forbidCaching(c);
    const body = await readMessage(c);
    const scopes = await scopesOf(c, options);
    const { answerProtocol } = await import('./protocol.ts');
    tools ??= describeTools(operations, describe());
    const offered = tools;

    const answer = await answerProtocol(
      new Request(c.req.raw.url, { method: 'POST', headers: c.req.raw.headers, body }),
      {
        version,
        tools: scopes && [...offered.values()].filter(({ scope }) => scope === null || allows(scopes, scope)),
        call: async (name, args, meta) => {
          const tool = offered.get(name);
          return tool === undefined ? null : await callTool(app, c, tool, args, meta);
        },
        warn: (error) =>
          c
            .get('request')
            .log()
            .warn({ error: summarizeError(error) }, 'message of the protocol was refused'),
      },
    );
    // The protocol has values of its own: a weaker one, and one that keeps connections which their clients want closed.
    answer.headers.set('cache-control', 'no-store');
    answer.headers.delete('connection');
    return answer;
  });
}
