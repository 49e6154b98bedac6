import { type Account, type AccountKey, accountKeyText } from '../../domain/account.ts';
import { AdapterError, DomainError, invalidRequest } from '../../domain/errors.ts';
import { awardableOf, type Gig } from '../../domain/gigs/gig.ts';
import type { Token } from '../../domain/gigs/token.ts';
import type { OwnerActor } from '../../domain/operators/actor.ts';
import {
  type AwardLine,
  MAX_AWARD_LINES,
  MAX_HANDLES,
  readAskedText,
  readAwardList,
  readAwardText,
} from '../../domain/owners/award-list.ts';
import { platformFacts } from '../../domain/platforms/platforms.ts';
import type { StoreTx } from '../../store/port/index.ts';
import { readAmounts } from '../gigs/terms/terms.ts';
import { type AwardedTips, awardTips, findAwardable, type GivenTip } from '../gigs/tips/award-tips.ts';
import type { Deed } from '../operators/audit-events.ts';
import type { AskingBudget, AwardContext } from './context.ts';

const ASKED_AT_ONCE = 5;

/** An award of a list. Amounts are base units. */
export interface ListedAward {
  readonly account: Account;
  readonly amount: bigint;
  /** What the gig has awarded the account before, from any source. */
  readonly has: bigint;
  /** Why it is left out unless the owner asks for it, in words; null where nothing speaks against it. */
  readonly doubt: string | null;
}

export interface PreviewedLine {
  /** As in {@link AwardLine}. */
  readonly place: number;
  readonly text: string;
  readonly found: ListedAward | { readonly problem: string };
}

/** What a list of awards means. Amounts are base units. */
export interface AwardPreview {
  readonly gig: Gig;
  readonly lines: readonly PreviewedLine[];
  /** Of the lines about which there is no doubt. */
  readonly sum: bigint;
  /** What the gig can still award, before them. */
  readonly left: bigint;
}

type Handles = ReadonlyMap<string, Account | string>;

/** Of each handle the account that holds it now, or why that is not known. */
async function findHolders({ resolve }: AwardContext, gig: Gig, handles: readonly string[]): Promise<Handles> {
  const { platform } = gig;
  const { label } = platformFacts(platform);
  const unanswered = `${label} does not answer right now: try again, or write the id`;
  const found = new Map<string, Account | string>();
  let isSilent = false;
  async function find(handle: string): Promise<Account | string> {
    try {
      return await resolve(platform, handle);
    } catch (error) {
      if (error instanceof AdapterError) {
        isSilent = true;
        return unanswered;
      }
      if (!(error instanceof DomainError)) throw error;
      if (error.refusal.code === 'platform_off') return `${label} is off here: write the id`;
      return `${label} knows no account @${handle}`;
    }
  }
  for (let at = 0; at < handles.length; at += ASKED_AT_ONCE) {
    const some = handles.slice(at, at + ASKED_AT_ONCE);
    const answers = isSilent ? some.map(() => unanswered) : await Promise.all(some.map(find));
    for (const [place, handle] of some.entries()) found.set(handle, answers[place] ?? unanswered);
  }
  return found;
}

function handlesIn(lines: readonly AwardLine[]): string[] {
  const named = lines.flatMap(({ said }) => ('name' in said && 'handle' in said.name ? [said.name.handle] : []));
  return [...new Set(named)];
}

function idsIn(lines: readonly AwardLine[]): AccountKey[] {
  return lines.flatMap(({ said }) => ('name' in said && 'platformUserId' in said.name ? [said.name] : []));
}

/** @throws DomainError `invalid_request` when platforms would be asked about too many handles */
function requireFew(handles: readonly string[], actor: OwnerActor, whyNotAsk: AskingBudget): void {
  if (handles.length > MAX_HANDLES) {
    throw invalidRequest(`Up to ${MAX_HANDLES} handles per list. Use ids for the rest.`);
  }
  const why = whyNotAsk(actor.owner, handles.length);
  if (why !== null) throw invalidRequest(`${why}: write ids instead, such as farcaster:1001.`);
}

function readAmount(text: string, token: Token): bigint | string {
  const { amounts, problems } = readAmounts([{ field: 'the amount', text }], token);
  return amounts[0] ?? problems[0] ?? 'the amount is no number';
}

/** A spreadsheet keeps 15 digits of a number, and writes zeros for the others. */
const ROUNDED = /^[0-9]{13,}000$/;

/** The accounts that earn nothing from a gig by a slip: its bots, its owners, and who awards. */
async function findOwn({ store, platforms }: AwardContext, gig: Gig, actor: OwnerActor): Promise<Map<string, string>> {
  const own = new Map<string, string>();
  for (const { platform, bot } of platforms.values()) {
    own.set(accountKeyText({ platform, platformUserId: bot.id }), 'it is the bot');
  }
  for (const owner of await store.gigOwners(gig.id)) own.set(accountKeyText(owner), 'it is an owner of the gig');
  own.set(actor.owner, 'it is you');
  return own;
}

/**
 * The accounts that their platform does not know, of those whose platform tells many at once; none while it does not answer, or
 * has been asked too often.
 */
async function findUnknown(
  { platforms, whyNotAskIds }: AwardContext,
  actor: OwnerActor,
  accounts: readonly AccountKey[],
): Promise<ReadonlySet<string>> {
  const unknown = new Set<string>();
  for (const [platform, some] of Map.groupBy(accounts, (account) => account.platform)) {
    const acts = platforms.get(platform)?.acts ?? null;
    const ids = some.map(({ platformUserId }) => platformUserId);
    if (acts === null || whyNotAskIds(actor.owner, ids.length) !== null) continue;
    for (let at = 0; at < ids.length; at += acts.bulk) {
      const part = ids.slice(at, at + acts.bulk);
      const found = await acts.readAccounts(part, { following: null }).catch(tolerated);
      if (found === null) break;
      for (const id of part) if (!found.has(id)) unknown.add(accountKeyText({ platform, platformUserId: id }));
    }
  }
  return unknown;
}

/** Null for a platform that does not answer. @throws any other error */
function tolerated(error: unknown): null {
  if (error instanceof AdapterError) return null;
  throw error;
}

/** Why an account may not be meant; null when nothing says so. */
function doubtOf(
  { platform, platformUserId: id }: AccountKey,
  { has, own, isUnknown }: { has: bigint; own: string | undefined; isUnknown: boolean },
): string | null {
  const { label, largestId } = platformFacts(platform);
  if (has > 0n) return 'the gig has already awarded it';
  if (own !== undefined) return own;
  if (BigInt(id) > largestId) return `${label} has no id as large as this`;
  if (ROUNDED.test(id)) return 'a spreadsheet may have rounded the id, which ends in 000';
  return isUnknown ? `${label} does not know it` : null;
}

/** A line whose account and amount are known, or why they are not. */
interface NamedLine {
  readonly place: number;
  readonly text: string;
  readonly named: { readonly account: Account; readonly amount: bigint } | { readonly problem: string };
}

/** Finds the account and the amount of each line. */
function nameLines(
  lines: readonly AwardLine[],
  { token, holders, labels }: { token: Token; holders: Handles; labels: ReadonlyMap<string, string | null> },
): NamedLine[] {
  const firsts = new Map<string, number>();
  const nameOf = ({ place, said }: AwardLine): NamedLine['named'] => {
    if ('problem' in said) return said;
    const { name } = said;
    const account =
      'handle' in name
        ? (holders.get(name.handle) ?? '')
        : { ...name, username: labels.get(accountKeyText(name)) ?? null };
    if (typeof account === 'string') return { problem: account };
    const amount = readAmount(said.amount, token);
    if (typeof amount === 'string') return { problem: amount };
    const key = accountKeyText(account);
    const first = firsts.get(key);
    if (first !== undefined) return { problem: `duplicate of line ${first}` };
    firsts.set(key, place);
    return { account, amount };
  };
  return lines.map((line) => ({ place: line.place, text: line.text, named: nameOf(line) }));
}

/**
 * What a list would award from a gig, line by line; nothing is changed. The platform of the gig is asked who holds its handles.
 * @throws DomainError as {@link findAwardable}, or `invalid_request` when the list as a whole cannot be read
 */
export async function previewAwards(
  deps: AwardContext,
  { gigId, text, actor }: { gigId: number; text: string; actor: OwnerActor },
): Promise<AwardPreview> {
  const { store, clock } = deps;
  const gig = await findAwardable(store, { gigId, actor, now: clock() });
  const list = readAwardList(text, gig.platform);
  if ('problem' in list) throw invalidRequest(list.problem);
  const handles = handlesIn(list.lines);
  requireFew(handles, actor, deps.whyNotAsk);
  const holders = await findHolders(deps, gig, handles);
  const labels = await store.accountLabels(idsIn(list.lines));
  const namedLines = nameLines(list.lines, { token: gig.token, holders, labels });
  const accounts = namedLines.flatMap(({ named }) => ('account' in named ? [named.account] : []));
  const awarded = await store.awardedTo(gigId, accounts);
  const own = await findOwn(deps, gig, actor);
  const unknown = await findUnknown(
    deps,
    actor,
    accounts.filter((account) => account.username === null),
  );
  const lines = namedLines.map(({ place, text, named }): PreviewedLine => {
    if ('problem' in named) return { place, text, found: named };
    const key = accountKeyText(named.account);
    const has = awarded.get(key) ?? 0n;
    const doubt = doubtOf(named.account, { has, own: own.get(key), isUnknown: unknown.has(key) });
    return { place, text, found: { ...named, has, doubt } };
  });
  const sum = lines.reduce(
    (all, { found }) => ('doubt' in found && found.doubt === null ? all + found.amount : all),
    0n,
  );
  return { gig, lines, sum, left: awardableOf(gig) };
}

/** What the owner has asked for: awards without a doubt as `awardText` writes them, and others as `askedText` does. */
export interface ChosenAwards {
  readonly sure: readonly string[];
  readonly asked: readonly string[];
}

const NO_AWARD = 'The form holds something else than awards: preview the list again.';

/** @throws DomainError `invalid_request` for a text that is no award */
function readChosen(text: string): GivenTip {
  const read = readAwardText(text);
  if (read === null) throw invalidRequest(NO_AWARD);
  const { amount: value, ...account } = read;
  return { ...account, username: null, value, userAddress: null };
}

/** An award, and what the gig had awarded its account when the owner saw it, in base units. */
interface SeenAward {
  readonly tip: GivenTip;
  readonly had: bigint;
}

/** @throws DomainError as {@link readChosen} */
function readAsked(text: string): SeenAward {
  const read = readAskedText(text);
  if (read === null) throw invalidRequest(NO_AWARD);
  return { tip: readChosen(read.award), had: read.has };
}

/**
 * Awards what a preview has shown, all or nothing. An account that got a tip of the gig since then is in doubt by now.
 * @throws DomainError as {@link awardTips}, or `invalid_request` for another text, for too many and for new doubts
 */
export async function awardChosen(
  tx: StoreTx,
  { gigId, chosen: { sure, asked } }: { gigId: number; chosen: ChosenAwards },
  deed: Deed,
): Promise<AwardedTips> {
  await findAwardable(tx, { gigId, actor: deed.actor, now: deed.now });
  const count = sure.length + asked.length;
  if (count === 0) throw invalidRequest('No line is chosen. Tick a line, or change the list.');
  if (count > MAX_AWARD_LINES) throw invalidRequest(NO_AWARD);
  const seen = [...sure.map((text): SeenAward => ({ tip: readChosen(text), had: 0n })), ...asked.map(readAsked)];
  const tips = seen.map(({ tip }) => tip);
  const awarded = await tx.awardedTo(gigId, tips);
  const since = seen.filter(({ tip, had }) => (awarded.get(accountKeyText(tip)) ?? 0n) !== had).length;
  if (since > 0) {
    const some = since === 1 ? 'An account of the list was' : `${since} accounts of the list were`;
    throw invalidRequest(
      `${some} awarded by this gig since you saw the preview. Nothing is awarded: preview it again.`,
    );
  }
  return await awardTips(tx, { gigId, tips }, deed);
}
