import { once } from 'node:events';
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { Agent, createServer, request } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { setTimeout as wait } from 'node:timers/promises';
import { listen } from '../../support/listen.ts';
import type { Chance } from './chance.ts';

/** What may become of a call on its way to a network or a node, and of how many of 1,000 calls. */
const MISHAPS = {
  /** It arrives late. */
  slow: 25,
  rate_limited: 8,
  /** A server's error, before or after the call was carried out. */
  server_error: 8,
  server_error_after: 6,
  /** The page of some gateway in between, before or after. */
  html: 6,
  html_after: 6,
  /** The connection is cut, before or after. */
  dropped: 6,
  dropped_after: 8,
  /** Carried out, and never answered. */
  hangs: 1,
} as const;
export type Mishap = keyof typeof MISHAPS;

const SLOW_MS = { least: 100, most: 2_000 };
const PAGE = '<!DOCTYPE html><html><head><title>502 Bad Gateway</title></head><body>Bad Gateway</body></html>';
/** They belong to one connection and not to the message. */
const HOP_BY_HOP = ['connection', 'keep-alive', 'transfer-encoding', 'content-length', 'host'];

/** A way to one server, on loopback, on which things go wrong at random while `failing` is set. */
export interface Gateway {
  readonly url: string;
  failing: boolean;
  /** How often each mishap has happened. */
  readonly counts: Readonly<Record<Mishap, number>>;
  /** How many calls there were. */
  calls(): number;
  close(): Promise<void>;
}

interface Message {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

function endToEnd(headers: IncomingHttpHeaders): IncomingHttpHeaders {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !HOP_BY_HOP.includes(name)));
}

function draw(chance: Chance): Mishap | null {
  let left = chance.next() * 1_000;
  for (const [mishap, share] of Object.entries(MISHAPS)) {
    left -= share;
    // The keys of the table above.
    if (left < 0) return mishap as Mishap;
  }
  return null;
}

function tooMany(): Message {
  const reset = String(Math.floor(Date.now() / 1_000) + 2);
  return {
    status: 429,
    headers: {
      'content-type': 'application/json',
      'retry-after': '1',
      'x-rate-limit-limit': '100',
      'x-rate-limit-remaining': '0',
      'x-rate-limit-reset': reset,
    },
    body: Buffer.from('{"title":"Too Many Requests","code":"RateLimitExceeded","message":"Rate limit exceeded"}'),
  };
}

const SERVER_ERROR: Message = {
  status: 500,
  headers: { 'content-type': 'application/json' },
  body: Buffer.from('{"title":"Internal Server Error","code":"InternalServerError","message":"Internal server error"}'),
};
const HTML: Message = { status: 502, headers: { 'content-type': 'text/html' }, body: Buffer.from(PAGE) };

function answer(response: ServerResponse, { status, headers, body }: Message): void {
  response.writeHead(status, { ...endToEnd(headers), 'content-length': body.length }).end(body);
}

/** Opens a way to the server at `target`; nothing goes wrong yet. */
export async function openGateway(target: string, chance: Chance): Promise<Gateway> {
  const agent = new Agent({ keepAlive: true });
  const counts: Record<Mishap, number> = {
    slow: 0,
    rate_limited: 0,
    server_error: 0,
    server_error_after: 0,
    html: 0,
    html_after: 0,
    dropped: 0,
    dropped_after: 0,
    hangs: 0,
  };
  let calls = 0;

  async function deliver({ method, url, headers }: IncomingMessage, body: Buffer): Promise<Message> {
    const call = request(new URL(url ?? '/', target), { agent, method, headers: endToEnd(headers) });
    call.setHeader('content-length', body.length);
    call.end(body);
    // A client's answer is a message, which the emitter's type does not say.
    const [reply] = (await once(call, 'response')) as [IncomingMessage];
    return { status: reply.statusCode ?? 502, headers: reply.headers, body: await buffer(reply) };
  }

  async function serve(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await buffer(incoming);
    calls += 1;
    const mishap = gateway.failing ? draw(chance) : null;
    if (mishap !== null) counts[mishap] += 1;
    switch (mishap) {
      case 'rate_limited':
        return answer(response, tooMany());
      case 'server_error':
        return answer(response, SERVER_ERROR);
      case 'html':
        return answer(response, HTML);
      case 'dropped':
        return void response.destroy();
    }
    if (mishap === 'slow') await wait(chance.between(SLOW_MS.least, SLOW_MS.most));
    const reply = await deliver(incoming, body);
    switch (mishap) {
      case 'server_error_after':
        return answer(response, SERVER_ERROR);
      case 'html_after':
        return answer(response, HTML);
      case 'dropped_after':
        return void response.destroy();
      case 'hangs':
        if (!response.closed) await once(response, 'close');
        return;
    }
    answer(response, reply);
  }

  const server = createServer((incoming, response) => {
    // Whoever asked was killed in the middle, or the stage is being taken down: nobody waits for this answer.
    serve(incoming, response).catch(() => void response.destroy());
  });
  const { url, close } = await listen(server);
  const gateway: Gateway = {
    url,
    failing: false,
    counts,
    calls: () => calls,
    async close() {
      await close();
      agent.destroy();
    },
  };
  return gateway;
}
