import { type AccountKey, accountKeyText } from '../../domain/account.ts';
import type { Store, StoreTx } from '../../store/port.ts';
import { recordEvent } from '../operators/audit-events.ts';

/** Stops the bot's replies to an account, or allows them again; `alongside` writes in the same transaction. */
export async function setOptedOut(
  { store, clock }: { store: Pick<Store, 'transaction'>; clock: () => number },
  request: {
    account: AccountKey;
    /** The post that asked for it. */
    requestId: string | null;
    optedOut: boolean;
    alongside: (tx: StoreTx) => Promise<void>;
  },
): Promise<void> {
  await store.transaction(async (tx) => {
    const { account, requestId, optedOut } = request;
    const now = clock();
    await tx.setOptedOut(account, optedOut, now);
    const { platform, platformUserId } = account;
    const actor = { kind: 'account', platform, platformUserId, requestId } as const;
    const subject = { subject: 'account', subjectId: accountKeyText(account), gigId: null, detail: {} } as const;
    await recordEvent(tx, { actor, now }, { ...subject, action: optedOut ? 'account.stop' : 'account.unstop' });
    await request.alongside(tx);
  });
}
