import { STANDS_BY } from '../../domain/earning/act.ts';
import {
  type Candidate,
  type Judgement,
  type Judging,
  judgeAccount,
  targetAccount,
} from '../../domain/earning/gates.ts';
import type { Address } from '../../domain/token.ts';
import type { EarningDecision, Settleable, StoreTx } from '../../store/port/index.ts';
import type { EarnDeps, WatchedGig } from './deps.ts';

/** The platform's answers about accounts that are to be settled. */
type Answers = Pick<Candidate, 'facts' | 'posts'>;

/** The posts by which it is known whether these accounts' acts stand. */
function postsOf(due: readonly Settleable[]): string[] {
  const acts = due.flatMap(({ observations }) => observations);
  return [...new Set(acts.flatMap(({ kind, objectId }) => (STANDS_BY[kind] === 'post' ? [objectId] : [])))];
}

async function ask({ reader, gig, watch }: WatchedGig, due: readonly Settleable[]): Promise<(id: string) => Answers> {
  const following = gig.gigType === 'follow' ? targetAccount(watch.target) : null;
  const accounts = await reader.readAccounts(
    due.map(({ earning }) => earning.platformUserId),
    { following },
  );
  const posts = new Set<string>();
  const ids = postsOf(due);
  for (let from = 0; from < ids.length; from += reader.bulk) {
    for (const id of await reader.readPosts(ids.slice(from, from + reader.bulk))) posts.add(id);
  }
  return (id) => ({ facts: accounts.get(id) ?? 'gone', posts });
}

/** Who has used the addresses and texts of these accounts already, as far as this transaction sees. */
async function readHolders(tx: StoreTx, gigId: number, candidates: readonly Candidate[]) {
  const addressHolders = new Map<Address, string>();
  const textHolders = new Map<string, string>();
  for (const { facts, observations } of candidates) {
    for (const address of facts === 'gone' ? [] : facts.addresses) {
      const holder = await tx.earningAddressHolder(gigId, address);
      if (holder !== null) addressHolders.set(address, holder.platformUserId);
    }
    for (const { textHash } of observations) {
      const holder = textHash === null ? null : await tx.earningTextHolder(gigId, textHash);
      if (textHash !== null && holder !== null) textHolders.set(textHash, holder.platformUserId);
    }
  }
  return { addressHolders, textHolders };
}

function decisionOf({ earning }: Settleable, judgement: Judgement): EarningDecision {
  const { platform, platformUserId, gigId } = earning;
  const { state, observation, facts } = judgement;
  return {
    platform,
    platformUserId,
    gigId,
    from: 'held',
    to: state,
    reason: state === 'refused' ? judgement.reason : null,
    facts,
    observationId: observation.id,
    rankedAt: observation.rankedAt,
    dueAt: state === 'held' ? judgement.dueAt : earning.dueAt,
    addresses: state === 'eligible' ? judgement.addresses : [],
    textHash: state === 'eligible' ? judgement.textHash : null,
  };
}

/** Judges these accounts one after the other, because one uses up the addresses and texts of those after it. */
async function judgeAll(
  tx: StoreTx,
  { due, candidates, judging }: { due: readonly Settleable[]; candidates: readonly Candidate[]; judging: Judging },
  holders: { addressHolders: Map<Address, string>; textHolders: Map<string, string> },
  now: number,
): Promise<number> {
  let decided = 0;
  for (const [index, candidate] of candidates.entries()) {
    const settleable = due[index];
    if (settleable === undefined) continue;
    const decision = decisionOf(settleable, judgeAccount(candidate, judging));
    if (!(await tx.decideEarning(decision, now))) continue;
    decided += 1;
    for (const address of decision.addresses) holders.addressHolders.set(address, candidate.accountId);
    if (decision.textHash !== null) holders.textHolders.set(decision.textHash, candidate.accountId);
  }
  return decided;
}

/**
 * Judges held accounts that are due, as many as one bulk question holds, by what the platform says of them now. Nothing is
 * decided when it does not answer.
 * @returns how many were decided
 */
export async function settleAccounts(
  { store, clock, labelOf }: EarnDeps,
  watched: WatchedGig,
  dueBy: number,
): Promise<number> {
  const { gig, rules, watch, reader, botId } = watched;
  const due = await store.settleable(gig.id, { dueBy, limit: reader.bulk });
  if (due.length === 0) return 0;
  const answer = await ask(watched, due);
  const owners = await store.gigOwners(gig.id);
  const author = targetAccount(watch.target);
  const own = owners.filter(({ platform }) => platform === gig.platform).map(({ platformUserId }) => platformUserId);
  const ownAccounts = new Set([botId, ...own, ...(author === null ? [] : [author])]);
  const candidates = due.map(({ earning, observations, isBlocked }): Candidate => {
    const { facts, posts } = answer(earning.platformUserId);
    return { accountId: earning.platformUserId, observations, isBlocked, label: labelOf(earning), facts, posts };
  });
  return await store.transaction(async (tx) => {
    const holders = await readHolders(tx, gig.id, candidates);
    const judging: Judging = {
      rules,
      window: gig,
      gigCreatedAt: gig.createdAt,
      watch,
      settleBy: dueBy,
      ownAccounts,
      addressHolders: holders.addressHolders,
      textHolders: holders.textHolders,
    };
    return await judgeAll(tx, { due, candidates, judging }, holders, clock());
  });
}
