/** Kinds of reaction to a cast. */
export const REACTIONS = ['like', 'recast'] as const;
export type ReactionKind = (typeof REACTIONS)[number];

/** An act of an account towards a cast or another account. */
export interface StandingAct {
  /** The account's FID. */
  readonly userId: string;
  /** When its sender claims that it happened, epoch ms. */
  readonly at: number;
}

/** What was done or undone. */
export interface ActChange {
  readonly type: 'reaction.created' | 'reaction.deleted' | 'follow.created' | 'follow.deleted';
  readonly kind: ReactionKind | 'follow';
  readonly userId: string;
  /** A cast's hash, or a FID. */
  readonly targetId: string;
  readonly at: number;
}

/** Who did what to what: `targetId` is a cast's hash for a reaction, and a FID for a follow. */
export interface ActOf {
  readonly kind: ReactionKind | 'follow';
  readonly userId: string;
  readonly targetId: string;
}

/** The reactions and follows of a network, in memory. */
export interface Acts {
  /** @returns null when it stands already */
  add(act: ActOf & { readonly at: number }): ActChange | null;
  /** @returns null when it does not stand */
  undo(act: ActOf & { readonly at: number }): ActChange | null;
  has(act: ActOf): boolean;
  count(kind: ActOf['kind'], targetId: string): number;
  /** In the order in which they came. */
  list(kind: ActOf['kind'], targetId: string): StandingAct[];
  /** Undoes whatever an account did, and what was done to it. */
  removeUser(userId: string): void;
}

/** An empty store. An account has at most one act of a kind towards a target. */
export function createActs(): Acts {
  const targets = new Map<string, Map<string, StandingAct>>();
  const keyOf = (kind: ActOf['kind'], targetId: string) => `${kind} ${targetId}`;
  const standing = ({ kind, targetId }: Pick<ActOf, 'kind' | 'targetId'>) => targets.get(keyOf(kind, targetId));
  const change = (done: 'created' | 'deleted', { kind, userId, targetId, at }: ActOf & { at: number }): ActChange => ({
    type: `${kind === 'follow' ? 'follow' : 'reaction'}.${done}`,
    kind,
    userId,
    targetId,
    at,
  });

  return {
    add: (act) => {
      const all = standing(act) ?? new Map<string, StandingAct>();
      if (all.has(act.userId)) return null;
      all.set(act.userId, { userId: act.userId, at: act.at });
      targets.set(keyOf(act.kind, act.targetId), all);
      return change('created', act);
    },
    undo: (act) => (standing(act)?.delete(act.userId) === true ? change('deleted', act) : null),
    has: (act) => standing(act)?.has(act.userId) ?? false,
    count: (kind, targetId) => standing({ kind, targetId })?.size ?? 0,
    list: (kind, targetId) => [...(standing({ kind, targetId })?.values() ?? [])],
    removeUser: (userId) => {
      for (const all of targets.values()) all.delete(userId);
      targets.delete(keyOf('follow', userId));
    },
  };
}
