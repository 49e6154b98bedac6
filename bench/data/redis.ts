import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { freePort } from '../../sandbox/port.ts';
import { CLIENT_CORE, startProgram } from '../processes.ts';

export interface RedisServer {
  readonly version: string;
  readonly port: number;
  readonly pid: number;
  stop(): Promise<void>;
}

/**
 * A Redis of its own that has every write on disk before it answers, as the service has; on the load generator's core.
 * @returns null when Redis is not installed
 */
export async function startRedis(folder: string): Promise<RedisServer | null> {
  const places = (process.env['PATH'] ?? '').split(':').map((place) => join(place, 'redis-server'));
  const command = places.find((place) => existsSync(place));
  if (command === undefined) return null;
  const port = await freePort(0);
  const durable = { appendonly: 'yes', appendfsync: 'always', save: '' };
  // Writing the whole file anew would hold up the disk for whoever is measured meanwhile.
  const settings = { bind: '127.0.0.1', port, dir: folder, ...durable, 'auto-aof-rewrite-percentage': 0 };
  const args = Object.entries(settings).flatMap(([name, value]) => [`--${name}`, String(value)]);
  const program = startProgram(command, args, { core: CLIENT_CORE, quiet: true });
  const client = new Redis({ port, host: '127.0.0.1', lazyConnect: true, retryStrategy: () => 100 });
  client.on('error', () => undefined);
  const info = await client.connect().then(
    () => client.info('server'),
    async () => {
      await wait(500);
      return await client.info('server');
    },
  );
  client.disconnect();
  return { version: /redis_version:(\S+)/.exec(info)?.[1] ?? '?', port, pid: program.pid, stop: () => program.stop() };
}
