import { setImmediate } from 'node:timers';
import { LRUCache } from 'lru-cache';
import type { AccountName } from '../../../domain/account.ts';

/** About 14,000 look-ups of five tips each. */
const MAX_BYTES = 32_000_000;
/** The size of an entry without its texts. */
const ENTRY_BYTES = 200;

/** Cached bodies of look-ups of one account, until a commit changes the account's tips or name. */
export interface LookupCache {
  /** The cached body of a look-up, or the result of `read`. */
  find(identifiers: readonly AccountName[], read: () => Promise<string>): Promise<string>;
}

function keyOf(name: AccountName): string {
  return 'handle' in name ? `${name.platform}@${name.handle}` : `${name.platform}:${name.platformUserId}`;
}

/**
 * Look-ups wait for the end of their event-loop turn, so that one query for changes serves all of them.
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
  /** Counts turns with changes: a body read before one of them may be out of date. */
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
          // The look-ups themselves fail with the same store error, and report it.
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
