import { setImmediate } from 'node:timers';
import { LRUCache } from 'lru-cache';
import type { AccountName } from '../../../domain/account.ts';

/** About 14,000 look-ups of five tips each. */
const MAX_BYTES = 32_000_000;
/** What an entry takes besides its texts. */
const ENTRY_BYTES = 200;

/** The bodies of look-ups of one account each, until a commit changes the account's tips or name. */
export interface LookupCache {
  /** The body of a look-up: the one that is kept, or what `read` answers. */
  find(identifiers: readonly AccountName[], read: () => Promise<string>): Promise<string>;
}

function keyOf(name: AccountName): string {
  return 'handle' in name ? `${name.platform}@${name.handle}` : `${name.platform}:${name.platformUserId}`;
}

/**
 * Look-ups wait for the end of their turn of the event loop, so that the store is asked once for all of them what has
 * changed, and after all of them had come.
 * @param options.takeChanged as `Store.takeChangedAccounts`
 */
export function createLookupCache(options: {
  takeChanged: () => readonly AccountName[] | null;
  maxBytes?: number;
}): LookupCache {
  const bodies = new LRUCache<string, string>({
    maxSize: options.maxBytes ?? MAX_BYTES,
    sizeCalculation: (body, key) => body.length + key.length + ENTRY_BYTES,
  });
  let turn: Promise<void> | null = null;
  /** Counts the turns that brought changes: what was read before one of them may be out of date. */
  let changes = 0;

  function forgetChanged(): void {
    const changed = options.takeChanged();
    if (changed === null) bodies.clear();
    else for (const name of changed) bodies.delete(keyOf(name));
    if (changed?.length !== 0) changes += 1;
  }

  function endOfTurn(): Promise<void> {
    turn ??= new Promise((resolve) => {
      setImmediate(() => {
        turn = null;
        try {
          forgetChanged();
        } catch {
          // The look-ups meet the same fault of the store, and tell of it.
          bodies.clear();
        }
        resolve();
      });
    });
    return turn;
  }

  return {
    async find(identifiers, read) {
      await endOfTurn();
      const [only, ...others] = identifiers;
      if (only === undefined || others.length > 0) return await read();
      const key = keyOf(only);
      const kept = bodies.get(key);
      if (kept !== undefined) return kept;
      const before = changes;
      const body = await read();
      if (changes === before) bodies.set(key, body);
      return body;
    },
  };
}
