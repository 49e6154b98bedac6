/** Times in epoch milliseconds. */
interface WaitingPlace {
  readonly rankedAt: number;
  readonly dueAt: number;
}

/** A text of a held account, and where that account waits. */
export interface HeldText extends WaitingPlace {
  readonly platformUserId: string;
  readonly textHash: string;
  /** The act with the text. */
  readonly observationId: number;
  /** The act by which the account is held. */
  readonly heldFor: number;
}

/** An act with a text that passes every gate, and when its account was due. */
export interface PassingAct extends WaitingPlace {
  readonly id: number;
  readonly platformUserId: string;
  readonly textHash: string;
}

const latest = (one: number, other: number) => Math.max(one, other);

/**
 * Where an account waits behind others that used its text in acts that were seen before: its claim of time may be false.
 * Null when there are none. An account that is held for an act seen later has failed by those before, and as who waits is
 * held for the act that passed, no two wait for each other.
 */
export function waitForFirstUse(act: PassingAct, held: readonly HeldText[]): WaitingPlace | null {
  const isBefore = ({ textHash, platformUserId, observationId, heldFor }: HeldText) =>
    textHash === act.textHash && platformUserId !== act.platformUserId && observationId < act.id && heldFor < act.id;
  const before = held.filter(isBefore);
  if (before.length === 0) return null;
  return {
    rankedAt: before.map(({ rankedAt }) => rankedAt).reduce(latest, act.rankedAt),
    dueAt: before.map(({ dueAt }) => dueAt).reduce(latest, act.dueAt),
  };
}
