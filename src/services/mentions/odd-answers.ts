import {
  type CleanAnswer,
  cleanAnswer,
  type KeptOddAnswer,
  type NoteOddAnswer,
} from '../../domain/platforms/odd-answer.ts';
import type { Store } from '../../store/port/index.ts';
import { NARROW } from '../narrow.ts';

/** How many odd answers are looked at until the next are kept: what adapters meet must not cost more than their work. */
const MOST_LOOKED_AT = 50;

export interface OddAnswers {
  /** Remembers an answer until the next {@link OddAnswers.keep}; beyond some, answers are dropped. */
  readonly note: NoteOddAnswer;
  /** Writes what was noted since the last time. A failed write is not repeated. */
  readonly keep: () => Promise<void>;
}

/** Collects the answers of other services that no adapter understood, and keeps them in the store, apart from the callers. */
export function createOddAnswers({
  store,
  secrets,
  clock,
}: {
  readonly store: Pick<Store, 'transaction'>;
  /** What must not be kept, whichever service repeats it. */
  readonly secrets: readonly string[];
  /** Epoch milliseconds. */
  readonly clock: () => number;
}): OddAnswers {
  const noted = new Map<string, KeptOddAnswer>();
  let lookedAt = 0;

  function add(answer: CleanAnswer, now: number): void {
    const { times, firstSeenAt } = noted.get(answer.kind) ?? { times: 0, firstSeenAt: now };
    noted.set(answer.kind, { ...answer, firstSeenAt, lastSeenAt: now, times: times + 1 });
  }

  return {
    note(answer) {
      if (lookedAt >= MOST_LOOKED_AT) return;
      lookedAt += 1;
      try {
        add(cleanAnswer({ ...answer, secrets: [...answer.secrets, ...secrets] }), clock());
      } catch {
        // The call whose answer it is goes on as if nothing were noted.
      }
    },
    async keep() {
      // In one order, so that two processes do not wait for each other.
      const answers = [...noted.values()].toSorted((one, other) => (one.kind < other.kind ? -1 : 1));
      noted.clear();
      lookedAt = 0;
      if (answers.length > 0) await store.transaction((tx) => tx.noteOddAnswers(answers), NARROW);
    },
  };
}
