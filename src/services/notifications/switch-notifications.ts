import { type AccountKey, accountKeyText } from '../../domain/account.ts';
import { invalidRequest } from '../../domain/errors.ts';
import type { StoreTx } from '../../store/port/index.ts';
import type { ServiceContext } from '../context.ts';
import { accountsOf } from '../gigs/owner-accounts.ts';
import { type Deed, recordEvent } from '../operators/audit-events.ts';
import { ownerActor, type SignedIn } from '../owners/sessions.ts';

/** Turns notifications to an account off or on, in a transaction; what waits to be sent is dropped when its turn comes. */
export async function switchNotifications(
  tx: StoreTx,
  deed: Deed,
  { account, off }: { readonly account: AccountKey; readonly off: boolean },
): Promise<void> {
  const { platform, platformUserId } = account;
  if (!(await tx.setNotificationsOff({ platform, platformUserId }, off, deed.now))) return;
  const subject = { subject: 'account', subjectId: accountKeyText(account), gigId: null, detail: {} } as const;
  await recordEvent(tx, deed, { ...subject, action: off ? 'notifications.off' : 'notifications.on' });
}

/**
 * The same by a person who signed in, for an account of its own.
 * @throws DomainError `invalid_request` for another account
 */
export async function switchByPage(
  { store, clock }: ServiceContext,
  request: {
    readonly signedIn: SignedIn;
    readonly account: AccountKey;
    readonly off: boolean;
    readonly requestId: string | null;
  },
): Promise<void> {
  const { signedIn, account, off, requestId } = request;
  const isAsked = (own: AccountKey) => accountKeyText(own) === accountKeyText(account);
  await store.transaction(async (tx) => {
    const now = clock();
    const own = await accountsOf(tx, signedIn.owner, now);
    if (!own.some(isAsked)) throw invalidRequest('account must be your own, or linked to the wallet that signed in');
    await switchNotifications(tx, { actor: ownerActor(signedIn, requestId), now }, { account, off });
  });
}
