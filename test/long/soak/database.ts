import { join } from 'node:path';
import { startServerPair } from '../../support/standby.ts';
import { startSwitch } from '../../support/switch.ts';

/** On what the service keeps everything. */
export type Engine = 'sqlite' | 'postgres';

/** The empty database of a soak. */
export interface SoakDatabase {
  /** The path of a file, or a URL that leads to whichever server is the primary. */
  readonly name: string;
  /** The path of the write-ahead log; null when a server has it. */
  readonly walPath: string | null;
  /** Ends the primary as in a crash and makes its synchronous standby the primary; null for a file. */
  readonly failOver: (() => Promise<void>) | null;
  stop(): Promise<void>;
}

async function openServers(): Promise<SoakDatabase> {
  const servers = await startServerPair();
  const address = await startSwitch(servers.primary.url);
  return {
    name: address.url,
    walPath: null,
    async failOver() {
      await servers.promote();
      address.switchTo(servers.standby.port);
    },
    async stop() {
      await address.close();
      await servers.stop();
    },
  };
}

/** Makes a database: a file in `folder`, or one on a server with a synchronous standby. */
export async function openDatabase(engine: Engine, folder: string): Promise<SoakDatabase> {
  if (engine === 'postgres') return await openServers();
  const path = join(folder, 'gigclaim.db');
  return { name: path, walPath: `${path}-wal`, failOver: null, stop: async () => undefined };
}
