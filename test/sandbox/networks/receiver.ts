import { createServer, type IncomingHttpHeaders } from 'node:http';

export interface Received {
  readonly body: Buffer;
  readonly headers: IncomingHttpHeaders;
}

/** A webhook that keeps what it gets; `challenge` answers a GET with a crc_token. */
export async function openReceiver(challenge: (token: string) => string | null = () => null) {
  const received: Received[] = [];
  const server = createServer((request, response) => {
    const token = new URL(request.url ?? '', 'http://x').searchParams.get('crc_token');
    if (request.method === 'GET') {
      const answer = challenge(token ?? '');
      response.writeHead(answer === null ? 400 : 200, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ response_token: answer }));
      return;
    }
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      received.push({ body: Buffer.concat(chunks), headers: request.headers });
      response.writeHead(200).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return {
    url: `http://127.0.0.1:${address.port}/webhook`,
    received,
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
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
