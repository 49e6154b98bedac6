import { desc, lt, sql } from 'drizzle-orm';
import type { AllowedOwner } from '../../../domain/owners/owner-gigs.ts';
import type { Page } from '../../port/page.ts';
import type { Sql } from '../engine.ts';
import { locked, noun } from '../noun.ts';
import { boundTo, equals } from '../statements.ts';
import { nothing } from '../subjects.ts';

export const allowedOwners = noun((db: Sql) => {
  const { build, prepare, tables } = db;
  const { allowedOwners } = tables;
  const { id, owner, allowedAt } = allowedOwners;
  const isIt = equals(owner, 'owner');
  const one = prepare(build.select({ id }).from(allowedOwners).where(isIt));
  const older = lt(id, sql.placeholder('before'));
  const newest = prepare(
    build
      .select({ id, owner, allowedAt })
      .from(allowedOwners)
      .where(older)
      .orderBy(desc(id))
      .limit(sql.placeholder('limit')),
  );
  const allow = prepare(
    build
      .insert(allowedOwners)
      .values(boundTo(allowedOwners, 'owner', 'allowedAt'))
      .onConflictDoNothing(),
  );
  const forbid = prepare(build.delete(allowedOwners).where(isIt));
  return {
    reads: {
      /** Whether the operator has allowed an owner; `owner` as one word. */
      isOwnerAllowed: locked(
        nothing,
        async (owner: string): Promise<boolean> => (await one.get({ owner })) !== undefined,
      ),
      /** Those who were allowed last come first. */
      allowedOwners: locked(
        nothing,
        ({ limit, before = Number.MAX_SAFE_INTEGER }: Page): Promise<AllowedOwner[]> => newest.all({ limit, before }),
      ),
    },
    writes: {
      /** False when the owner is allowed already. */
      allowOwner: locked(
        nothing,
        async (owner: string, now: number): Promise<boolean> => (await allow.run({ owner, allowedAt: now })) === 1,
      ),
      /** False when the owner is not allowed. */
      disallowOwner: locked(nothing, async (owner: string): Promise<boolean> => (await forbid.run({ owner })) === 1),
    },
  };
});
