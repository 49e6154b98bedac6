import { readFileSync } from 'node:fs';
import type { Socket } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { exchange, openSocket } from './wire.ts';
import type { World } from './world.ts';

const PATIENCE_MS = 20_000;
const LOOK_UP = Buffer.from(
  'GET /api/claim?identifiers=1001 HTTP/1.1\r\nHost: gigclaim.test\r\nConnection: close\r\n\r\n',
);
const DRIP_MS = 50;

/** How others were served while clients misbehaved in one way. */
export interface ClientsReport {
  readonly what: string;
  readonly connections: number;
  /** Look-ups by others meanwhile, all answered with 200. */
  readonly served: number;
  readonly slowestMs: number;
}

/** A way to hold connections: opened at once, and fed a little again and again. */
interface Abuse {
  readonly what: string;
  readonly connections: number;
  readonly begin: (apiKey: string) => string;
  readonly drip: string;
  /** Whether what comes back is never read. */
  readonly deaf?: boolean;
}

const head = (first: string, ...lines: string[]) => [first, 'Host: gigclaim.test', ...lines].join('\r\n');

const ABUSES: readonly Abuse[] = [
  { what: 'idle connections', connections: 1_000, begin: () => '', drip: '' },
  { what: 'slow headers', connections: 300, begin: () => head('GET /api/claim HTTP/1.1', 'X-'), drip: 'a' },
  {
    what: 'slow bodies with a good key',
    connections: 300,
    drip: ' ',
    begin: (apiKey) =>
      `${head('POST /api/gigs/start HTTP/1.1', `x-api-key: ${apiKey}`, 'Content-Length: 60000')}\r\n\r\n`,
  },
  {
    what: 'slow bodies of webhooks',
    connections: 300,
    drip: '1\r\n \r\n',
    begin: () => `${head('POST /webhooks/farcaster HTTP/1.1', 'Transfer-Encoding: chunked')}\r\n\r\n`,
  },
  {
    what: 'oversized headers without end',
    connections: 100,
    drip: `X-A: ${'a'.repeat(1_000)}\r\n`,
    begin: () => `${head('GET /health HTTP/1.1')}\r\n`,
  },
  {
    what: 'large answers that nobody reads',
    connections: 50,
    drip: '',
    deaf: true,
    begin: () => `${head('GET /api/docs/redoc.js HTTP/1.1')}\r\n\r\n`,
  },
  {
    what: 'pipelined requests whose answers nobody reads',
    connections: 50,
    deaf: true,
    begin: () => `${head('GET /api/openapi.json HTTP/1.1')}\r\n\r\n`.repeat(20),
    drip: `${head('GET /api/openapi.json HTTP/1.1')}\r\n\r\n`,
  },
];

function hold(world: World, { begin, connections, deaf }: Abuse): Socket[] {
  return Array.from({ length: connections }, () => {
    const socket = openSocket(world.port);
    if (deaf === true) socket.pause();
    else socket.resume();
    const first = begin(world.apiKey);
    if (first !== '') socket.write(first);
    return socket;
  });
}

async function lookUp({ port }: World, what: string): Promise<number> {
  const answer = await exchange(port, LOOK_UP, { method: 'GET', patienceMs: PATIENCE_MS });
  if (answer.status !== 200) {
    const reason = 'reason' in answer ? answer.reason : answer.body;
    throw new Error(`under ${what} somebody else got ${answer.status}: ${reason}`);
  }
  return answer.ms;
}

async function abuse(world: World, one: Abuse, lookUps: number): Promise<ClientsReport> {
  const { what, connections, drip } = one;
  const sockets = hold(world, one);
  const dripping = setInterval(() => {
    if (drip === '') return;
    for (const socket of sockets) if (socket.writable && socket.writableLength < 100_000) socket.write(drip);
  }, DRIP_MS);
  try {
    let slowestMs = 0;
    for (let served = 0; served < lookUps; served += 1) {
      slowestMs = Math.max(slowestMs, await lookUp(world, what));
      await wait(5);
    }
    return { what, connections, served: lookUps, slowestMs };
  } finally {
    clearInterval(dripping);
    for (const socket of sockets) socket.destroy();
  }
}

function dripUntilClosed(port: number, first: string, drip: string): Promise<number | null> {
  return new Promise((resolve) => {
    const socket = openSocket(port);
    let received = '';
    socket.setEncoding('latin1').on('data', (text: string) => {
      received += text;
    });
    if (first !== '') socket.write(first);
    const dripping = setInterval(() => (drip === '' || !socket.writable ? false : socket.write(drip)), 1_000);
    socket.once('close', () => {
      clearInterval(dripping);
      const status = /^HTTP\/1\.1 ([0-9]{3}) /.exec(received)?.[1];
      resolve(status === undefined ? null : Number(status));
    });
  });
}

/** The statuses with which a silent client, one with endless headers and one with an endless body are cut off. */
export function cutOff({ port, apiKey }: World): Promise<(number | null)[]> {
  const body = head('POST /api/gigs/start HTTP/1.1', `x-api-key: ${apiKey}`, 'Content-Length: 60000');
  return Promise.all([
    dripUntilClosed(port, '', ''),
    dripUntilClosed(port, head('GET /health HTTP/1.1', 'X-'), 'a'),
    dripUntilClosed(port, `${body}\r\n\r\n`, ' '),
  ]);
}

/** What the service's process holds in memory, in MB. Linux only; NaN elsewhere. */
export function residentMb({ service }: World): number {
  try {
    const status = readFileSync(`/proc/${service.child.pid}/status`, 'utf8');
    return Number(/^VmRSS:\s+([0-9]+) kB$/m.exec(status)?.[1]) / 1024;
  } catch {
    return Number.NaN;
  }
}

/**
 * Lets clients misbehave in every way in turn, and others look something up meanwhile.
 * @throws Error when one of the others is not answered with 200
 */
export async function abuseConnections(world: World, options: { lookUps: number }): Promise<ClientsReport[]> {
  const reports: ClientsReport[] = [];
  for (const one of ABUSES) reports.push(await abuse(world, one, options.lookUps));
  return reports;
}
