import type { Target } from '../../../domain/earning/act.ts';
import type { StoredEarningRules } from '../../port/earning.ts';
import type { Sql, Tables } from '../engine.ts';
import { locked, noun } from '../noun.ts';
import { boundTo, equals } from '../statements.ts';
import { byGig } from '../subjects.ts';

function ofGig({ earningRules }: Tables) {
  return equals(earningRules.gigId, 'gigId');
}

/** Triggers refuse every change for a live gig. */
export const earningRules = noun((db: Sql) => {
  const { build, prepare, tables } = db;
  const { earningRules } = tables;
  const rulesOf = prepare(build.select().from(earningRules).where(ofGig(tables)));
  const remove = prepare(build.delete(earningRules).where(ofGig(tables)));
  const row = boundTo(earningRules, 'given', 'rules', 'targetKind', 'targetId', 'targetAuthor');
  const keep = prepare(
    build
      .insert(earningRules)
      .values({ ...boundTo(earningRules, 'gigId'), ...row })
      .onConflictDoUpdate({ target: earningRules.gigId, set: row }),
  );
  return {
    reads: {
      earningRules: locked(byGig, async (gigId: number): Promise<StoredEarningRules | null> => {
        const row = await rulesOf.get({ gigId });
        return row === undefined ? null : { gigId, given: row.given, rules: row.rules, target: readTarget(row) };
      }),
    },
    writes: {
      /** Stores a gig's rules in place of earlier ones, or removes them with null. Throws once the gig is live. */
      storeEarningRules: locked(
        byGig,
        async (gigId: number, kept: Omit<StoredEarningRules, 'gigId'> | null): Promise<void> => {
          if (kept === null) {
            await remove.run({ gigId });
            return;
          }
          const { given, rules, target } = kept;
          await keep.run({ gigId, given, rules, ...toTargetRow(target) });
        },
      ),
    },
  };
});

/** `targetId` is the post, the account or the keyword. */
interface TargetRow {
  readonly targetKind: Target['kind'];
  readonly targetId: string;
  readonly targetAuthor: string | null;
}

export function toTargetRow(target: Target): TargetRow {
  const targetKind = target.kind;
  switch (target.kind) {
    case 'post':
      return { targetKind, targetId: target.postId, targetAuthor: target.authorId };
    case 'account':
      return { targetKind, targetId: target.accountId, targetAuthor: null };
    case 'keyword':
      return { targetKind, targetId: target.keyword, targetAuthor: null };
  }
}

export function readTarget({ targetKind: kind, targetId, targetAuthor }: TargetRow): Target {
  if (kind === 'account') return { kind, accountId: targetId };
  if (kind === 'keyword') return { kind, keyword: targetId };
  if (targetAuthor === null) throw new TypeError(`post ${targetId} is a target without an author`);
  return { kind, postId: targetId, authorId: targetAuthor };
}
