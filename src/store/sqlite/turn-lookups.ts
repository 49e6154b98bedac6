import { setImmediate } from 'node:timers';
import type { Store, StoreReads } from '../port/index.ts';
import type { ChangedAccounts } from './changed-accounts.ts';

/**
 * Look-ups wait for the end of their event-loop turn and are made in one snapshot. One that another read has opened before may
 * be older than they are, so they wait for its end.
 * @param options.ended settles when no snapshot is open
 * @param options.enter joins the snapshot, or opens one
 */
export function createTurnLookups(options: {
  ended: () => Promise<void>;
  enter: () => void;
  changed: Pick<ChangedAccounts, 'asOf' | 'isSame'>;
  pendingTips: StoreReads['pendingTips'];
}): Store['pendingTipsSince'] {
  const { ended, enter, changed, pendingTips } = options;
  let turn: Promise<void> | null = null;

  function endOfTurn(): Promise<void> {
    turn ??= new Promise((resolve) => {
      setImmediate(() => {
        turn = null;
        resolve();
      });
    });
    return turn;
  }

  return async (identifiers, since) => {
    await endOfTurn();
    await ended();
    enter();
    const asOf = changed.asOf();
    const isSame = since !== null && identifiers.every((name) => changed.isSame(name, since));
    return { asOf, found: isSame ? null : await pendingTips(identifiers) };
  };
}
