import { LRUCache } from 'lru-cache';
import { type AccountName, accountNameText } from '../../../domain/account.ts';

/** About 14,000 look-ups of five tips each. */
const MAX_BYTES = 32_000_000;
/** The size of an entry without its texts. */
const ENTRY_BYTES = 200;

interface Kept {
  readonly body: string;
  /** The latest state of the store in which the body was seen to be right. */
  asOf: string;
}

/** The body of a look-up, or null when it is the same as in the state `since`; and the state that it was read from. */
interface Look {
  readonly asOf: string;
  readonly body: string | null;
}

/**
 * Keeps the bodies of look-ups of one account. Each look-up asks whether the kept body is still right.
 * @param read makes the body, unless it is known to be the same as in the state `since`
 * @returns the body of a look-up
 */
export function createLookupCache(
  read: (identifiers: readonly AccountName[], since: string | null) => Promise<Look>,
  { maxBytes = MAX_BYTES }: { maxBytes?: number } = {},
): (identifiers: readonly AccountName[]) => Promise<string> {
  const bodies = new LRUCache<string, Kept>({
    maxSize: maxBytes,
    sizeCalculation: ({ body }, key) => body.length + key.length + ENTRY_BYTES,
  });
  return async (identifiers) => {
    const [only, ...others] = identifiers;
    const key = only === undefined || others.length > 0 ? null : accountNameText(only);
    const kept = key === null ? undefined : bodies.get(key);
    const { asOf, body } = await read(identifiers, kept?.asOf ?? null);
    if (body !== null) {
      if (key !== null) bodies.set(key, { body, asOf });
      return body;
    }
    if (kept === undefined) throw new TypeError('a look-up that was not kept was said to be the same');
    kept.asOf = asOf;
    return kept.body;
  };
}
