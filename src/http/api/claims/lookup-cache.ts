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
 * Look-ups wait for the end of their event-loop turn, so that one question for changes serves all of them. It is asked when
 * all of them have come, so whatever was committed and told before a look-up came is known when it is answered.
 * @param options.takeChanged as `Store.takeChangedAccounts`
 */
export function createLookupCache(options: {
  takeChanged: () => Promise<readonly AccountName[] | null>;
  maxBytes?: number;
}): LookupCache {
  const bodies = new LRUCache<string, string>({
    maxSize: options.maxBytes ?? MAX_BYTES,
    sizeCalculation: (body, key) => body.length + key.length + ENTRY_BYTES,
  });
  /** Counts answers that told of changes: a body whose reading began before one of them may be out of date. */
  let changes = 0;
  /** The question that was asked last, and the next one, which is not asked yet. */
  let asked: Promise<void> = Promise.resolve();
  let next: Promise<void> | null = null;

  async function forgetChanged(): Promise<void> {
    // The look-ups themselves fail with the same store error, and report it.
    const changed = await Promise.try(options.takeChanged).catch(() => null);
    if (changed === null) bodies.clear();
    else for (const name of changed) bodies.delete(keyOf(name));
    if (changed?.length !== 0) changes += 1;
  }

  /** Settles when a question that is asked from now on is answered. One is asked at a time, so answers keep their order. */
  function nextAnswer(): Promise<void> {
    next ??= new Promise((resolve) => {
      setImmediate(async () => {
        await asked;
        next = null;
        asked = forgetChanged();
        resolve(asked);
      });
    });
    return next;
  }

  return {
    async find(identifiers, read) {
      await nextAnswer();
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
