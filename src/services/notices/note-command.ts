import type { AccountKey } from '../../domain/account.ts';
import { eventsSoFar, orderEvents, type Telling } from '../../domain/gigs/notice.ts';
import { platformFacts } from '../../domain/platforms/platforms.ts';
import type { StoreTx } from '../../store/port/index.ts';

/** A command about a gig, as far as it decides the notices that its author gets about the gig. */
export interface NotedCommand {
  readonly gigId: number;
  readonly author: AccountKey;
  readonly mentionId: number;
  /** Whether the command has just changed the gig, so that its answer tells what has become of it. */
  readonly isOwnDoing: boolean;
  /** Epoch milliseconds. */
  readonly now: number;
}

/** Some platforms grant notices unasked, from the first command that changes the gig. */
function tellingBefore(stored: Telling | null, { gigId, author: owner, mentionId, isOwnDoing }: NotedCommand) {
  if (stored !== null) return stored.state === 'open' ? stored : null;
  const isGranted = isOwnDoing && platformFacts(owner.platform).tellsOwners;
  return isGranted ? ({ gigId, owner, mentionId, asked: false, state: 'open', told: [] } as const) : null;
}

/**
 * Notes a command in the transaction of its effect: notices that its author has asked for move under it, and what the
 * author has done counts as told. On a platform that tells owners the command that starts a gig opens its notices.
 */
export async function noteCommand(tx: StoreTx, command: NotedCommand): Promise<void> {
  const { gigId, author, mentionId, isOwnDoing, now } = command;
  const before = tellingBefore(await tx.telling(gigId, author), command);
  const facts = await tx.gigFacts(gigId);
  if (before === null || facts === null) return;
  const done = isOwnDoing ? eventsSoFar(facts, now) : [];
  await tx.storeTelling({
    ...before,
    mentionId: before.asked ? mentionId : before.mentionId,
    told: orderEvents([...before.told, ...done]),
  });
}
