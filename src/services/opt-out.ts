import type { AccountKey } from '../domain/account.ts';
import type { Store, StoreTx } from '../store/port.ts';

/** Stops the bot's replies to an account, or allows them again; `alongside` writes in the same transaction. */
export async function setOptedOut(
  { store, clock }: { store: Pick<Store, 'transaction'>; clock: () => number },
  request: { account: AccountKey; optedOut: boolean; alongside: (tx: StoreTx) => Promise<void> },
): Promise<void> {
  await store.transaction(async (tx) => {
    await tx.setOptedOut(request.account, request.optedOut, clock());
    await request.alongside(tx);
  });
}
