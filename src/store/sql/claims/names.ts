import { and, isNotNull, lt, sql } from 'drizzle-orm';
import type { AccountKey } from '../../../domain/account.ts';
import type { Address } from '../../../domain/gigs/token.ts';
import type { EnsName } from '../../../domain/names/ens-name.ts';
import type { KnownName } from '../../../domain/names/names.ts';
import type { Sql, Tables } from '../engine.ts';
import { locked, noun } from '../noun.ts';
import { bound, boundTo, equals, prepareChange } from '../statements.ts';
import { byAuthor, nothing } from '../subjects.ts';
import { createEnsureAccount } from './accounts.ts';

/** An account keeps its newest names: anybody may ask for many. */
const MOST_NAMES = 20;

/** A name and where it leads. */
interface Led {
  readonly name: EnsName;
  readonly address: Address;
}

function isTheirs({ names }: Tables) {
  return and(equals(names.platform, 'platform'), equals(names.platformUserId, 'platformUserId'));
}

function createNameReads({ build, prepare, tables }: Sql) {
  const { names } = tables;
  const { id, platform, platformUserId, name, address, askedAt, confirmedAt } = names;
  const columns = { platform, platformUserId, name, address, askedAt, confirmedAt };
  const theirs = build.select(columns).from(names);
  const one = prepare(theirs.where(and(isTheirs(tables), equals(name, 'name'))));
  const all = prepare(
    build
      .select({ id, known: columns })
      .from(names)
      .where(and(isTheirs(tables), isNotNull(confirmedAt))),
  );
  return {
    /** What an account knows of a name; null when it has never asked. */
    nameOf: locked(
      byAuthor,
      async ({ platform, platformUserId }: AccountKey, name: EnsName): Promise<KnownName | null> =>
        (await one.get({ platform, platformUserId, name })) ?? null,
    ),
    /** The names that an account has confirmed, newest first. */
    namesOf: locked(nothing, async ({ platform, platformUserId }: AccountKey): Promise<KnownName[]> => {
      const rows = await all.all({ platform, platformUserId });
      return rows.sort((a, b) => b.id - a.id).map(({ known }) => known);
    }),
  };
}

/** The names that accounts have asked to be paid to, each with the address of the bot's last reply. */
export const names = noun((db: Sql) => {
  const { build, prepare, tables } = db;
  const { names } = tables;
  const { id, platform, platformUserId, name, address } = names;
  const ensure = createEnsureAccount(db);
  const ask = prepare(
    build
      .insert(names)
      .values(boundTo(names, 'platform', 'platformUserId', 'name', 'address', 'askedAt'))
      .onConflictDoUpdate({
        target: [platform, platformUserId, name],
        set: { address: sql`excluded.address`, askedAt: sql`excluded.asked_at`, confirmedAt: null },
        // The same address stays confirmed.
        setWhere: sql`names.address <> excluded.address`,
      }),
  );
  const theirs = prepare(build.select({ id }).from(names).where(isTheirs(tables)));
  const removeBefore = prepare(build.delete(names).where(and(isTheirs(tables), lt(id, sql.placeholder('oldest')))));
  const isLed = and(isTheirs(tables), equals(name, 'name'), equals(address, 'address'));
  const confirm = prepareChange(db, names, { confirmedAt: sql`coalesce(confirmed_at, ${bound('now')})` }, isLed);
  return {
    reads: createNameReads(db),
    writes: {
      /** Stores that an account is told where a name leads, which it has to confirm. Its oldest names are forgotten. */
      askName: locked(
        byAuthor,
        async ({ platform, platformUserId }: AccountKey, { name, address }: Led, now: number): Promise<void> => {
          const account = { platform, platformUserId };
          await ensure(account, now);
          await ask.run({ ...account, name, address, askedAt: now });
          const ids = (await theirs.all(account)).map((row) => row.id).sort((a, b) => b - a);
          const oldest = ids[MOST_NAMES - 1];
          if (oldest !== undefined && ids.length > MOST_NAMES) await removeBefore.run({ ...account, oldest });
        },
      ),
      /** Stores that an account confirms where a name leads; false unless it was told this address last. */
      confirmName: locked(
        byAuthor,
        ({ platform, platformUserId }: AccountKey, { name, address }: Led, now: number): Promise<boolean> =>
          confirm({ platform, platformUserId, name, address, now }),
      ),
    },
  };
});
