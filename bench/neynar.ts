import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';

/**
 * How long a look-up of a user takes while they hang, in milliseconds: less than the ten seconds after which the service gives up. After
 * a few of those it would hold up no lane, and put each mention back by a commit of its own.
 */
const HANGING_MS = 8_000;

/** A Neynar that takes every cast at once and knows nobody: what is left of a reply's time is the service's own. */
export interface Neynar {
  readonly url: string;
  /** Whether look-ups of users are answered after many seconds, which holds up whoever claims. */
  hangs: boolean;
  /** When the reply to a cast arrived, by the cast's hash; `performance.now()`. */
  readonly repliedAt: Map<string, number>;
  /** Called with the hash of the cast that was replied to. */
  heard: (parent: string) => void;
  stop(): void;
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}

function send(response: ServerResponse, body: object): void {
  const text = JSON.stringify(body);
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) });
  response.end(text);
}

export async function startNeynar(botFid: number): Promise<Neynar> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the stand-in for Neynar has no port');
  const neynar: Neynar = {
    url: `http://127.0.0.1:${address.port}`,
    hangs: false,
    repliedAt: new Map(),
    heard: () => undefined,
    stop: () => {
      server.close();
      server.closeAllConnections();
    },
  };
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    const arrivedAt = performance.now();
    const path = request.url ?? '';
    if (request.method === 'POST') {
      void bodyOf(request).then((text) => {
        const cast = JSON.parse(text) as { parent: string; text: string };
        neynar.repliedAt.set(cast.parent, arrivedAt);
        const hash = `0x${createHash('sha1').update(cast.parent).digest('hex')}`;
        send(response, { success: true, cast: { hash, author: { fid: botFid }, text: cast.text } });
        neynar.heard(cast.parent);
      });
    } else if (path.includes('/notifications')) send(response, { notifications: [], next: { cursor: null } });
    else if (path.includes('/user/bulk')) {
      setTimeout(send, neynar.hangs ? HANGING_MS : 0, response, { users: [] }).unref();
    } else send(response, { conversation: { cast: null }, next: { cursor: null } });
  });
  return neynar;
}
