import { afterEach, beforeEach } from 'vitest';
import { createFarcasterNetwork } from '../../../sandbox/networks/farcaster.ts';
import type { NewAct } from '../../../sandbox/networks/farcaster-perform.ts';
import type { AccountKey } from '../../../src/domain/account.ts';
import type { Target } from '../../../src/domain/earning/act.ts';
import type { SpamLabel } from '../../../src/domain/earning/earning.ts';
import type { ActReader } from '../../../src/domain/earning/platform.ts';
import type { Rule } from '../../../src/domain/earning/rules/index.ts';
import type { Gig } from '../../../src/domain/gigs/gig.ts';
import { createFarcaster } from '../../../src/platforms/farcaster/adapter.ts';
import { FARCASTER } from '../../platforms/setup.ts';
import { openTestStore, type WrapStore } from '../../support/database.ts';
import { seedAddress } from '../../support/store.ts';
import { createEngine, type SetClock } from './engine.ts';
import { DAY, E18, type EarnedGig, MINUTE, openGig, START } from './gigs.ts';

/** How long the adapter waits for an answer that never comes. */
const TIMEOUT_MS = 2_000;
/** The same where none is expected. */
const IMPATIENT_MS = 400;

/** Enough letters for every gate. */
export const WORK = 'my work with enough letters';
const BOT: Target = { kind: 'account', accountId: String(FARCASTER.botFid) };

interface Person {
  readonly score?: number | null;
  readonly followers?: number;
  readonly registeredAt?: number;
  readonly addresses?: readonly string[];
}

/** The engine over a real store and the real adapter, with the simulated network over loopback; one clock for all. */
export async function openEarningWorld(options: { wrap?: WrapStore } = {}) {
  const { store, database, close } = await openTestStore(options);
  const clock: SetClock = { now: START };
  const network = createFarcasterNetwork({ ...FARCASTER, clock: () => clock.now });
  const baseUrl = await network.start();
  let calls = 0;
  const counted = <Args extends readonly unknown[], T>(call: (...args: Args) => Promise<T>) => {
    return (...args: Args): Promise<T> => {
      calls += 1;
      return call(...args);
    };
  };
  /** The real adapter, whose calls are counted. */
  function openReader(timeoutMs: number) {
    const { acts } = createFarcaster({ ...FARCASTER, baseUrl, clock: () => clock.now, timeoutMs });
    if (acts === null) throw new Error('Farcaster is not watched');
    return {
      bulk: acts.bulk,
      readActs: counted(acts.readActs),
      readAccounts: counted(acts.readAccounts),
      readPosts: counted(acts.readPosts),
      readTexts: counted(acts.readTexts),
    };
  }
  const reader = openReader(TIMEOUT_MS);
  const labels = new Map<string, SpamLabel>();
  const engine = createEngine({ store, clock, reader, labels });
  let people = 0;
  const names = new Set([FARCASTER.botUsername]);

  /** Somebody who passes every gate, unless said otherwise; the answer is the id. */
  function person(name: string, { score = 0.9, followers = 50, registeredAt, addresses }: Person = {}): string {
    people += 1;
    names.add(name);
    const id = String(7_000 + people);
    network.addUser({
      id,
      username: name,
      score,
      followers,
      registeredAt: registeredAt ?? START - 100 * DAY,
      verifiedAddresses: addresses ?? [seedAddress(7_000 + people)],
    });
    return id;
  }

  /** Somebody who is not there yet is a person who passes every gate. */
  function ensurePerson(name: string): void {
    if (!names.has(name)) person(name);
  }
  function actOn(kind: 'like' | 'unlike' | 'recast' | 'unrecast', who: string, at?: number): void {
    ensurePerson(who);
    network.act({ kind, who, post: cast.id, at });
  }

  const author = person('author');
  const cast = network.post({ author: 'author', text: 'Look at this' });

  return {
    store,
    sql: database.sql,
    clock,
    network,
    engine,
    reader,
    /** As `engine`, for a platform that does not answer: nobody waits for it as long. */
    impatient: () => createEngine({ store, clock, reader: openReader(IMPATIENT_MS), labels }),
    /** As `engine`, for a platform that answers some of what it is asked otherwise. */
    engineWith: (answers: Partial<ActReader>) =>
      createEngine({ store, clock, labels, reader: { ...reader, ...answers } }),
    labels,
    person,
    /** People who pass every gate; the answers are their ids. */
    people: (...names: readonly string[]): string[] => names.map((name) => person(name)),
    cast,
    author,
    account: (platformUserId: string): AccountKey => ({ platform: 'farcaster', platformUserId }),
    calls: () => calls,
    act: (act: NewAct) => network.act(act),
    like: (who: string, at?: number) => actOn('like', who, at),
    likes: (...names: readonly string[]): void => {
      for (const name of names) actOn('like', name);
    },
    unlike: (who: string) => actOn('unlike', who),
    recast: (who: string) => actOn('recast', who),
    unrecast: (who: string) => actOn('unrecast', who),
    quote: (who: string, text: string): void => {
      ensurePerson(who);
      network.act({ kind: 'quote', who, post: cast.id, text });
    },
    follow: (who: string, account = 'star'): void => {
      ensurePerson(who);
      network.act({ kind: 'follow', who, account });
    },
    unfollow: (who: string, account = 'star') => network.act({ kind: 'unfollow', who, account }),
    reply: (who: string, text: string, at = clock.now) => {
      ensurePerson(who);
      return network.post({ author: who, text, replyTo: cast.id, at });
    },
    /** A mention of the bot that submits this to a gig. */
    submit: (who: string, { id }: Pick<Gig, 'id'>, work = `${who} and ${WORK}`) => {
      ensurePerson(who);
      return network.post({ author: who, text: `@${FARCASTER.botUsername} submit ${id} ${work}`, at: clock.now });
    },
    /** A bounty of at most 40 whole tokens for each, whose submissions are mentions of the bot. */
    bounty: (gig: Partial<EarnedGig> = {}): Promise<Gig> => {
      const rule: Rule = { type: 'verifier', maxAmount: 40n * E18 };
      return openGig(store, { gigType: 'custom_bounty', target: BOT, rule, holdMs: 0, ...gig });
    },
    /** A gig about the author's cast, unless said otherwise. */
    gig: (gig: Partial<EarnedGig> = {}): Promise<Gig> =>
      openGig(store, { target: { kind: 'post', postId: cast.id, authorId: author }, ...gig }),
    /** What is awarded and what is reserved. */
    async sums({ id }: Gig) {
      const gig = await store.gig(id);
      return [gig?.awardedAmount, gig?.reservedAmount];
    },
    /** Takes steps until shares are reserved, and no further. */
    async untilDivided({ id }: Gig): Promise<void> {
      while ((await store.gig(id))?.reservedAmount === 0n) if (!(await engine.step())) clock.now += MINUTE;
    },
    isOver: async ({ id }: Gig) => (await store.watch(id))?.overAt != null,
    idOf: (name: string) => network.users().find(({ username }) => username === name)?.id ?? '',
    /** What became of everybody: the state by the id, with the reason of a refusal. */
    async outcome({ id }: Gig): Promise<Record<string, string>> {
      const earnings = await store.earnings({ gigId: id, limit: 1_000 });
      return Object.fromEntries(
        earnings
          .toReversed()
          .map(({ platformUserId, state, reason }) => [
            network.users().find((user) => user.id === platformUserId)?.username ?? platformUserId,
            reason ?? state,
          ]),
      );
    },
    async close() {
      await network.stop();
      await close();
    },
  };
}

export type EarningWorld = Awaited<ReturnType<typeof openEarningWorld>>;

/** The world of the test that runs, in files that call {@link openForEachTest}. */
export let world: EarningWorld;

export function openForEachTest(): void {
  beforeEach(async () => {
    world = await openEarningWorld();
  });
  afterEach(() => world.close());
}
