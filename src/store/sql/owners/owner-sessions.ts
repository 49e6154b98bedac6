import { and, gt, isNull, lte, sql } from 'drizzle-orm';
import type { OwnerSession, SignIn } from '../../../domain/owners/sign-in.ts';
import type { Sql } from '../engine.ts';
import { locked, noun } from '../noun.ts';
import { bound, boundTo, equals } from '../statements.ts';
import { nothing } from '../subjects.ts';

const now = sql.placeholder('now');

function createSignInMethods({ build, prepare, tables }: Sql) {
  const { signIns } = tables;
  const told = {
    hash: signIns.hash,
    browser: signIns.browser,
    way: signIns.way,
    createdAt: signIns.createdAt,
    expiresAt: signIns.expiresAt,
  };
  const isOpen = and(
    equals(signIns.hash, 'hash'),
    equals(signIns.browser, 'browser'),
    isNull(signIns.usedAt),
    gt(signIns.expiresAt, now),
  );
  const open = prepare(build.select(told).from(signIns).where(isOpen));
  const take = prepare(
    build
      .update(signIns)
      .set({ usedAt: bound('now') })
      .where(isOpen),
  );
  const over = prepare(build.delete(signIns).where(lte(signIns.expiresAt, now)));
  const insert = prepare(
    build.insert(signIns).values(boundTo(signIns, 'hash', 'browser', 'way', 'createdAt', 'expiresAt')),
  );
  return {
    reads: {
      /** A sign-in that this browser has begun and may still use; null otherwise. Both are hashes. */
      openSignIn: locked(
        nothing,
        async (hash: string, { browser, now }: { browser: string; now: number }): Promise<SignIn | null> =>
          (await open.get({ hash, browser, now })) ?? null,
      ),
    },
    writes: {
      /** Stores a sign-in, and deletes those that had expired when it began. */
      insertSignIn: locked(nothing, async (signIn: SignIn): Promise<void> => {
        await over.run({ now: signIn.createdAt });
        await insert.run({ ...signIn });
      }),
      /** Uses a sign-in once; false when it is unknown, used, expired or another browser's. */
      useSignIn: locked(
        nothing,
        async (hash: string, { browser, now }: { browser: string; now: number }): Promise<boolean> =>
          (await take.run({ hash, browser, now })) === 1,
      ),
    },
  };
}

export const ownerSessions = noun((db: Sql) => {
  const { build, prepare, tables } = db;
  const { ownerSessions } = tables;
  const signIns = createSignInMethods(db);
  const byHash = prepare(build.select().from(ownerSessions).where(equals(ownerSessions.hash, 'hash')));
  const ofOwner = equals(ownerSessions.owner, 'owner');
  const open = prepare(
    build
      .select()
      .from(ownerSessions)
      .where(and(ofOwner, gt(ownerSessions.expiresAt, now))),
  );
  const over = prepare(build.delete(ownerSessions).where(lte(ownerSessions.expiresAt, now)));
  const insert = prepare(
    build.insert(ownerSessions).values(boundTo(ownerSessions, 'hash', 'owner', 'label', 'createdAt', 'expiresAt')),
  );
  const one = prepare(build.delete(ownerSessions).where(and(equals(ownerSessions.hash, 'hash'), ofOwner)));
  const all = prepare(build.delete(ownerSessions).where(ofOwner));
  return {
    reads: {
      ...signIns.reads,
      /** The session of an owner under the hash of its token, expired or not. */
      ownerSessionByHash: locked(
        nothing,
        async (hash: string): Promise<OwnerSession | null> => (await byHash.get({ hash })) ?? null,
      ),
      /** The open sessions of an owner, newest first. */
      openOwnerSessions: locked(nothing, async (owner: string, now: number): Promise<OwnerSession[]> => {
        // They are few, so they need no index of their order.
        return (await open.all({ owner, now })).toSorted((a, b) => b.createdAt - a.createdAt);
      }),
    },
    writes: {
      ...signIns.writes,
      /** Stores a session, and deletes those that had expired when it was made. */
      insertOwnerSession: locked(nothing, async (session: OwnerSession): Promise<void> => {
        await over.run({ now: session.createdAt });
        await insert.run({ ...session });
      }),
      /** False when the owner has no session under this hash. */
      deleteOwnerSession: locked(
        nothing,
        async (owner: string, hash: string): Promise<boolean> => (await one.run({ owner, hash })) === 1,
      ),
      /** Ends all sessions of an owner, and returns how many there were. */
      deleteOwnerSessions: locked(nothing, (owner: string): Promise<number> => all.run({ owner })),
    },
  };
});
