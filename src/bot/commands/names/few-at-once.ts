import { AdapterError } from '../../../domain/errors.ts';
import type { NameResolver } from '../../../domain/names/names.ts';

/** Half of the lanes by which the mentions of one platform are answered. */
const MOST = 4;
/** Milliseconds. */
const AGAIN_MS = 2_000;

/**
 * Looks up few names at once: the owner of a name can make each look-up take seconds, and the lanes that answer all other mentions wait
 * for it. One more is refused as not asked, so that its mention waits its turn.
 */
export function fewAtOnce({ resolve }: NameResolver): NameResolver {
  let underWay = 0;
  return {
    async resolve(name) {
      if (underWay >= MOST) {
        const message = 'too many names are being looked up at once';
        throw new AdapterError({ reason: 'paused', retry: 'safe', message, retryAfterMs: AGAIN_MS });
      }
      underWay += 1;
      try {
        return await resolve(name);
      } finally {
        underWay -= 1;
      }
    },
  };
}
