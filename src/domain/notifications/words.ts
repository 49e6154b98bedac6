import { briefAmount } from '../amount.ts';
import { countOf } from '../count.ts';
import type { TokenAmount } from '../gigs/gig-end.ts';
import { capitalized } from '../gigs/gig-type.ts';
import { type Address, checksummed } from '../gigs/token.ts';
import { safeSymbol } from '../mentions/reply-text.ts';
import { plain } from '../plain-text.ts';
import { minuteText } from '../time.ts';
import { BODY_LIMIT, type NotificationText, TITLE_LIMIT } from './notification.ts';

/** A gig as notifications name it. */
export interface ToldGig {
  readonly id: number;
  readonly title: string | null;
}

/** Cut to a number of UTF-16 units, between two characters. */
function cut(text: string, limit: number): string {
  const line = plain(text);
  if (line.length <= limit) return line;
  let kept = '';
  for (const character of line) {
    if (kept.length + character.length >= limit) break;
    kept += character;
  }
  return `${kept.trimEnd()}…`;
}

/** The first of the titles that fits, and the body with what fits. */
function textOf(titles: readonly [string, ...string[]], body: string): NotificationText {
  const title = titles.find((each) => plain(each).length <= TITLE_LIMIT) ?? titles[0];
  return { title: cut(title, TITLE_LIMIT), body: cut(body, BODY_LIMIT) };
}

function amountText({ amount, token }: TokenAmount): string {
  return `${briefAmount(amount, token.decimals)} ${safeSymbol(token)}`;
}

function named({ id, title }: ToldGig): string {
  return title === null ? `gig ${id}` : `gig ${id}: ${title}`;
}

/** That tips were awarded. */
export function tipsText(
  gig: ToldGig,
  { earned, count, isRaffle }: { earned: TokenAmount; count: number; isRaffle: boolean },
): NotificationText {
  const verb = isRaffle ? 'won' : 'earned';
  const short = `You ${verb} ${count === 1 ? 'a tip' : 'tips'}`;
  return textOf(
    [`You ${verb} ${amountText(earned)}`, short],
    `${amountText(earned)} from ${named(gig)}. Open to claim.`,
  );
}

/** That what an account claimed is paid. */
export function paidText(paid: readonly TokenAmount[], recipient: Address): NotificationText {
  const address = checksummed(recipient);
  const all = paid.map(amountText).join(', ');
  return textOf([`Paid: ${all}`, 'Your tips are paid'], `${address.slice(0, 6)}…${address.slice(-4)} received ${all}.`);
}

/** That it could not be paid. @param why as a clause */
export function notPaidText(unpaid: readonly TokenAmount[], why: string): NotificationText {
  return textOf(['Your claim was not paid'], `${unpaid.map(amountText).join(', ')}: ${why}. You can claim again.`);
}

/** That an account earns nothing from a gig. @param why as a clause */
export function refusedText(gig: ToldGig, why: string): NotificationText {
  return textOf([`Gig ${gig.id}: not eligible`], `${capitalized(why)}.`);
}

/** That the draw of a raffle chose others. */
export function notDrawnText(gig: ToldGig): NotificationText {
  return textOf(
    [`Gig ${gig.id}: you weren’t drawn`],
    `The draw of ${named(gig)} chose other accounts. Open to check it.`,
  );
}

/** That a gig can be started. */
export function fundedText(gig: ToldGig, held: TokenAmount): NotificationText {
  return textOf([`Gig ${gig.id} is funded`], `Its wallet holds exactly ${amountText(held)}. You can start it now.`);
}

/** That a funded gig could not start by itself. */
export function notStartedText(gig: ToldGig, held: TokenAmount): NotificationText {
  return textOf([`Gig ${gig.id} needs you`], `Its wallet holds ${amountText(held)}, but it could not start. See why.`);
}

/** That a gig was started. `begins`, when it is still to come, and `ends` are epoch milliseconds. */
export function liveText(gig: ToldGig, { begins, ends }: { begins: number | null; ends: number }): NotificationText {
  if (begins !== null)
    return textOf([`Gig ${gig.id} is started`], `${capitalized(named(gig))}. It begins on ${minuteText(begins)}.`);
  return textOf([`Gig ${gig.id} is live`], `${capitalized(named(gig))}. It ends on ${minuteText(ends)}.`);
}

/** That a gig has ended. `awardUntil`, epoch milliseconds, is for one whose owners can still award tips. */
export function endedText(
  gig: ToldGig,
  { awarded, reward, awardUntil }: { awarded: bigint; reward: TokenAmount; awardUntil: number | null },
): NotificationText {
  const sum = `${briefAmount(awarded, reward.token.decimals)} of ${amountText(reward)} awarded.`;
  if (awardUntil === null) return textOf([`Gig ${gig.id} ended`], `${capitalized(named(gig))}. ${sum}`);
  return textOf([`Gig ${gig.id} ended and needs you`], `${sum} You can award tips until ${minuteText(awardUntil)}.`);
}

/** That submissions wait for a decision. */
export function submissionsText(gig: ToldGig, count: number): NotificationText {
  const waiting = `${countOf(count, 'submission')} ${count === 1 ? 'waits' : 'wait'}`;
  return textOf([`Gig ${gig.id} needs you`], `${waiting} for your decision in ${named(gig)}.`);
}
