import { AdapterError } from '../domain/errors.ts';
import type { Store, StoreReads } from '../store/port/index.ts';

/** The database server for which all payments are stopped, because it is another one than before; null when they are not. */
export async function stoppedServer(reads: StoreReads): Promise<string | null> {
  return (await reads.paymentStop())?.server ?? null;
}

/**
 * A store whose transactions run only while `stoppedServer` is what it was: what has been learned of the chain is in the
 * ledger of that server, and another one may have an older ledger. Otherwise they throw AdapterError.
 */
export interface OneServerStore extends Store {
  /** What `stoppedServer` was. */
  readonly server: string | null;
}

/** The {@link OneServerStore} over a store. */
export function onServer(server: string | null, store: Store): OneServerStore {
  const message = 'the server of the database has changed, and may have an older ledger';
  return {
    ...store,
    server,
    transaction: (run, options) =>
      store.transaction(async (tx) => {
        if ((await stoppedServer(tx)) !== server) {
          throw new AdapterError({ retry: 'safe', reason: 'server_error', message });
        }
        return await run(tx);
      }, options),
  };
}
