import { SEEING_GRACE_MS } from '../../../domain/earning/due.ts';
import type { EntryTerms } from '../../../domain/earning/holding/entry.ts';
import type { PayoutProgress } from '../../../domain/earning/payouts/payout.ts';
import { MINUTE_MS } from '../../../domain/time.ts';
import { readEntries } from '../holding/read-entries.ts';
import type { PayingWay } from './way.ts';

/** What is read comes first; accounts join at any time of the window, and wake nothing. */
function withEntries(
  progress: PayoutProgress,
  { dueAt, openUntil }: { dueAt: number | null; openUntil: number },
): PayoutProgress {
  return {
    ...progress,
    beforeJudging: (now) =>
      dueAt !== null && dueAt <= now ? { kind: 'read_holdings' } : (progress.beforeJudging?.(now) ?? null),
    times: (now) => [...(progress.times?.(now) ?? []), dueAt, now < openUntil ? now + MINUTE_MS : null],
  };
}

/** A way of paying accounts that enter: what they hold is read before they are judged. */
export function entryWay(way: PayingWay, terms: EntryTerms): PayingWay {
  return {
    ...way,
    asksChain: [...(way.asksChain ?? []), 'read_holdings'],
    async progress(deps, watched, open) {
      const { gig } = watched;
      const [progress, dueAt] = await Promise.all([way.progress(deps, watched, open), deps.store.nextEntryDue(gig.id)]);
      return withEntries(progress, { dueAt, openUntil: gig.endTime + SEEING_GRACE_MS });
    },
    async take(deps, watched, step) {
      if (step.kind !== 'read_holdings') return await way.take(deps, watched, step);
      await readEntries(deps, watched, terms);
      return null;
    },
  };
}
