import type { Target } from '../../../domain/earning/act.ts';

/** A target as tables hold it: `targetId` is the post, the account or the keyword. */
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
