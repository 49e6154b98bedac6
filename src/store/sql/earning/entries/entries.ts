import { and, asc, eq, exists, ne, sql } from 'drizzle-orm';
import type { AccountKey } from '../../../../domain/account.ts';
import type { EntryDraw, HeldAt, HolderEntry } from '../../../../domain/earning/holding/entry.ts';
import type { Address } from '../../../../domain/gigs/token.ts';
import type { NounSql, Sql, Tables } from '../../engine.ts';
import { locked, noun } from '../../noun.ts';
import { bound, boundTo, changeEach, changeParts, equals, prepareChange, readEach } from '../../statements.ts';
import { byGig, byItsGig } from '../../subjects.ts';
import { EARNING_HELD } from '../earning-tables.ts';
import { ENTRY_OPEN } from './entry-tables.ts';

const placeholder = sql.placeholder;

type EntryRow = Tables['entries']['$inferSelect'];

function heldAt(amount: bigint | null, number: bigint | null, hash: `0x${string}` | null): HeldAt | null {
  return amount === null || number === null || hash === null ? null : { amount, number, hash };
}

function toEntry(row: EntryRow, addresses: readonly Address[]): HolderEntry {
  const { entryAmount, entryBlock, entryHash, lastAmount, lastBlock, lastHash, ...entry } = row;
  return {
    ...entry,
    addresses,
    entry: heldAt(entryAmount, entryBlock, entryHash),
    last: heldAt(lastAmount, lastBlock, lastHash),
  };
}

function ofAccount({ gigId, platform, platformUserId }: Tables['entries'] | Tables['entryAddresses']) {
  return and(equals(gigId, 'gigId'), equals(platform, 'platform'), equals(platformUserId, 'platformUserId'));
}

function prepareEntryReads(db: Sql) {
  const { build, kit, prepare, tables } = db;
  const { earnings, entries, entryAddresses, entryDraws } = tables;
  const { dueAt, slot, platform, platformUserId } = entries;
  const ofGig = equals(entries.gigId, 'gigId');
  const one = prepare(build.select().from(entries).where(ofAccount(entries)));
  const ofEntry = and(
    eq(earnings.gigId, entries.gigId),
    eq(earnings.platform, platform),
    eq(earnings.platformUserId, platformUserId),
  );
  // Who was refused meanwhile, or awarded, is not asked about any more.
  const isHeld = exists(build.select({ one: sql`1` }).from(earnings).where(and(EARNING_HELD, ofEntry)));
  const isOpen = and(ENTRY_OPEN, ofGig, isHeld);
  const open = build.select({ dueAt }).from(entries).where(isOpen);
  const next = prepare(kit.first(open.orderBy(asc(dueAt))));
  const isDue = and(isOpen, sql`${dueAt} <= ${placeholder('now')}`);
  const inOrder = build.select().from(entries);
  const due = prepare(inOrder.where(isDue).orderBy(dueAt, platform, platformUserId).limit(placeholder('limit')));
  const isIn = and(isOpen, equals(slot, 'slot'));
  const together = build.select().from(entries).where(isIn).orderBy(platform, platformUserId);
  const inSlot = prepare(together.limit(placeholder('limit')));
  const { address } = entryAddresses;
  const own = build.select({ address }).from(entryAddresses).where(ofAccount(entryAddresses)).orderBy(address);
  const addresses = prepare(own);
  const isDraw = and(equals(entryDraws.gigId, 'gigId'), equals(entryDraws.slot, 'slot'));
  const draw = prepare(build.select().from(entryDraws).where(isDraw));
  return { one, next, due, inSlot, addresses, draw };
}

function createEntryReads(db: Sql) {
  const { one, next, due, inSlot, addresses, draw } = prepareEntryReads(db);
  const withAddresses = async (row: EntryRow): Promise<HolderEntry> => {
    const { gigId, platform, platformUserId } = row;
    const found = await addresses.all({ gigId, platform, platformUserId });
    return toEntry(
      row,
      found.map((each) => each.address),
    );
  };
  return {
    /** Null for an account that has not entered. */
    entry: locked(
      byGig,
      async (gigId: number, { platform, platformUserId }: AccountKey): Promise<HolderEntry | null> => {
        const row = await one.get({ gigId, platform, platformUserId });
        return row === undefined ? null : await withAddresses(row);
      },
    ),
    /** When the next entry of a gig is to be read, or its block drawn; null when none is. */
    nextEntryDue: locked(
      byGig,
      async (gigId: number): Promise<number | null> => (await next.get({ gigId }))?.dueAt ?? null,
    ),
    /** Entries that are due, those that wait longest first. */
    dueEntries: locked(
      byGig,
      async (gigId: number, page: { now: number; limit: number }): Promise<HolderEntry[]> =>
        await readEach(await due.all({ gigId, ...page }), withAddresses),
    ),
    /** Entries for which one block is drawn, and that were not read in it. */
    entriesInSlot: locked(
      byGig,
      async (gigId: number, page: { slot: number; limit: number }): Promise<HolderEntry[]> =>
        await readEach(await inSlot.all({ gigId, ...page }), withAddresses),
    ),
    /** Which block decides for a slot; null before it is drawn. */
    entryDraw: locked(
      byGig,
      async (gigId: number, slot: number): Promise<EntryDraw | null> => (await draw.get({ gigId, slot })) ?? null,
    ),
  };
}

const STATE = ['state', 'dueAt', 'joinedAt', 'enteredAt', 'slot', 'counted', 'unknownSince'] as const;
const HELD = ['entryAmount', 'entryBlock', 'entryHash', 'lastAmount', 'lastBlock', 'lastHash'] as const;

function prepareEntryChanges(db: NounSql) {
  const { build, prepare, tables } = db;
  const { entries, entryAddresses, entryDraws } = tables;
  const state = boundTo(entries, ...STATE, ...HELD);
  const key = boundTo(entries, 'gigId', 'platform', 'platformUserId');
  const joined = boundTo(entries, 'state', 'dueAt', 'joinedAt');
  const open = prepare(build.insert(entries).values({ ...key, ...joined }));
  const wasSo = and(ofAccount(entries), equals(entries.state, 'wasState'), equals(entries.dueAt, 'wasDue'));
  const keep = prepareChange(db, entries, state, wasSo);
  const isIn = and(ENTRY_OPEN, equals(entries.gigId, 'gigId'), equals(entries.slot, 'slot'));
  const move = prepare(
    build
      .update(entries)
      .set({ dueAt: bound('dueAt'), slot: bound('nextSlot') })
      .where(and(isIn, ne(entries.state, 'joined'))),
  );
  const claim = prepare(
    build
      .insert(entryAddresses)
      .values(boundTo(entryAddresses, 'gigId', 'address', 'platform', 'platformUserId'))
      .onConflictDoNothing(),
  );
  const drawn = boundTo(entryDraws, 'gigId', 'slot', 'begunBlock', 'begunHash', 'notBefore', 'drawnAt');
  const draw = prepare(build.insert(entryDraws).values(drawn).onConflictDoNothing());
  return { open, keep, move, claim, draw };
}

export const entries = noun((db: NounSql) => {
  const { open, keep, move, claim, draw } = prepareEntryChanges(db);
  return {
    reads: createEntryReads(db),
    writes: {
      /** The first entry of an account that has an earning in the gig. */
      insertEntry: locked(
        byGig,
        async (gigId: number, { platform, platformUserId }: AccountKey, now: number): Promise<void> => {
          await open.run({ gigId, platform, platformUserId, state: 'joined', dueAt: now, joinedAt: now });
        },
      ),
      /** Changes an entry that is as it was, but for its addresses; false when it is not. */
      changeEntry: locked(
        byItsGig,
        async (next: HolderEntry, was: Pick<HolderEntry, 'state' | 'dueAt'>): Promise<boolean> => {
          const { entry, last, addresses: _, ...rest } = next;
          const held = {
            entryAmount: entry?.amount ?? null,
            entryBlock: entry?.number ?? null,
            entryHash: entry?.hash ?? null,
            lastAmount: last?.amount ?? null,
            lastBlock: last?.number ?? null,
            lastHash: last?.hash ?? null,
          };
          return await keep({ ...rest, ...held, wasState: was.state, wasDue: was.dueAt });
        },
      ),
      /** Has an account's addresses count for it, but for those that count for another one. */
      claimEntryAddresses: locked(
        byGig,
        async (
          gigId: number,
          { platform, platformUserId }: AccountKey,
          addresses: readonly Address[],
        ): Promise<void> => {
          const keepOne = (address: Address) => claim.run({ gigId, platform, platformUserId, address });
          await changeParts(db, addresses, (part) => changeEach(part, keepOne));
        },
      ),
      /** Keeps which block decides for a slot; false when that is known. */
      insertEntryDraw: locked(
        byItsGig,
        async (draws: EntryDraw): Promise<boolean> => (await draw.run({ ...draws })) === 1,
      ),
      /** Has the open entries of a slot wait until then, in the same slot or another one; how many they are. */
      moveEntries: locked(
        byGig,
        (gigId: number, slot: number, to: { slot: number; dueAt: number }): Promise<number> =>
          move.run({ gigId, slot, nextSlot: to.slot, dueAt: to.dueAt }),
      ),
    },
  };
});
