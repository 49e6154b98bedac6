import { createServer, type IncomingHttpHeaders } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { listen } from '../../support/listen.ts';

export interface Received {
  readonly body: Buffer;
  readonly headers: IncomingHttpHeaders;
}

/** A webhook that keeps what it gets; `challenge` answers a GET with a crc_token. */
export async function openReceiver(challenge: (token: string) => string | null = () => null) {
  const received: Received[] = [];
  const server = createServer(async (request, response) => {
    if (request.method === 'GET') {
      const answer = challenge(new URL(request.url ?? '', 'http://x').searchParams.get('crc_token') ?? '');
      response.writeHead(answer === null ? 400 : 200, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ response_token: answer }));
      return;
    }
    received.push({ body: await buffer(request), headers: request.headers });
    response.writeHead(200).end();
  });
  const { url, close } = await listen(server);
  return { url: `${url}/webhook`, received, close };
}

/** Sends JSON and reads JSON. */
export async function send(method: string, url: string, body?: unknown, headers: Record<string, string> = {}) {
  const answer = await fetch(url, {
    method,
    headers: { 'content-type': 'application/json', ...headers },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const json: unknown = await answer.json();
  return { status: answer.status, json, headers: answer.headers };
}
