/** Texts under keys in a bounded memory of their own, of which the oldest that nobody asked for give way. */
export interface TextRing {
  /** The text under a key, if it is still there; asking for it lets it stay longer. */
  get(key: string): string | undefined;
  /** Puts a text under a key, unless there is one or it is larger than the whole ring. */
  add(key: string, text: string): void;
  clear(): void;
}

/** A text that is there: the bytes of the ring from `start` on. Whatever came next after it is its `next`. */
interface Entry {
  readonly key: string;
  readonly length: number;
  /** What it takes of the ring, at least a byte: its key as much as it is long, so that keys are bounded too. */
  readonly room: number;
  start: number;
  wasAsked: boolean;
  next: Entry | null;
}

/** How many are let stay for one that comes, so that no addition takes long. */
const MAX_STAYING = 8;

/**
 * The texts lie outside V8's heap, which otherwise walks all of it again for every few megabytes of texts that are new to
 * it: 50 ms in which nobody is answered. What is handed out is a copy, so that the memory can be used again meanwhile.
 *
 * They lie one behind the other in the order in which they came, round and round. Whatever the next one would overwrite
 * goes, unless it was asked for since it came there: then it goes to the end once more. So nearly all of the memory holds
 * what is asked for often.
 *
 * @param options.size bytes; what was never written to is not resident
 * @param options.maxTexts how many there are at most: each also takes about 220 bytes of V8's heap
 */
export function createTextRing({ size, maxTexts }: { size: number; maxTexts: number }): TextRing {
  const bytes = Buffer.allocUnsafeSlow(size);
  const entries = new Map<string, Entry>();
  let oldest: Entry | null = null;
  let newest: Entry | null = null;
  /** Where the next one begins. */
  let end = 0;

  function append(entry: Entry): void {
    if (newest === null) oldest = entry;
    else newest.next = entry;
    newest = entry;
    end = entry.start + entry.room;
  }

  function removeOldest(entry: Entry): void {
    oldest = entry.next;
    if (oldest === null) newest = null;
    // From the old generation it would hold up all that came after it.
    entry.next = null;
  }

  /** Makes room for one text more, `room` bytes in a row, and answers where they begin. */
  function free(room: number): number {
    let staying = 0;
    for (;;) {
      // Without an older one in front there is nothing but the ring's own end; behind that it goes on at the beginning.
      const bound = oldest !== null && oldest.start >= end ? oldest.start : size;
      const isRoom = bound - end >= room;
      if (isRoom && entries.size < maxTexts) return end;
      if (oldest === null || (bound === size && !isRoom)) {
        end = 0;
        continue;
      }
      const entry = oldest;
      removeOldest(entry);
      const fits = entry.start >= end || size - end >= entry.room;
      if (entry.wasAsked && fits && staying < MAX_STAYING) {
        staying += 1;
        bytes.copyWithin(end, entry.start, entry.start + entry.length);
        entry.start = end;
        entry.wasAsked = false;
        append(entry);
      } else entries.delete(entry.key);
    }
  }

  return {
    get(key) {
      const entry = entries.get(key);
      if (entry === undefined) return undefined;
      entry.wasAsked = true;
      return bytes.toString('utf8', entry.start, entry.start + entry.length);
    },
    add(key, text) {
      const length = Buffer.byteLength(text);
      const room = Math.max(1, length + key.length);
      if (room > size || entries.has(key)) return;
      const entry: Entry = { key, length, room, start: free(room), wasAsked: false, next: null };
      bytes.write(text, entry.start);
      entries.set(key, entry);
      append(entry);
    },
    clear() {
      entries.clear();
      oldest = null;
      newest = null;
      end = 0;
    },
  };
}
