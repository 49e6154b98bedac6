import type { Bench } from '../bench.ts';
import { prepareSqlite } from '../data/sqlite.ts';
import { type Connection, openConnection } from '../load/connection.ts';
import { createSigner, startRegistry, tapEnvironment } from '../mentions/taps.ts';
import { copyOf, startProbed, TIPS, type Work } from './loads.ts';

export const TAPS_PER_SECOND = 1_000;
/** Different ones. They are sent in turn: the service remembers none that it has refused. */
const TAPS = 2_000;
const FIRST_FID = 5_000_000;
const CONNECTIONS = 64;
const EVERY_MS = 1;
/** As forged, or because too many are. */
const REFUSED: ReadonlySet<number> = new Set([401, 429]);

/**
 * Taps that claim, each of another account, in time and for this service, with the signature of another one: nothing but the
 * arithmetic of the signature shows that they are forged. A signature of random bytes is mostly refused by its size alone.
 */
export function forgedTaps(audience: string, count = TAPS): Buffer[] {
  const sign = createSigner(audience);
  const signed = Array.from({ length: count }, (_, index) => sign(FIRST_FID + index).split('.'));
  return signed.map(([header, payload], index) => {
    const body = [header, payload, signed[(index + 1) % count]?.[2]].join('.');
    return Buffer.from(
      `POST /tap/claim HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
    );
  });
}

/** Sends requests at a steady rate over some connections; those for which none is free wait. What is returned ends it. */
function startFlood(port: number, requests: readonly Buffer[]): () => Promise<number> {
  const idle: Connection[] = [];
  const open: Connection[] = [];
  let problem: Error | null = null;
  let isOver = false;
  let sent = 0;
  let answered = 0;
  let begin = Number.POSITIVE_INFINITY;
  const settings = {
    port,
    broken: (error: Error) => {
      if (!isOver) problem ??= error;
    },
    arrived: ({ status }: { status: number }, connection: Connection) => {
      if (!REFUSED.has(status)) problem ??= new Error(`a forged tap was answered ${status}`);
      answered += 1;
      idle.push(connection);
    },
  };
  const opening = Promise.all(Array.from({ length: CONNECTIONS }, () => openConnection(settings))).then((all) => {
    open.push(...all);
    idle.push(...all);
    begin = performance.now();
  });
  opening.catch((error: Error) => {
    problem ??= error;
  });
  const timer = setInterval(() => {
    const due = ((performance.now() - begin) * TAPS_PER_SECOND) / 1_000;
    while (sent < due) {
      const connection = idle.shift();
      const request = requests[sent % requests.length];
      if (connection === undefined || request === undefined) return;
      sent += 1;
      connection.send(request);
    }
  }, EVERY_MS);
  return async () => {
    clearInterval(timer);
    await opening;
    isOver = true;
    for (const connection of open) connection.close();
    if (problem !== null) throw problem;
    return answered;
  };
}

/** Forged taps, and how often the service has asked the registry of keys; a refusal is what is done. */
export async function openForgedTaps(bench: Bench): Promise<Work & { asked(): number }> {
  const registry = await startRegistry();
  const databasePath = copyOf(bench, await prepareSqlite(bench.dataFolder, TIPS));
  const service = await startProbed(bench, { databasePath, env: tapEnvironment(registry) });
  const audience = `http://127.0.0.1:${service.port}`;
  return {
    service,
    asked: registry.asked,
    start: () => startFlood(service.port, forgedTaps(audience)),
    async stop() {
      await service.stop();
      registry.stop();
    },
  };
}
