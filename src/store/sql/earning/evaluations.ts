import { and, sql } from 'drizzle-orm';
import type { AccountKey } from '../../../domain/account.ts';
import type { EarningState, RefusalReason } from '../../../domain/earning/earning.ts';
import type { Evaluation } from '../../port/earning.ts';
import type { Sql } from '../engine.ts';
import { locked, noun } from '../noun.ts';
import { bound, boundTo, equals } from '../statements.ts';
import { byGig } from '../subjects.ts';

const placeholder = sql.placeholder;

interface NewEvaluation extends AccountKey {
  readonly gigId: number;
  readonly now: number;
  readonly state: EarningState;
  readonly reason: RefusalReason | null;
  /** As the store holds them. */
  readonly facts: string | null;
  readonly amount: bigint | null;
}

/** Adds a decision to the record. */
export function createEvaluationInsert({ build, prepare, tables }: Sql): (evaluation: NewEvaluation) => Promise<void> {
  const { evaluations } = tables;
  const query = build.insert(evaluations).values({
    ...boundTo(evaluations, 'gigId', 'platform', 'platformUserId', 'state', 'reason'),
    at: placeholder('now'),
    // Neither is converted, because a null would become text.
    facts: bound('facts'),
    amount: bound('amount'),
  });
  const insert = prepare(query);
  return async ({ amount, ...evaluation }) => {
    await insert.run({ ...evaluation, amount: amount === null ? null : String(amount) });
  };
}

export const evaluations = noun((db: Sql) => {
  const { build, prepare, tables } = db;
  const { evaluations } = tables;
  const isTheirs = and(
    equals(evaluations.gigId, 'gigId'),
    equals(evaluations.platform, 'platform'),
    equals(evaluations.platformUserId, 'platformUserId'),
  );
  const { id, at, state, reason, facts, amount } = evaluations;
  const columns = { id, at, state, reason, facts, amount };
  const all = prepare(build.select(columns).from(evaluations).where(isTheirs).orderBy(id));
  return {
    reads: {
      /** Oldest first. */
      evaluations: locked(
        byGig,
        (gigId: number, { platform, platformUserId }: AccountKey): Promise<Evaluation[]> =>
          all.all({ gigId, platform, platformUserId }),
      ),
    },
    writes: {},
  };
});
