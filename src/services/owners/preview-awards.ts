import { type Account, type AccountKey, accountKeyText } from '../../domain/account.ts';
import { AdapterError, DomainError, invalidRequest } from '../../domain/errors.ts';
import { awardableOf, type Gig } from '../../domain/gigs/gig.ts';
import type { Token } from '../../domain/gigs/token.ts';
import type { OwnerActor } from '../../domain/operators/actor.ts';
import { type AwardLine, MAX_HANDLES, readAwardList } from '../../domain/owners/award-list.ts';
import { platformFacts } from '../../domain/platforms/platforms.ts';
import type { StoreTx } from '../../store/port/index.ts';
import { readAmounts } from '../gigs/terms/terms.ts';
import { type AwardedTips, awardTips, findAwardable, type GivenTip } from '../gigs/tips/award-tips.ts';
import type { Deed } from '../operators/audit-events.ts';
import type { AskingBudget, AwardContext } from './context.ts';

const ASKED_AT_ONCE = 5;
export interface PreviewedLine {
  /** As in {@link AwardLine}. */
  readonly place: number;
  readonly text: string;
  readonly found: { readonly account: Account; readonly amount: bigint } | { readonly problem: string };
}

/** What a list of awards means. Amounts are base units. */
export interface AwardPreview {
  readonly gig: Gig;
  readonly lines: readonly PreviewedLine[];
  /** Of the lines that can be awarded. */
  readonly sum: bigint;
  /** What the gig can still award, before them. */
  readonly left: bigint;
  /** The lines whose accounts this gig has already awarded, by their places. */
  readonly again: ReadonlySet<number>;
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
    const many = `The list names ${handles.length} handles, and may name ${MAX_HANDLES}`;
    throw invalidRequest(`${many}: write ids instead, such as farcaster:1001.`);
  }
  const why = whyNotAsk(actor.owner, handles.length);
  if (why !== null) throw invalidRequest(`${why}: write ids instead, such as farcaster:1001.`);
}

function readAmount(text: string, token: Token): bigint | string {
  const { amounts, problems } = readAmounts([{ field: 'the amount', text }], token);
  return amounts[0] ?? problems[0] ?? 'the amount is no number';
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
  const firsts = new Map<string, number>();
  let sum = 0n;

  function find({ place, said }: AwardLine): PreviewedLine['found'] {
    if ('problem' in said) return said;
    const { name } = said;
    const account =
      'handle' in name
        ? (holders.get(name.handle) ?? '')
        : { ...name, username: labels.get(accountKeyText(name)) ?? null };
    if (typeof account === 'string') return { problem: account };
    const amount = readAmount(said.amount, gig.token);
    if (typeof amount === 'string') return { problem: amount };
    const key = accountKeyText(account);
    const first = firsts.get(key);
    if (first !== undefined) return { problem: `the account is that of line ${first}: give each account one award` };
    firsts.set(key, place);
    sum += amount;
    return { account, amount };
  }

  const lines = list.lines.map((line) => ({ place: line.place, text: line.text, found: find(line) }));
  const again = new Set<number>();
  for (const { place, found: line } of lines) {
    if ('account' in line && (await store.hasTip(gigId, line.account))) again.add(place);
  }
  return { gig, lines, sum, left: awardableOf(gig), again };
}

/** The awards of a preview as a list that names ids alone: a handle that moves changes nothing in it. */
export function listOfIds({ lines }: AwardPreview, amountText: (amount: bigint) => string): string {
  const written = lines.flatMap(({ found }) =>
    'problem' in found ? [] : [`${accountKeyText(found.account)},${amountText(found.amount)}`],
  );
  return written.join('\n');
}

/** @throws DomainError `invalid_request` for a line that names no id, or is wrong */
function readIds(text: string, { platform }: Gig): GivenTip[] {
  const list = readAwardList(text, platform);
  if ('problem' in list) throw invalidRequest(list.problem);
  return list.lines.map(({ place, said }) => {
    if ('problem' in said || 'handle' in said.name) throw invalidRequest(`Line ${place} is no award by an id.`);
    return { ...said.name, username: null, value: said.amount, userAddress: null };
  });
}

/**
 * Awards the list that {@link listOfIds} has written, all or nothing.
 * @throws DomainError as {@link awardTips}, or `invalid_request` when it is another list
 */
export async function awardListed(
  tx: StoreTx,
  { gigId, text }: { gigId: number; text: string },
  deed: Deed,
): Promise<AwardedTips> {
  const gig = await findAwardable(tx, { gigId, actor: deed.actor, now: deed.now });
  return await awardTips(tx, { gigId, tips: readIds(text, gig) }, deed);
}
