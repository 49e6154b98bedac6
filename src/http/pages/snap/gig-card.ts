import type { Platform } from '../../../domain/account.ts';
import { gigName } from '../../../domain/earning/words/gig-name.ts';
import { describeRule, howToEarn, lengthFromStart } from '../../../domain/earning/words/sentence.ts';
import { type Gig, gigPhase } from '../../../domain/gigs/gig.ts';
import { type RefundStatus, withoutReplaced } from '../../../domain/gigs/gig-end.ts';
import { GIG_TYPE_TRAITS, isAboutAPost } from '../../../domain/gigs/gig-type.ts';
import { FARCASTER, platformFacts } from '../../../domain/platforms/platforms.ts';
import { dayText, minuteText } from '../../../domain/time.ts';
import type { ShownEarnings } from '../../../services/gigs/show/show-earnings.ts';
import { amountText } from '../../ui/amounts.ts';
import { counted } from '../../ui/badges.ts';
import type { Site } from '../../ui/layout.ts';
import {
  type Card,
  type CardPart,
  caption,
  castButton,
  column,
  heading,
  pageButton,
  paragraph,
  progress,
  row,
  shareButton,
  tapButton,
} from './snap.ts';

/** How many accounts are named. */
export const WINNERS_SHOWN = 3;

interface NamedAccount {
  readonly platform: Platform;
  readonly platformUserId: string | null;
  readonly username: string | null;
}

export interface GigCardView {
  readonly gig: Gig;
  /** Epoch milliseconds. */
  readonly now: number;
  readonly frozen: boolean;
  readonly refund: RefundStatus;
  /** What is earned by the gig's rules, with the first {@link WINNERS_SHOWN} accounts; null when it is manual. */
  readonly earning: ShownEarnings | null;
  /** The accounts with the newest tips of a manual gig, each once. */
  readonly tipped: readonly NamedAccount[];
  /** Whether these are all. */
  readonly areAllTipped: boolean;
  /** The bot's name on Farcaster; null where it has none. */
  readonly bot: string | null;
}

/** The paths of taps, below the root. */
export const TAP_PATHS = { look: '/tap', gigs: '/tap/gigs', claim: '/tap/claim', claims: '/tap/claims' } as const;

function windowText({ gig, now }: GigCardView): string {
  const { startTime, endTime, cancelledAt } = gig;
  switch (gigPhase(gig, now)) {
    case 'created':
      return `Not started: it waits for its reward. Planned: ${lengthFromStart(gig, now) ?? `from ${minuteText(startTime)}`}.`;
    case 'cancelled':
      return `Cancelled on ${dayText(cancelledAt ?? now)}.`;
    case 'scheduled':
      return `Starts on ${minuteText(startTime)} and ends on ${minuteText(endTime)}.`;
    case 'live':
      return `Ends on ${minuteText(endTime)}.`;
    case 'ended':
      return `Ended on ${minuteText(Math.min(gig.stoppedAt ?? endTime, endTime))}.`;
  }
}

function earnedText({ gig, earning, tipped, areAllTipped }: GigCardView): string | null {
  if (gig.status === 'created') return null;
  if (earning !== null) return `${counted(earning.overview.counts.awarded, 'account')} earned.`;
  return `${areAllTipped ? '' : 'At least '}${counted(tipped.length, 'account')} earned.`;
}

function heldText({ earning, gig, now }: GigCardView): string | null {
  const held = earning?.overview.counts.held ?? 0;
  if (earning === null || held === 0 || gigPhase(gig, now) === 'created') return null;
  const { nextDueAt } = earning;
  const next =
    nextDueAt === null || nextDueAt <= now ? 'Decisions are due now.' : `Decisions from ${minuteText(nextDueAt)} on.`;
  return `${counted(held, 'account')} on hold. ${next}`;
}

/** The name of an account, with its platform where that is not the gig's: handles repeat. */
function named({ platform, platformUserId, username }: NamedAccount, gig: Gig): string {
  const { idLabels, label } = platformFacts(platform);
  const name = username === null ? `${idLabels[1]} ${platformUserId}` : `@${username}`;
  return platform === gig.platform ? name : `${name} on ${label}`;
}

/** Who has earned most, or last where all get the same. */
function wonText(view: GigCardView): string | null {
  const { gig, earning, tipped, now } = view;
  if (gigPhase(gig, now) !== 'ended') return null;
  const top = earning?.leaders.accounts.slice(0, WINNERS_SHOWN) ?? [];
  const names =
    top.length > 0
      ? top.map((each) => `${named(each, gig)} (${amountText(each.amount, gig.token)})`)
      : (earning?.awarded ?? tipped).slice(0, WINNERS_SHOWN).map((each) => named(each, gig));
  if (names.length === 0)
    return earning !== null && !earning.overview.isDecided ? 'The winners are not decided yet.' : 'Nobody earned.';
  const count = earning?.overview.counts.awarded ?? tipped.length;
  return `Earned by ${names.join(', ')}${count > names.length ? ' and others' : ''}.`;
}

/** What has returned of a gig's money, or when it does; null while the gig may still pay. */
function moneyText({ gig, now, refund }: GigCardView): string | null {
  const phase = gigPhase(gig, now);
  if (phase !== 'ended' && phase !== 'cancelled') return null;
  const back = withoutReplaced(refund.payments).filter(({ state }) => state === 'confirmed');
  if (back.length > 0) {
    const sums = back.map(({ amount, token, updatedAt }) => `${amountText(amount, token)} on ${dayText(updatedAt)}`);
    return `Returned to the organizer: ${sums.join(', ')}.`;
  }
  if (gig.refundedAt !== null)
    return refund.payments.length === 0 ? 'The whole reward was awarded.' : 'The rest is on its way back.';
  if (refund.recipient === null) return 'What is left stays in the wallet until the operator sets an address.';
  if (phase === 'cancelled') return 'Its money returns to the organizer.';
  if (refund.dueAt === null) return 'What is left returns after the gig is settled.';
  const checked = refund.wait === null ? 'soon' : 'when the operator has checked the gig';
  const due = refund.dueAt > now ? `after ${minuteText(refund.dueAt)}` : checked;
  return `${amountText(refund.left, gig.token)} return ${due}.`;
}

function castOf({ gig, now, earning }: GigCardView): string | null {
  const target = earning?.overview.target ?? null;
  const shows = target?.kind === 'post' && isAboutAPost(gig.gigType) && gig.platform === FARCASTER.id;
  return shows && gigPhase(gig, now) === 'live' ? target.postId : null;
}

/** Begins the cast by which an account enters, where that is open. The cast enters it: a signed tap only reads and claims. */
function joinButton({ gig, now, frozen, earning, bot }: GigCardView, url: string): CardPart[] {
  const isEntered = earning !== null && GIG_TYPE_TRAITS[gig.gigType].command === 'join';
  if (!isEntered || bot === null || frozen || gigPhase(gig, now) !== 'live') return [];
  return [shareButton('Join', { text: `@${bot} join ${gig.id}`, url })];
}

function tapsOf(view: GigCardView, publicUrl: string): CardPart[] {
  const { gig } = view;
  // A tap is of an account on Farcaster.
  if (gig.platform !== FARCASTER.id || gig.cancelledAt !== null) return [];
  return row([
    ...joinButton(view, `${publicUrl}/gigs/${gig.id}`),
    tapButton('What have I earned?', `${publicUrl}${TAP_PATHS.gigs}/${gig.id}`),
    tapButton('Claim', `${publicUrl}${TAP_PATHS.claim}`, { isPrimary: true }),
  ]);
}

const oneLine = (text: string) => text.replace(/\s+/gu, ' ').trim();

/** Lines as sentences behind each other. */
const sentences = (text: string) =>
  text
    .split('\n')
    .map((line) => oneLine(line).replace(/(?<=[\p{L}\p{N}])$/u, '.'))
    .join(' ');

/** What people do, without what the heading says: a gig without a title is named by its task. */
function unsaid(how: string, { title }: Gig, name: string): string {
  const [task, said] = [oneLine(how), oneLine(name).replace(/[.:,;]$/u, '')];
  const rest = task.startsWith(said) ? task.slice(said.length).replace(/^[.:,;]/u, '') : null;
  if (rest === '') return '';
  return title === null && rest?.startsWith(' ') ? rest.trim() : sentences(how);
}

/** What people do, then who gets what; empty where the card's heading says all of it. */
function taskText({ gig, earning }: GigCardView, name: string): string {
  const target = earning?.overview.target ?? null;
  const who = earning === null ? '' : describeRule(earning.overview.rules, { ...gig, target });
  return `${unsaid(howToEarn(gig, target), gig, name)} ${who}`.trim();
}

/** The card of a gig, the same for everybody. */
export function gigCard(view: GigCardView, { publicUrl }: Site): Card {
  const { gig, earning, frozen } = view;
  const { id, token, rewardAmount, awardedAmount } = gig;
  const name = gigName(gig, earning?.overview.target ?? null);
  const task = taskText(view, name);
  const url = `${publicUrl}/gigs/${id}`;
  const cast = castOf(view);
  const frozenText = frozen ? 'The operator has frozen the payments of this gig for now. Nothing is lost.' : null;
  const notices = [frozenText, heldText(view), wonText(view), moneyText(view)].filter((text) => text !== null);
  const label = `${amountText(awardedAmount, token)} of ${amountText(rewardAmount, token)} awarded`;
  return {
    parts: [
      heading(`${name} · gig ${id}`),
      ...(task === '' ? [] : [paragraph(task)]),
      progress({ part: awardedAmount, whole: rewardAmount, label }),
      caption([windowText(view), earnedText(view)].filter((text) => text !== null).join(' ')),
      ...column(notices.map(caption)),
      ...tapsOf(view, publicUrl),
      ...row([
        pageButton('Open the gig', url),
        shareButton('Share', { text: name, url }),
        ...(cast === null ? [] : [castButton('View the cast', cast)]),
      ]),
    ],
  };
}
