import { subscribe } from 'node:diagnostics_channel';
import type { ClientRequest } from 'node:http';
import type { Sent, Service } from './schemas.ts';

/** Where the SDKs of the platforms send a request; prefixes of a base URL are left out. */
const PATHS: Readonly<Partial<Record<Service, RegExp>>> = {
  neynar: /\/v2\/farcaster\/.*$/,
  x: /\/(?:2\/[a-z]|oauth2\/token).*$/,
};

const sent: Sent[] = [];
let isRecording = false;

function serviceOf(request: ClientRequest): Service | null {
  if (request.getHeader('x-api-key') !== undefined && PATHS.neynar?.test(request.path)) return 'neynar';
  const authorization = String(request.getHeader('authorization') ?? '');
  return /^(OAuth|Bearer|Basic) /.test(authorization) && PATHS.x?.test(request.path) ? 'x' : null;
}

/** Both SDKs send by Node's client. */
function recordSdk(request: ClientRequest): void {
  const parts: Buffer[] = [];
  const { write, end } = request;
  const take = (part: unknown) => {
    if (typeof part === 'string' || part instanceof Uint8Array) parts.push(Buffer.from(part));
  };
  Object.assign(request, {
    write: (...args: unknown[]) => {
      take(args[0]);
      return Reflect.apply(write, request, args);
    },
    end: (...args: unknown[]) => {
      take(args[0]);
      // Known now: a header may be set until the end.
      const service = serviceOf(request);
      const path = service === null ? undefined : PATHS[service]?.exec(request.path)?.[0];
      if (service !== null && path !== undefined) {
        const contentType = String(request.getHeader('content-type') ?? '');
        sent.push({ service, method: request.method, path, contentType, body: Buffer.concat(parts).toString() });
      }
      return Reflect.apply(end, request, args);
    },
  });
}

interface UndiciRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: readonly string[] | string;
  readonly body: unknown;
}

function headerOf({ headers }: UndiciRequest, name: string): string | undefined {
  if (typeof headers === 'string') return undefined;
  const place = headers.findIndex((each, index) => index % 2 === 0 && each.toLowerCase() === name);
  return place < 0 ? undefined : headers[place + 1];
}

const RELAY = /^\/v1\/channel(?:\/status)?$/;

/** Endpoints are asked by undici, and the relay by `fetch`, which sends its body in parts. */
function recordUndici(request: UndiciRequest, body: string): void {
  const { method, path } = request;
  const contentType = headerOf(request, 'content-type') ?? '';
  const isOurs = headerOf(request, 'user-agent') === 'gigclaim' && headerOf(request, 'webhook-id') === undefined;
  if (isOurs && method === 'POST') sent.push({ service: 'ethereum', method, path, contentType, body });
  else if (RELAY.test(path)) sent.push({ service: 'relay', method, path, contentType, body });
}

/** Records what this process sends to platforms, the relay and nodes, from now on. */
export function recordSent(): void {
  if (isRecording) return;
  isRecording = true;
  const bodies = new WeakMap<object, string>();
  subscribe('http.client.request.created', (message) => {
    recordSdk((message as { request: ClientRequest }).request);
  });
  subscribe('undici:request:create', (message) => {
    const { request } = message as { request: UndiciRequest };
    if (request.body === null || request.body === undefined) recordUndici(request, '');
    else if (request.body instanceof Uint8Array) recordUndici(request, Buffer.from(request.body).toString());
  });
  subscribe('undici:request:bodyChunkSent', (message) => {
    const { request, chunk } = message as { request: UndiciRequest; chunk: Uint8Array };
    bodies.set(request, (bodies.get(request) ?? '') + Buffer.from(chunk).toString());
  });
  subscribe('undici:request:bodySent', (message) => {
    const { request } = message as { request: UndiciRequest };
    if (!(request.body instanceof Uint8Array)) recordUndici(request, bodies.get(request) ?? '');
  });
}

/** What was sent since the last time. */
export function takeSent(): Sent[] {
  return sent.splice(0);
}
