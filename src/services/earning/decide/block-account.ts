import { type AccountKey, accountKeyText } from '../../../domain/account.ts';
import { invalidRequest } from '../../../domain/errors.ts';
import type { Actor } from '../../../domain/operators/actor.ts';
import { platformFacts } from '../../../domain/platforms/platforms.ts';
import type { BlockedAccount } from '../../../store/port/index.ts';
import type { ReadContext, ServiceContext } from '../../context.ts';
import { readReason } from '../../gigs/freezes.ts';
import { recordEvent } from '../../operators/audit-events.ts';

/** @throws DomainError `invalid_request` when nothing is watched on the platform, or the id cannot be one of it */
function requireWatchable({ platform, platformUserId }: AccountKey): void {
  const { isId, idNoun, label, mayBeWatched } = platformFacts(platform);
  if (!mayBeWatched) {
    throw invalidRequest(
      `Nothing is watched on ${label}: a block would change nothing. Tips there are awarded only by request.`,
    );
  }
  if (!isId(platformUserId)) throw invalidRequest(`The account must be named by ${idNoun}.`);
}

/**
 * Lets an account earn nothing from any watched gig. Earlier acceptances and awards stay.
 * @throws DomainError `invalid_request` when it is blocked already, its id or the reason is none, or nothing is watched there
 */
export async function blockByHand(
  { store, clock }: ServiceContext,
  { account, reason, actor }: { account: AccountKey; reason: string; actor: Actor },
): Promise<void> {
  requireWatchable(account);
  const said = readReason(reason);
  const subjectId = accountKeyText(account);
  await store.transaction(async (tx) => {
    const now = clock();
    if (!(await tx.blockAccount(account, { reason: said, now })))
      throw invalidRequest(`${subjectId} is blocked already.`);
    const subject = { subject: 'account', subjectId, gigId: null } as const;
    await recordEvent(tx, { actor, now }, { ...subject, action: 'account.block', detail: { reason: said } });
  });
}

/**
 * Lets an account earn again; what was refused stays refused.
 * @throws DomainError `invalid_request` when it is not blocked
 */
export async function unblockByHand(
  { store, clock }: ServiceContext,
  { account, actor }: { account: AccountKey; actor: Actor },
): Promise<void> {
  const subjectId = accountKeyText(account);
  await store.transaction(async (tx) => {
    if (!(await tx.unblockAccount(account))) throw invalidRequest(`${subjectId} is not blocked.`);
    const subject = { subject: 'account', subjectId, gigId: null } as const;
    await recordEvent(tx, { actor, now: clock() }, { ...subject, action: 'account.unblock', detail: {} });
  });
}

/** A page of blocked accounts, newest block first; `next` is the `before` of the next page, or null on the last one. */
export async function pageOfBlocked(
  { store }: ReadContext,
  { limit, before }: { limit: number; before?: number | undefined },
): Promise<{ blocked: BlockedAccount[]; next: number | null }> {
  const found = await store.blockedAccounts({ limit: limit + 1, before });
  const blocked = found.slice(0, limit);
  return { blocked, next: found.length > limit ? (blocked.at(-1)?.id ?? null) : null };
}
