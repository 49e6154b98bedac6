import { once } from 'node:events';
import { connect as connectHttp2 } from 'node:http2';
import { request } from 'node:https';
import { buffer } from 'node:stream/consumers';
import { connect as connectTls } from 'node:tls';
import type { Front } from './fronts.ts';

interface Sent {
  readonly method?: string;
  readonly path?: string;
  readonly headers?: Readonly<Record<string, string | string[]>>;
  readonly body?: string;
  /** The address of loopback that the client has. */
  readonly from?: string;
  /** Sends the body in chunks, without its length. */
  readonly isChunked?: boolean;
}

interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
  /** Whether the front asked for the body that was announced. */
  readonly isContinued: boolean;
}

/** Sends one request to a front over HTTP/1.1. With `Expect: 100-continue` the body waits until it is asked for. */
export async function send(front: Front, sent: Sent): Promise<Answer> {
  const { method = 'GET', path = '/', headers = {}, body, from = '127.0.0.1', isChunked = false } = sent;
  const length = body === undefined || isChunked ? {} : { 'content-length': String(Buffer.byteLength(body)) };
  const outgoing = request({
    host: '127.0.0.1',
    port: front.port,
    servername: front.host,
    ca: front.ca,
    localAddress: from,
    agent: false,
    method,
    path,
    headers: { host: `${front.host}:${front.port}`, ...length, ...headers },
  });
  let isContinued = false;
  if ('expect' in headers) {
    outgoing.flushHeaders();
    outgoing.once('continue', () => {
      isContinued = true;
      outgoing.end(body);
    });
  } else if (isChunked) {
    for (let at = 0; at < (body ?? '').length; at += 10_000) outgoing.write(body?.slice(at, at + 10_000));
    outgoing.end();
  } else outgoing.end(body);
  const [incoming] = await once(outgoing, 'response');
  const text = String(await buffer(incoming));
  return { status: incoming.statusCode, headers: incoming.headers, text, isContinued };
}

/** As {@link send}, over HTTP/2. */
export async function sendHttp2(front: Front, { method = 'GET', path = '/', headers = {}, body }: Sent) {
  const { host, port, ca } = front;
  const session = connectHttp2(`https://${host}:${port}`, {
    createConnection: () => connectTls({ host: '127.0.0.1', port, servername: host, ca, ALPNProtocols: ['h2'] }),
  });
  const stream = session.request({ ':method': method, ':path': path, ...headers });
  stream.end(body);
  const [answered] = await once(stream, 'response');
  const text = String(await buffer(stream));
  session.close();
  return { status: Number(answered[':status']), text };
}
