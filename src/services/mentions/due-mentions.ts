import type { DueMention } from '../../store/port/index.ts';

/** The due mentions of which this process takes one after the other, without a lease on disk: no other process answers. */
export interface DueMentions {
  /** The mention that has been due longest and that no worker has; null when there is none. Reads more when all are taken. */
  take(read: () => Promise<readonly DueMention[]>): Promise<DueMention | null>;
  /** The work on a mention is over. If it is still due, it is found again. */
  release(id: number): void;
}

/** {@link DueMentions} of one answering job. Rows are taken after they are read, so the work must check that it is still due. */
export function createDueMentions(): DueMentions {
  const waiting = new Map<number, DueMention>();
  const taken = new Set<number>();
  return {
    async take(read) {
      if (waiting.size === 0) {
        for (const mention of await read()) if (!taken.has(mention.id)) waiting.set(mention.id, mention);
      }
      for (const [id, mention] of waiting) {
        waiting.delete(id);
        taken.add(id);
        return mention;
      }
      return null;
    },
    release: (id) => taken.delete(id),
  };
}
