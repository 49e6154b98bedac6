import type { Address } from '../../domain/token.ts';
import type { Sender } from '../../store/port/index.ts';
import { advanceWallet } from './advance-wallet.ts';
import type { PaymentDeps } from './broadcast.ts';
import { createPollBackoff } from './poll-backoff.ts';

/** How many gigs' wallets are worked on at once. */
const MAX_IN_HAND = 64;

/** The payments of one chain on their way. */
export interface PaymentWorker {
  /**
   * Takes every wallet in hand that has something to pay, is due and is not in hand yet.
   * @returns after how many milliseconds the next one is due
   */
  poll(): Promise<number>;
  /** Takes no more wallets in hand and resolves when the steps under way are done. */
  stop(): Promise<void>;
}

/**
 * Pays what was planned on one chain. Each wallet goes on by itself for as long as something changes, so that none waits
 * for another, and is never worked on twice at once. The gas tank always finds a hand: others wait for its gas.
 * `wake` is called when a wallet is let go, because `look` may then find another one, or be due sooner.
 */
export function createPaymentWorker(
  deps: PaymentDeps,
  { chainId, wake }: { readonly chainId: number; readonly wake: () => void },
): PaymentWorker {
  const pace = createPollBackoff(deps);
  const tank = deps.wallets.gasTankAddress();
  const inHand = new Map<Address, Promise<void>>();
  let stopping = false;

  function hasHandFor({ sender }: Sender): boolean {
    const gigs = inHand.has(tank) ? inHand.size - 1 : inHand.size;
    return !stopping && (sender === tank || gigs < MAX_IN_HAND);
  }

  async function bringOn(wallet: Sender): Promise<void> {
    let moves = true;
    while (moves && !stopping) {
      const progress = await advanceWallet(deps, wallet);
      pace.record(wallet, progress);
      moves = progress === 'moved';
    }
    inHand.delete(wallet.sender);
    wake();
  }

  return {
    async poll() {
      const busy = await deps.store.busySenders();
      const now = deps.clock();
      let soonest = Number.POSITIVE_INFINITY;
      for (const wallet of busy) {
        if (wallet.chainId !== chainId || inHand.has(wallet.sender)) continue;
        const due = pace.nextPollAt(wallet);
        if (due > now) soonest = Math.min(soonest, due - now);
        else if (hasHandFor(wallet)) inHand.set(wallet.sender, bringOn(wallet));
      }
      return soonest;
    },
    async stop() {
      stopping = true;
      await Promise.all(inHand.values());
    },
  };
}
