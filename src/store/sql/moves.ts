import { StoreMoved } from '../../domain/errors.ts';
import type { MOVE_STATES } from './operators/service-tables.ts';

export type MoveState = (typeof MOVE_STATES)[number];

/** Why a store must not be opened: it is one side of a copy. */
export interface Move {
  readonly state: MoveState;
  /** Which copy it is, on both sides. */
  readonly move: string;
  /** How the other side is called: without user and password. */
  readonly other: string;
}

/** Reads the {@link Move}; there is one at most. */
export const READ_MOVE = 'select state, move, other from store_moves';

/** What refuses every write to a store that must not be opened, also by a process that opened it before. */
export const FENCE_REFUSES = 'the database was moved to another one, or is a copy that is not finished';

const REASONS: Readonly<Record<MoveState, string>> = {
  moved: 'it was moved to #; set DATABASE_URL to that, because two ledgers pay twice',
  arrived:
    'it is a copy of # that is not finished; run store copy again where DATABASE_URL names that, or remove this one',
  // An older version marked both sides before it copied.
  moving: 'a copy of it to # broke off; run store copy --abandon to use this database as before',
  arriving: 'a copy of # to it broke off; remove this one, and run store copy --abandon where DATABASE_URL names that',
};

/** @throws StoreMoved naming the database when it is a side of a copy, with what to do */
export function refuseMove(move: Move | undefined, database: string): void {
  if (move !== undefined)
    throw new StoreMoved(`database ${database}: ${REASONS[move.state].replace('#', () => move.other)}`);
}

/** The refusal of a write by the fence; null for any other error. */
export function explainFence(error: Error, database: string): StoreMoved | null {
  return error.message === FENCE_REFUSES
    ? new StoreMoved(`database ${database}: ${FENCE_REFUSES}`, { cause: error })
    : null;
}
