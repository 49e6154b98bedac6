import { STANDS_BY } from '../../domain/earning/act.ts';
import type { Observation } from '../../domain/earning/earning.ts';
import { type Candidate, MISSING_MS, targetAccount } from '../../domain/earning/gates.ts';
import type { AccountFacts } from '../../domain/earning/platform.ts';
import { hasPassed } from '../../domain/time.ts';
import type { Settleable, StoreTx } from '../../store/port/index.ts';
import type { EarnDeps, WatchedGig } from './deps.ts';

/** Of how many posts of an account the platform is asked whether they exist: each that does not may cost a call. */
const POSTS_OF_ACCOUNT = 20;

/** The platform's answers about accounts that are to be settled; an account that they lack has no facts. */
export interface Answers {
  readonly accounts: ReadonlyMap<string, AccountFacts>;
  readonly posts: ReadonlySet<string>;
}

/** A candidate with its earning, judged by the acts that the platform was asked about. */
export interface DueCandidate extends Candidate, Pick<Settleable, 'earning'> {
  /** Its first act that became known while the platform was asked; null without one. */
  readonly next: Observation | null;
}

/** The posts of an account on which it depends whether it earns: the earliest ones, long enough ones first. */
function postsOf({ observations }: Settleable, minLetters: number): string[] {
  const posts = observations.filter(({ kind }) => STANDS_BY[kind] === 'post');
  const isLong = ({ letters }: Observation) => Number((letters ?? 0) >= minLetters);
  const ordered = posts.toSorted((a, b) => isLong(b) - isLong(a));
  return ordered.slice(0, POSTS_OF_ACCOUNT).map(({ objectId }) => objectId);
}

/** Asks the platform about accounts that are to be settled, in bulk. @throws AdapterError when it does not answer */
export async function askAbout(
  { reader, gig, rules, watch }: WatchedGig,
  due: readonly Settleable[],
): Promise<Answers> {
  const ids = due.map(({ earning }) => earning.platformUserId);
  const following = gig.gigType === 'follow' ? targetAccount(watch.target) : null;
  const accounts = await reader.readAccounts(ids, { following });
  const posts = new Set<string>();
  // Deleting the target saves its owner nothing: what was seen stands, so no post is asked about.
  const asked = watch.goneAt === null ? due.flatMap((each) => postsOf(each, rules.gates.minLetters)) : [];
  for (let from = 0; from < asked.length; from += reader.bulk) {
    for (const id of await reader.readPosts(asked.slice(from, from + reader.bulk))) posts.add(id);
  }
  return { accounts, posts };
}

/** Whether an account was found missing before, long enough ago: nothing else is held without facts. */
async function wasMissing(tx: StoreTx, { earning }: Settleable, now: number): Promise<boolean> {
  const last = (await tx.evaluations(earning.gigId, earning)).at(-1);
  return last?.state === 'held' && last.facts === null && hasPassed(MISSING_MS, { since: last.at, now });
}

/** These accounts with the platform's answers, and their acts as they are now. */
export async function findCandidates(
  tx: StoreTx,
  { labelOf }: Pick<EarnDeps, 'labelOf'>,
  { due, answers, now }: { due: readonly Settleable[]; answers: Answers; now: number },
): Promise<DueCandidate[]> {
  const candidates: DueCandidate[] = [];
  for (const settleable of due) {
    const { earning } = settleable;
    const { gigId, platformUserId: accountId } = earning;
    const asked = new Set(settleable.observations.map(({ id }) => id));
    const all = await tx.observations(gigId, earning);
    const observations = all.filter(({ id }) => asked.has(id));
    const next = all.find(({ id }) => !asked.has(id)) ?? null;
    const known = answers.accounts.get(accountId);
    const facts = known ?? ((await wasMissing(tx, settleable, now)) ? 'gone' : 'missing');
    const isBlocked = await tx.isBlocked(earning);
    const { posts } = answers;
    candidates.push({ earning, accountId, observations, next, isBlocked, label: labelOf(earning), facts, posts });
  }
  return candidates;
}
