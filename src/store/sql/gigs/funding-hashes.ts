import { and } from 'drizzle-orm';
import type { Sql } from '../engine.ts';
import { locked, noun } from '../noun.ts';
import { bound, equals, prepareChange } from '../statements.ts';
import { byGig, nothing } from '../subjects.ts';
import { GIG_WAITS } from './gig-tables.ts';

/** The transactions by which owners say that they have paid for gigs. Their state is read from the chain each time. */
export const fundingHashes = noun((db: Sql) => {
  const { build, prepare, tables } = db;
  const { gigs } = tables;
  const isOf = equals(gigs.id, 'id');
  const hashOf = prepare(build.select({ hash: gigs.fundingHash }).from(gigs).where(isOf));
  const tell = prepareChange(db, gigs, { fundingHash: bound('hash') }, and(isOf, GIG_WAITS));
  return {
    reads: {
      /** The transaction that its owner named last; null for none. */
      fundingHash: locked(
        nothing,
        async (gigId: number): Promise<`0x${string}` | null> => (await hashOf.get({ id: gigId }))?.hash ?? null,
      ),
    },
    writes: {
      /** Keeps the transaction that pays for a gig, or none; false when the gig waits for no payment any more. */
      tellFunding: locked(byGig, (gigId: number, hash: `0x${string}` | null) => tell({ id: gigId, hash })),
    },
  };
});
