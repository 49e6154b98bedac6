/** How many keys are remembered at most: as many as a few busy seconds bring, in 256 kB. */
const SLOTS = 65_536;

/** FNV-1a over the UTF-16 units of a key, 32 bits, never 0. */
function hashOf(key: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < key.length; index++) hash = Math.imul(hash ^ key.charCodeAt(index), 0x01000193);
  return hash >>> 0 || 1;
}

/**
 * Answers whether a key was asked for of late, and remembers that it is now. Each key has one place, which the next one
 * there takes over, so that memory is bounded and nothing has to be cleared away. Two keys are rarely mixed up; whoever
 * asks must be able to bear it.
 */
export function createAskedBefore(slots = SLOTS): (key: string) => boolean {
  const marks = new Uint32Array(slots);
  return (key) => {
    const hash = hashOf(key);
    const slot = hash % slots;
    if (marks[slot] === hash) return true;
    marks[slot] = hash;
    return false;
  };
}
