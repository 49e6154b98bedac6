import type { Act, ActEvent, ActKind, Target } from '../../../src/domain/earning/act.ts';
import type { AccountFacts, ActReader } from '../../../src/domain/earning/platform.ts';
import type { AdapterError } from '../../../src/domain/errors.ts';
import { seedAddress } from '../../support/store.ts';
import type { SetClock } from './engine.ts';
import { DAY, START } from './gigs.ts';

/** The target of a crowd's acts, as a post and as an account. */
export const CROWD_AUTHOR = '5';
export const CROWD_POST: Target = { kind: 'post', postId: '0xab', authorId: CROWD_AUTHOR };
export const CROWD_ACCOUNT: Target = { kind: 'account', accountId: CROWD_AUTHOR };

type StandingAct = Act & { readonly at: number };

/** What people do towards one target, in memory: an {@link ActReader} without a wire. */
export function createCrowd(clock: SetClock, { pageSize = 100, bulk = 100 } = {}) {
  // In the order of arrival.
  const acts: StandingAct[] = [];
  // Whatever was ever done, as a webhook tells of it.
  const events: ActEvent[] = [];
  const gone = new Set<string>();
  const failures: AdapterError[] = [];
  let made = 0;
  let calls = 0;

  function facts(accountId: string): AccountFacts {
    const number = Number(accountId);
    return {
      accountId,
      username: `user${accountId}`,
      // Every seventh account has a low score.
      score: number % 7 === 0 ? 100_000 : 900_000,
      followers: number,
      registeredAt: START - 100 * DAY,
      addresses: [seedAddress(number)],
      follows: acts.some((act) => act.kind === 'follow' && act.accountId === accountId),
    };
  }

  function call(): void {
    calls += 1;
    const failure = failures.shift();
    if (failure !== undefined) throw failure;
  }

  function tell(act: Act, at: number, isUndone: boolean): void {
    const towards = [
      { kind: act.kind === 'follow' ? 'account' : 'post', id: act.kind === 'follow' ? '5' : '0xab' },
    ] as const;
    events.push({ kind: 'act', platform: 'farcaster', act: { ...act, actedAt: at }, isUndone, towards });
  }

  const find = (kind: ActKind, accountId: string) =>
    acts.findIndex((act) => act.kind === kind && act.accountId === accountId);

  const reader: ActReader = {
    bulk,
    async readActs({ kind, cursor }) {
      call();
      const listed = acts.flatMap((act, arrival) => (act.kind === kind ? [{ act, arrival }] : []));
      const newest = listed.sort((a, b) => b.act.at - a.act.at || b.arrival - a.arrival).map(({ act }) => act);
      const from = Number(cursor ?? 0);
      const next = from + pageSize < newest.length ? String(from + pageSize) : null;
      return { acts: newest.slice(from, from + pageSize), next };
    },
    async readAccounts(ids, { following }) {
      call();
      const there = ids.filter((id) => !gone.has(id)).map(facts);
      return new Map(
        there.map((each) => [each.accountId, following === null ? Object.assign(each, { follows: null }) : each]),
      );
    },
    async readPosts(ids) {
      call();
      return new Map(ids.map((id) => [id, acts.some(({ objectId }) => objectId === id)]));
    },
    async readTexts(ids) {
      call();
      const textOf = (id: string) => acts.find(({ objectId }) => objectId === id)?.text ?? null;
      return new Map(ids.map((id) => [id, textOf(id)]));
    },
  };
  return {
    reader,
    calls: () => calls,
    events: (): readonly ActEvent[] => events,
    /** The next calls fail with these. */
    fail: (error: AdapterError, times: number) => failures.push(...Array.from({ length: times }, () => error)),
    recover: () => failures.splice(0),
    /** The account acts, unless such an act of it stands; each reply is a new post. */
    act(kind: 'like' | 'follow' | 'reply' | 'submission', accountId: string, at = clock.now): void {
      const isPost = kind === 'reply' || kind === 'submission';
      if (!isPost && find(kind, accountId) !== -1) return;
      made += 1;
      const objectId = isPost ? `0x${made.toString(16).padStart(4, '0')}` : '';
      const text = isPost ? `words of account number ${'abcdefghij'.repeat(made % 3)} ${made}` : null;
      const act: Act = { kind, accountId, username: null, objectId, actedAt: kind === 'follow' ? null : at, text };
      acts.push({ ...act, at });
      tell(act, at, false);
    },
    /** The account takes back its first act of the kind. */
    undo(kind: ActKind, accountId: string): void {
      const index = find(kind, accountId);
      const [undone] = index === -1 ? [] : acts.splice(index, 1);
      // Of what is undone a webhook tells follows only.
      if (undone?.kind === 'follow') tell(undone, clock.now, true);
    },
    /** From now on, or no longer, every answer lacks the account. */
    lose: (accountId: string, isGone: boolean) => void (isGone ? gone.add(accountId) : gone.delete(accountId)),
  };
}

export type Crowd = ReturnType<typeof createCrowd>;
