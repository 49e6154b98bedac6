import type { Earning } from '../../../domain/earning/earning.ts';
import type { StoreReads } from '../../../store/port/index.ts';

export interface Submission {
  readonly earning: Earning;
  readonly postId: string;
  /** When the sender says that it was posted, epoch milliseconds. */
  readonly postedAt: number | null;
}

/** The account for which an act counts, while it is to be decided on; null otherwise. */
export async function findCandidate(store: StoreReads, gigId: number, observationId: number): Promise<Earning | null> {
  const earning = await store.earningByAct(gigId, observationId);
  return earning?.state === 'eligible' ? earning : null;
}

/** The account for which an act counts, while the verifier is to be asked about it: it does not wait; null otherwise. */
export async function findDueCandidate(
  store: StoreReads,
  gigId: number,
  { id, now }: { id: number; now: number },
): Promise<Earning | null> {
  const earning = await findCandidate(store, gigId, id);
  return earning !== null && earning.dueAt <= now ? earning : null;
}

/** The submissions of accounts, in their order. */
export async function findSubmissions(store: StoreReads, earnings: readonly Earning[]): Promise<Submission[]> {
  const submissions: Submission[] = [];
  for (const earning of earnings) {
    const acts = await store.observations(earning.gigId, earning);
    const act = acts.find(({ id }) => id === earning.observationId);
    if (act !== undefined) submissions.push({ earning, postId: act.objectId, postedAt: act.actedAt });
  }
  return submissions;
}
