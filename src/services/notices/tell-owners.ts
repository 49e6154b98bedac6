import {
  type GigEvent,
  type GigFacts,
  isOver,
  type NextNotice,
  nextNotice,
  type Telling,
} from '../../domain/gigs/notice.ts';
import type { SocialPlatform } from '../../domain/mentions/mention.ts';
import { NOTICE_WORTH } from '../../domain/mentions/reply-worth.ts';
import type { StoreTx } from '../../store/port/index.ts';
import type { NoticeContext } from './context.ts';
import { findFunded, fundedNext } from './find-funded.ts';

/** How often chains are asked whether gigs are funded, in milliseconds. */
const FUNDING_LOOK_MS = 60_000;

type FindNext = (telling: Telling, facts: GigFacts) => NextNotice | null;

async function takesNotices(tx: StoreTx, { gigId, owner }: Telling): Promise<boolean> {
  return (await tx.ownsGig(gigId, owner)) && !(await tx.hasOptedOut(owner));
}

/** One transaction records the event as told and queues its notice. */
async function tellNext(
  { noticeWords, clock }: NoticeContext,
  tx: StoreTx,
  { read, platform, findNext }: { read: Telling; platform: SocialPlatform; findNext: FindNext },
): Promise<GigEvent | 'passed' | null> {
  const { gigId, owner } = read;
  const telling = await tx.telling(gigId, owner);
  const facts = await tx.gigFacts(gigId);
  if (telling?.state !== 'open' || facts === null) return null;
  const next = findNext(telling, facts);
  if (next === null || !(await tx.markTold(telling, { from: telling.told, told: next.told }))) return null;
  const { event } = next;
  if (event === null || !(await takesNotices(tx, telling))) return 'passed';
  const { mentionId } = telling;
  const [mention, gig] = [await tx.mention(mentionId), await tx.gig(gigId)];
  if (mention === null || gig === null) throw new TypeError(`gig ${gigId} has no mention to send updates under`);
  const refunds = (await tx.otherPaymentsOfGig(gigId)).filter(
    ({ kind, state }) => kind === 'refund' && state === 'confirmed',
  );
  const text = noticeWords({ event, gig, refund: refunds[0] ?? null }, mention, platform);
  await tx.queueReply({ mentionId, kind: 'notice', text, worth: NOTICE_WORTH, notice: { gigId, event } }, clock());
  return event;
}

async function tell(deps: NoticeContext, read: Telling, findNext: FindNext): Promise<GigEvent | 'passed' | null> {
  const platform = deps.platforms.get(read.owner.platform);
  // While its platform is off an owner waits, and is then told what still matters.
  if (platform === undefined) return null;
  const told = await deps.store.transaction((tx) => tellNext(deps, tx, { read, platform, findNext }));
  if (told === null || told === 'passed') return told;
  deps.log.info({ gigId: read.gigId, event: told, platform: platform.platform }, 'owner notified');
  deps.wake(platform.platform);
  return told;
}

async function tellByLedger(deps: NoticeContext, telling: Telling): Promise<void> {
  const now = deps.clock();
  const facts = await deps.store.gigFacts(telling.gigId);
  if (facts === null) return;
  if (isOver(telling.told, facts, now)) {
    await deps.store.transaction((tx) => tx.endTelling(telling), { narrow: true });
  } else if (nextNotice(telling.told, facts, now) !== null) {
    while ((await tell(deps, telling, ({ told }, newest) => nextNotice(told, newest, now))) !== null);
  }
}

/**
 * The look for notices that are due. Each run records what has happened by the ledger, and once a minute which gigs
 * are funded by now. An event is recorded as told in the transaction that queues its notice, so that each owner gets it
 * once.
 */
export function createOwnerTeller(deps: NoticeContext): () => Promise<void> {
  let lookedAt: number | null = null;

  async function tellFunded(tellings: readonly Telling[]): Promise<void> {
    const now = deps.clock();
    // A clock that was set back must not put the next look off.
    if (lookedAt !== null && now >= lookedAt && now < lookedAt + FUNDING_LOOK_MS) return;
    lookedAt = now;
    const funded = await findFunded(deps, tellings, now);
    for (const telling of funded) await tell(deps, telling, (newest, facts) => fundedNext(newest, facts, now));
  }

  return async () => {
    const tellings = await deps.store.openTellings();
    for (const telling of tellings) await tellByLedger(deps, telling);
    await tellFunded(tellings);
  };
}
