import type { Platform } from '../../account.ts';
import { formatAmount } from '../../amount.ts';
import { countOf } from '../../count.ts';
import type { Gig, GigType } from '../../gigs/gig.ts';
import { capitalized, GIG_TYPE_TRAITS, gigTypeDisplay } from '../../gigs/gig-type.ts';
import type { TokenUnit } from '../../gigs/token.ts';
import { platformFacts } from '../../platforms/platforms.ts';
import { DAY_MS, HOUR_MS } from '../../time.ts';
import { ACTS_OF, STANDS_BY, type Target } from '../act.ts';
import { holdingWords } from '../holding/holding.ts';
import { kindOf, payoutOf, type Rule } from '../rules/index.ts';
import { type EarningRules, type Gates, MILLION } from '../terms/rules.ts';

interface Doing {
  readonly gigType: GigType;
  readonly platform: Platform;
  readonly target: Target | null;
}

/** What a description of rules needs to know of their gig. */
export interface DescribedGig extends Doing {
  readonly token: TokenUnit;
}

interface ActWords {
  readonly one: string;
  readonly many: string;
  readonly noun: string;
}

interface StartingGig {
  readonly status: Gig['status'];
  readonly startTime: number;
  readonly duration: number;
}

/** How long a gig that is not started will be live; null while the time that its terms name is still to come. */
export function lengthFromStart({ status, startTime, duration }: StartingGig, now: number): string | null {
  return status === 'created' && startTime <= now ? `${countOf(duration / DAY_MS, 'day')} from its start` : null;
}

/** Words as a list: `a, b and c`. */
export function wordList(words: readonly string[]): string {
  return words.length < 2 ? words.join() : `${words.slice(0, -1).join(', ')} and ${words.at(-1)}`;
}

function mentionWords(target: Target | null, post: string): ActWords {
  const what = target?.kind === 'keyword' ? `"${target.keyword}" in a ${post}` : 'the account';
  return { one: `mentions ${what}`, many: `mention ${what}`, noun: 'Mentions' };
}

function actWords({ gigType, platform, target }: Doing): ActWords {
  const { post, repost } = platformFacts(platform);
  const passed = `${capitalized(repost)}s`;
  switch (gigType) {
    case 'like':
      return { one: `likes the ${post}`, many: `like the ${post}`, noun: 'Likes' };
    case 'recast':
      return { one: `${repost}s the ${post}`, many: `${repost} the ${post}`, noun: passed };
    case 'boost':
      return {
        one: `${repost}s or quotes the ${post}`,
        many: `${repost} or quote the ${post}`,
        noun: `${passed} and quotes`,
      };
    case 'reply':
      return { one: `replies to the ${post}`, many: `reply to the ${post}`, noun: 'Replies' };
    case 'mention':
      return mentionWords(target, post);
    case 'follow':
      return { one: 'follows the account', many: 'follow the account', noun: 'Follows' };
    case 'hold':
      return { one: 'enters', many: 'enter', noun: 'Entries' };
    case 'custom_bounty':
      return { one: 'submits its work', many: 'submit their work', noun: 'Submissions' };
  }
}

function ruleClause(rule: Rule, words: ActWords, { decimals, symbol }: DescribedGig['token']): string {
  const whole = (amount: bigint) => `${formatAmount(amount, decimals)} ${symbol}`;
  return kindOf(rule).clause(rule, { ...words, whole });
}

const LABEL_NEEDS: Readonly<Record<Gates['spamLabel'], string | null>> = {
  not_spam: 'no spam label',
  trusted: 'a trusted label',
  any: null,
};

function textNeed({ minLetters }: Gates, gigType: GigType): string | null {
  const kinds = ACTS_OF[gigType];
  const posts = kinds.filter((kind) => STANDS_BY[kind] === 'post');
  if (posts.length === 0) return null;
  const letters = minLetters > 0 ? ` with at least ${countOf(minLetters, 'letter')}` : '';
  const which = posts.length === kinds.length ? '' : `for a ${posts.join(' or ')} `;
  return `${which}its own text${letters}`;
}

function needsOf(gates: Gates, { gigType, platform }: Doing): readonly string[] {
  const isTold = platformFacts(platform).hasVerifiedAddress;
  const age = gates.minAccountAgeDays;
  const needs = [
    gates.minScore > 0 ? `a score of at least ${gates.minScore / MILLION}` : null,
    !isTold ? null : `an account older than the gig${age > 0 ? ` and at least ${countOf(age, 'day')} old` : ''}`,
    gates.minFollowers > 0 ? `at least ${countOf(gates.minFollowers, 'follower')}` : null,
    gates.verifiedAddress ? `its own ${isTold ? 'verified address' : 'linked wallet'}` : null,
    LABEL_NEEDS[gates.spamLabel],
    textNeed(gates, gigType),
    gates.minHolding === undefined ? null : holdingWords(gates.minHolding),
  ];
  return needs.filter((need) => need !== null);
}

function holdSentence({ rule, holdMs }: EarningRules, { noun }: ActWords): string {
  const hours = countOf(holdMs / HOUR_MS, 'hour');
  if (holdMs === 0) return '';
  return payoutOf(rule).roundMs === null
    ? ` ${noun} are held for ${hours}.`
    : ` Each part is divided ${hours} after each round.`;
}

/** Who gets what by these rules, in one English sentence without what an account needs. */
export function describeRule({ rule }: EarningRules, gig: DescribedGig): string {
  return `${ruleClause(rule, actWords(gig), gig.token)}.`;
}

/** Rules in one or two English sentences, for people. */
export function describeRules(rules: EarningRules, gig: DescribedGig): string {
  const { rule, gates } = rules;
  if (!payoutOf(rule).isWatched) return describeRule(rules, gig);
  const words = actWords(gig);
  const { subject } = kindOf(rule);
  const needs = wordList(needsOf(gates, gig));
  return `${ruleClause(rule, words, gig.token)}; ${subject} needs ${needs}.${holdSentence(rules, words)}`;
}

interface ToldGig {
  readonly id: number;
  readonly gigType: GigType;
  readonly platform: Platform;
  readonly howToEarn: string | null;
  readonly externalUrl: string | null;
}

/** What people do with the account that a manual gig is about, where the client has named none; null for other gigs. */
export function unnamedAct(gig: ToldGig, target: Target | null): 'follow' | 'mention' | null {
  const { gigType, howToEarn, externalUrl } = gig;
  const isUnnamed = target === null && howToEarn === null && externalUrl === null;
  return isUnnamed && (gigType === 'follow' || gigType === 'mention') ? gigType : null;
}

function doingSentence(gig: Doing): string {
  const { post } = platformFacts(gig.platform);
  if (gig.gigType !== 'mention') return `${capitalized(actWords(gig).many)}.`;
  return gig.target?.kind === 'keyword'
    ? `Write "${gig.target.keyword}" in a ${post}.`
    : `Mention the account in a ${post}.`;
}

interface CommandedGig extends Doing {
  readonly id: number;
}

function submitSentence({ id, platform, target }: CommandedGig, whom: string): string {
  const orReply = target?.kind === 'post' ? `, or reply to the ${platformFacts(platform).post}` : '';
  return `To submit your work, mention ${whom} with "submit ${id} …"${orReply}.`;
}

/** How an account enters a gig that asks to hold a token. @param whom the bot, as the reader knows it */
export function enterSentence(
  { id, platform }: { readonly id: number; readonly platform: Platform },
  whom: string,
): string {
  // Where the platform forbids paying for posts, no post enters.
  const isByPost = platformFacts(platform).earningSwitch === null;
  return isByPost
    ? `To enter, mention ${whom} with "join ${id}".`
    : 'To enter, sign in to My rewards with your linked wallet.';
}

/**
 * By which command accounts take part in a gig: how something is submitted, or how one enters; null where nobody tells the bot.
 * @param whom the bot, as the reader knows it
 */
export function commandSentence(gig: CommandedGig, whom: string): string | null {
  const { command } = GIG_TYPE_TRAITS[gig.gigType];
  if (command === null) return null;
  return command === 'join' ? enterSentence(gig, whom) : submitSentence(gig, whom);
}

/**
 * How a gig is earned: in its own words, else by what counts for its rules, else in the words of its type. Where no
 * account is named, its organizer knows which one. It ends with how something is submitted, or how one enters.
 * @param target what is watched, or null for a manual gig
 */
export function howToEarn(gig: ToldGig, target: Target | null): string {
  const { id, howToEarn, gigType, platform } = gig;
  const unnamed = unnamedAct(gig, target);
  if (unnamed !== null) return `Ask the organizer which account to ${unnamed}.`;
  if (target === null) return howToEarn ?? gigTypeDisplay(gigType, platform).how_to_earn;
  const told = commandSentence({ id, gigType, platform, target }, 'the bot');
  if (told === null) return howToEarn ?? doingSentence({ gigType, platform, target });
  const own = howToEarn ?? gigTypeDisplay(gigType, platform).how_to_earn;
  // A client may have read this, and sent it back.
  const said = GIG_TYPE_TRAITS[gigType].command === 'submit' ? `submit ${id}` : told;
  return own.includes(said) ? own : `${own}\n${told}`;
}
