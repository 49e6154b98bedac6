import { type AccountKey, accountKeyText } from '../../domain/account.ts';
import type { StoreTx } from '../../store/port/index.ts';
import { recordEvent } from '../operators/audit-events.ts';

/** Stops the bot's replies to an account, or allows them again. */
export async function setOptedOut(
  tx: StoreTx,
  request: {
    account: AccountKey;
    /** The mention that asked for it. */
    requestId: string | null;
    optedOut: boolean;
    /** Epoch milliseconds. */
    now: number;
  },
): Promise<void> {
  const { account, requestId, optedOut, now } = request;
  await tx.setOptedOut(account, optedOut, now);
  const { platform, platformUserId } = account;
  const actor = { kind: 'account', platform, platformUserId, requestId } as const;
  const subject = { subject: 'account', subjectId: accountKeyText(account), gigId: null, detail: {} } as const;
  await recordEvent(tx, { actor, now }, { ...subject, action: optedOut ? 'account.stop' : 'account.unstop' });
}
