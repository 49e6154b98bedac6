import { createFarcasterNetwork } from '../../../sandbox/networks/farcaster.ts';
import type { NewAct } from '../../../sandbox/networks/farcaster-perform.ts';
import type { AccountKey } from '../../../src/domain/account.ts';
import type { SpamLabel } from '../../../src/domain/earning/earning.ts';
import type { Gig } from '../../../src/domain/gigs/gig.ts';
import { createFarcaster } from '../../../src/platforms/farcaster/adapter.ts';
import { FARCASTER } from '../../platforms/setup.ts';
import { openTestStore, type WrapStore } from '../../support/database.ts';
import { seedAddress } from '../../support/store.ts';
import { createEngine, type SetClock } from './engine.ts';
import { DAY, type EarnedGig, openGig, START } from './gigs.ts';

/** How long the adapter waits for an answer that never comes. */
const TIMEOUT_MS = 2_000;
/** The same where none is expected. */
const IMPATIENT_MS = 400;

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

  /** Somebody who passes every gate, unless said otherwise; the answer is the id. */
  function person(name: string, { score = 0.9, followers = 50, registeredAt, addresses }: Person = {}): string {
    people += 1;
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
    labels,
    person,
    cast,
    author,
    account: (platformUserId: string): AccountKey => ({ platform: 'farcaster', platformUserId }),
    calls: () => calls,
    act: (act: NewAct) => network.act(act),
    reply: (who: string, text: string, at?: number) =>
      network.post({ author: who, text, replyTo: cast.id, at: at ?? clock.now }),
    /** A gig about the author's cast, unless said otherwise. */
    gig: (gig: Partial<EarnedGig> = {}): Promise<Gig> =>
      openGig(store, { target: { kind: 'post', postId: cast.id, authorId: author }, ...gig }),
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
