import { STANDS_BY } from '../../../domain/earning/act.ts';
import type { Earning, Observation } from '../../../domain/earning/earning.ts';
import { type HeldText, waitForFirstUse } from '../../../domain/earning/first-use.ts';
import { type Candidate, MISSING_WAITS_MS, missingWait, targetAccount } from '../../../domain/earning/gates.ts';
import { type EntryTerms, standingOf } from '../../../domain/earning/holding/entry.ts';
import type { HoldingStanding } from '../../../domain/earning/holding/holding.ts';
import type { AccountFacts } from '../../../domain/earning/platform.ts';
import { payoutOf } from '../../../domain/earning/rules/index.ts';
import type { AdapterError } from '../../../domain/errors.ts';
import { hasPassed } from '../../../domain/time.ts';
import type { EarningDecision, Settleable, StoreTx } from '../../../store/port/index.ts';
import type { WatchContext, WatchedGig } from '../context.ts';
import { askForGate, type GateTold, standingAtGate } from '../holding/gate.ts';
import { askAboutPosts } from './ask-posts.ts';

/** Of how many posts of an account the platform is asked whether they exist: each that does not may cost a call. */
const POSTS_OF_ACCOUNT = 20;

/** The platform's answers about accounts that are to be settled; an account that they lack has no facts. */
export interface Answers {
  readonly accounts: ReadonlyMap<string, AccountFacts>;
  readonly posts: ReadonlySet<string>;
  /** The accounts about whose posts all is known, in their order. */
  readonly answered: readonly Settleable[];
  /** Those that it shows without the answer on which it depends whether they earn: whether they follow. */
  readonly untold: ReadonlySet<string>;
  /** What they hold; null where the gig has no gate for it. */
  readonly gate: GateTold | null;
  /** What those hold who have entered; absent where nobody does. */
  readonly entry?: EntryTerms | undefined;
  /** Why the platform did not answer about the others; null when it is only to be asked further. */
  readonly failure: AdapterError | null;
}

interface ToldAccount {
  readonly facts: Candidate['facts'];
  readonly dueAgainAt: number;
  /** For how long nobody is judged, because it is missing and soon asked about again; null otherwise. */
  readonly pauseMs: number | null;
}

/** A candidate with its earning, judged by the acts that the platform was asked about. */
export interface DueCandidate extends Candidate, ToldAccount {
  readonly earning: Earning;
  /** Its first act that became known while the platform was asked; null without one. */
  readonly next: Observation | null;
}

/** Whether an account earns depends on its earliest posts, long enough ones first. */
function postsOf({ observations }: Settleable, minLetters: number): string[] {
  const posts = observations.filter(({ kind }) => STANDS_BY[kind] === 'post');
  const isLong = ({ letters }: Observation) => Number((letters ?? 0) >= minLetters);
  const ordered = posts.toSorted((a, b) => isLong(b) - isLong(a));
  return ordered.slice(0, POSTS_OF_ACCOUNT).map(({ objectId }) => objectId);
}

/**
 * Those accounts about whose posts all is known. One that shares an address or a text with an account before it waits
 * with that: it would be judged first, and use them up.
 */
function findAnswered(
  due: readonly Settleable[],
  { accounts, isKnown }: { accounts: Answers['accounts']; isKnown: (settleable: Settleable) => boolean },
): Settleable[] {
  const awaited = new Set<string>();
  return due.filter((settleable) => {
    const { earning, observations } = settleable;
    const texts = observations.flatMap(({ textHash }) => textHash ?? []);
    const shared = [...texts, ...(accounts.get(earning.platformUserId)?.addresses ?? [])];
    if (isKnown(settleable) && !shared.some((each) => awaited.has(each))) return true;
    for (const each of shared) awaited.add(each);
    return false;
  });
}

/**
 * Asks the platform about accounts that are to be settled, in bulk. Missing answers about posts are asked in later steps, and what it
 * said is remembered until then.
 * @throws AdapterError when it does not answer about accounts
 */
export async function askAbout(deps: WatchContext, watched: WatchedGig, due: readonly Settleable[]): Promise<Answers> {
  const { reader, gig, rules, watch } = watched;
  const ids = due.map(({ earning }) => earning.platformUserId);
  const following = gig.gigType === 'follow' ? targetAccount(watch.target) : null;
  const accounts = await reader.readAccounts(ids, { following });
  // Deleting the target saves its owner nothing: what was seen stands, so no post is asked about.
  const askedOf = (each: Settleable) => (watch.goneAt === null ? postsOf(each, rules.gates.minLetters) : []);
  const { known, failure } = await askAboutPosts(deps, watched, due.flatMap(askedOf));
  const isKnown = (each: Settleable) => askedOf(each).every((id) => known.has(id));
  const posts = new Set([...known].flatMap(([id, exists]) => (exists ? [id] : [])));
  const untold = new Set(following === null ? [] : ids.filter((id) => accounts.get(id)?.follows === null));
  const gate = await askForGate(deps, watched, [...accounts.values()]);
  const { entry } = payoutOf(rules.rule);
  return { accounts, posts, untold, gate, entry, answered: findAnswered(due, { accounts, isKnown }), failure };
}

/** In how many answers in a row an account was missing, and whether it waited the longest wait since. */
async function readMisses(tx: StoreTx, { earning }: Settleable, now: number) {
  const all = await tx.evaluations(earning.gigId, earning);
  // Nothing else is held without facts.
  const found = all.findLastIndex(({ state, facts }) => state !== 'held' || facts !== null);
  const last = all.at(-1);
  const count = all.length - 1 - found;
  const isOver = count > 0 && last !== undefined && hasPassed(MISSING_WAITS_MS.later, { since: last.at, now });
  return { count, isOver };
}

async function factsOf(
  tx: StoreTx,
  settleable: Settleable,
  { answers, now }: { answers: Answers; now: number },
): Promise<ToldAccount> {
  const { platformUserId: id, dueAt } = settleable.earning;
  const isUntold = answers.untold.has(id);
  const facts = isUntold ? undefined : answers.accounts.get(id);
  if (facts !== undefined) return { facts, dueAgainAt: dueAt, pauseMs: null };
  const { count, isOver } = await readMisses(tx, settleable, now);
  // One that is there without an answer is never gone.
  if (isOver && !isUntold) return { facts: 'gone', dueAgainAt: dueAt, pauseMs: null };
  const { dueAt: dueAgainAt, pauseMs } = missingWait(count, { dueAt, now });
  return { facts: 'missing', dueAgainAt, pauseMs };
}

/** How an account stands to what it is to hold; undefined where it need not hold anything. */
async function holdingOf(
  tx: StoreTx,
  settleable: Settleable,
  { answers, now }: { answers: Answers; now: number },
): Promise<HoldingStanding | undefined> {
  const { earning } = settleable;
  const { gate, entry: terms } = answers;
  if (terms !== undefined) {
    const entry = await tx.entry(earning.gigId, earning);
    if (entry === null) throw new TypeError(`gig ${earning.gigId}: an account has joined without an entry`);
    return standingOf(entry, terms, now);
  }
  const account = answers.accounts.get(earning.platformUserId);
  return gate === null || account === undefined
    ? undefined
    : await standingAtGate(tx, settleable, { gate, account, now });
}

/** These accounts with the platform's answers, and their acts as they are now. */
export async function findCandidates(
  tx: StoreTx,
  { labelOf }: WatchContext,
  { answers, now }: { answers: Answers; now: number },
): Promise<DueCandidate[]> {
  const candidates: DueCandidate[] = [];
  for (const settleable of answers.answered) {
    const { earning } = settleable;
    const { gigId, platformUserId: accountId } = earning;
    const asked = new Set(settleable.observations.map(({ id }) => id));
    const all = await tx.observations(gigId, earning);
    const observations = all.filter(({ id }) => asked.has(id));
    const next = all.find(({ id }) => !asked.has(id)) ?? null;
    const told = await factsOf(tx, settleable, { answers, now });
    const isBlocked = await tx.isBlocked(earning);
    const { posts } = answers;
    const holding = await holdingOf(tx, settleable, { answers, now });
    candidates.push({
      holding,
      earning,
      accountId,
      observations,
      next,
      isBlocked,
      label: labelOf(earning),
      ...told,
      posts,
    });
  }
  return candidates;
}

/** Texts that other accounts used before the ones judged now and that still wait for a decision. */
export interface HeldTexts {
  /** The decision about an account, which is held instead of accepted while another one that used its text before is held. */
  wait(decision: EarningDecision): EarningDecision;
  /** Has it take in what was decided. */
  note(decision: EarningDecision): void;
}

function heldBehind(decision: EarningDecision, held: readonly HeldText[]): EarningDecision {
  const { to, textHash, observationId: id, platformUserId, rankedAt, dueAt } = decision;
  if (to !== 'eligible' || textHash === null) return decision;
  const wait = waitForFirstUse({ id, platformUserId, rankedAt, dueAt, textHash }, held);
  return wait === null ? decision : { ...decision, ...wait, to: 'held', part: null, addresses: [], textHash: null };
}

function after(held: readonly HeldText[], { platformUserId, to, observationId, rankedAt, dueAt }: EarningDecision) {
  const isTheirs = (each: HeldText) => each.platformUserId === platformUserId;
  if (to !== 'held') return held.filter((each) => !isTheirs(each));
  return held.map((each) => (isTheirs(each) ? { ...each, heldFor: observationId, rankedAt, dueAt } : each));
}

/** Finds who used the texts of these accounts before them, and is still held. */
export async function findHeldTexts(
  tx: StoreTx,
  gigId: number,
  candidates: readonly DueCandidate[],
): Promise<HeldTexts> {
  const acts = candidates.flatMap(({ observations }) => observations);
  const withText = acts.flatMap(({ id, textHash }) => (textHash === null ? [] : [{ id, textHash }]));
  const hashes = [...new Set(withText.map(({ textHash }) => textHash))];
  const before = withText.reduce((latest, { id }) => Math.max(latest, id), 0);
  let held: readonly HeldText[] = await tx.heldTexts(gigId, { hashes, before });
  return {
    wait: (decision) => heldBehind(decision, held),
    note(decision) {
      held = after(held, decision);
    },
  };
}
