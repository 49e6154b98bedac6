import type { Address } from '../../domain/token.ts';
import type { Sender } from '../../store/port/index.ts';
import { advanceWallet } from './advance-wallet.ts';
import type { PaymentDeps } from './broadcast.ts';
import { createPollBackoff } from './poll-backoff.ts';

/** How many gigs' wallets are active at once. */
const MAX_ACTIVE = 64;

/** Makes the payments of one chain. */
export interface PaymentWorker {
  /**
   * Starts every wallet that has something to pay, is due and is not active, as far as there is capacity.
   * @returns milliseconds until the next one is due
   */
  poll(): Promise<number>;
  /** Starts no more wallets and resolves when the steps under way are done. */
  stop(): Promise<void>;
}

/**
 * Makes the planned payments of one chain: each wallet advances on its own while its state changes. The gas tank
 * counts against no limit, because other wallets wait for its gas.
 * @param options.wake called when a wallet becomes inactive, because `poll` may then start another one
 */
export function createPaymentWorker(
  deps: PaymentDeps,
  options: { readonly chainId: number; readonly wake: () => void },
): PaymentWorker {
  const { chainId, wake } = options;
  const backoff = createPollBackoff(deps);
  const tank = deps.wallets.gasTankAddress();
  const active = new Map<Address, Promise<void>>();
  let stopping = false;

  function hasCapacity({ sender }: Sender): boolean {
    const gigs = active.has(tank) ? active.size - 1 : active.size;
    return !stopping && (sender === tank || gigs < MAX_ACTIVE);
  }

  async function drain(wallet: Sender): Promise<void> {
    let moves = true;
    while (moves && !stopping) {
      const progress = await advanceWallet(deps, wallet);
      backoff.record(wallet, progress);
      moves = progress === 'moved';
    }
    active.delete(wallet.sender);
    wake();
  }

  return {
    async poll() {
      const busy = await deps.store.busySenders();
      const now = deps.clock();
      let soonest = Number.POSITIVE_INFINITY;
      for (const wallet of busy) {
        if (wallet.chainId !== chainId || active.has(wallet.sender)) continue;
        const due = backoff.nextPollAt(wallet);
        if (due > now) soonest = Math.min(soonest, due - now);
        else if (hasCapacity(wallet)) active.set(wallet.sender, drain(wallet));
      }
      return soonest;
    },
    async stop() {
      stopping = true;
      await Promise.all(active.values());
    },
  };
}
