import { and, asc, desc, eq, exists, gt, lte, notExists, sql } from 'drizzle-orm';
import type { Address } from '../../../domain/gigs/token.ts';
import { type SigningDomain, UNPAID_CLIENT } from '../../../domain/x402/deposit.ts';
import type { Sql } from '../engine.ts';
import { GIG_WAITS } from '../gigs/gig-tables.ts';
import { locked, noun } from '../noun.ts';
import { bound, boundTo, equals, prepareChange } from '../statements.ts';
import { byClient, byGig, byKey, nothing } from '../subjects.ts';
import { DEPOSIT_OPEN } from './x402-tables.ts';

/** What names requests, apart from the keys of clients. */
const SCOPE = 'x402';

/** A gig that a request has named. */
export interface RequestedGig {
  readonly gigId: number;
  /** Of the request's body. */
  readonly fingerprint: string;
  /** Epoch milliseconds. */
  readonly createdAt: number;
}

interface WaitingPage {
  readonly createdBy: number;
  readonly after: number;
  readonly limit: number;
}

function createWaitingLookup({ build, kit, prepare, tables }: Sql) {
  const { deposits, gigs, x402Gigs } = tables;
  const one = { one: sql`1` };
  const open = build
    .select(one)
    .from(deposits)
    .where(and(eq(deposits.gigId, gigs.id), DEPOSIT_OPEN));
  const isOf = build.select(one).from(x402Gigs).where(eq(x402Gigs.gigId, gigs.id));
  const id = kit.noWayIn(gigs.id);
  const isOld = lte(gigs.createdAt, sql.placeholder('createdBy'));
  const waiting = prepare(
    build
      .select({ id: gigs.id })
      .from(gigs)
      .where(and(GIG_WAITS, isOld, exists(isOf), notExists(open), gt(id, sql.placeholder('after'))))
      .orderBy(asc(id))
      .limit(sql.placeholder('limit')),
  );
  return async (page: WaitingPage): Promise<number[]> => (await waiting.all({ ...page })).map((gig) => gig.id);
}

function createReads(db: Sql) {
  const { build, kit, prepare, tables } = db;
  const { gigs, x402Gigs } = tables;
  const { gigId, fingerprint, createdAt } = x402Gigs;
  const isNamed = equals(x402Gigs.request, 'request');
  const named = build.select({ gigId, fingerprint, createdAt }).from(x402Gigs).where(isNamed).orderBy(desc(gigId));
  const ofRequest = prepare(kit.first(named));
  const isAt = equals(gigs.walletAddress, 'address');
  const ofWallet = prepare(build.select({ gigId }).from(x402Gigs).innerJoin(gigs, eq(gigId, gigs.id)).where(isAt));
  const isUnpaid = and(GIG_WAITS, sql`${kit.noWayIn(gigs.client)} = ${UNPAID_CLIENT}`);
  const count = sql<number>`count(*)`.mapWith(Number);
  const unpaid = prepare(build.select({ count }).from(gigs).where(isUnpaid));
  return {
    /** The gig that a request named last; `request` is a SHA-256. */
    gigOfRequest: locked(
      (request: string) => byKey(SCOPE, request),
      async (request: string): Promise<RequestedGig | null> => (await ofRequest.get({ request })) ?? null,
    ),
    /** The gig, paid for by x402 or to be, with this wallet. */
    x402GigOf: locked(
      nothing,
      async (address: Address): Promise<number | null> => (await ofWallet.get({ address }))?.gigId ?? null,
    ),
    /** How many gigs wait for their payment by x402. */
    unpaidX402Gigs: locked(
      // Two creations are counted one after the other.
      () => byClient(UNPAID_CLIENT),
      async (): Promise<number> => (await unpaid.get({}))?.count ?? 0,
    ),
    /** Gigs of x402 that were created by a time, wait, and have no payment under way, by id. */
    waitingX402Gigs: locked(nothing, createWaitingLookup(db)),
  };
}

/** Gigs that are created and paid for in one call. */
export const x402Gigs = noun((db: Sql) => {
  const { build, prepare, tables } = db;
  const { gigs, x402Gigs } = tables;
  const values = boundTo(x402Gigs, 'gigId', 'request', 'fingerprint', 'createdAt');
  const insert = prepare(build.insert(x402Gigs).values(values));
  const isUnpaid = and(equals(gigs.id, 'id'), eq(gigs.client, UNPAID_CLIENT));
  const take = prepareChange(db, gigs, { client: bound('client') }, isUnpaid);
  return {
    reads: createReads(db),
    writes: {
      /** Names a new gig by its request. */
      nameX402Gig: locked(
        ({ request }) => byKey(SCOPE, request),
        async (gig: RequestedGig & { readonly request: string }): Promise<void> => {
          await insert.run({ ...gig });
        },
      ),
      /** Gives a gig to its payer, once; false when it is somebody's. */
      payX402Gig: locked(byGig, (id: number, client: string) => take({ id, client })),
    },
  };
});

/** Tokens that gigs are paid for with in one call. */
export const x402Tokens = noun((db: Sql) => {
  const { build, prepare, tables } = db;
  const { x402Tokens } = tables;
  const isIt = equals(x402Tokens.tokenId, 'tokenId');
  const { name, version } = x402Tokens;
  const domain = prepare(build.select({ name, version }).from(x402Tokens).where(isIt));
  const values = boundTo(x402Tokens, 'tokenId', 'name', 'version', 'createdAt');
  const keep = prepare(build.insert(x402Tokens).values(values).onConflictDoNothing());
  const drop = prepare(build.delete(x402Tokens).where(isIt));
  return {
    reads: {
      /** What payers of a token sign by; null of one that takes no authorizations, or is not taken. */
      x402Token: locked(
        nothing,
        async (tokenId: number): Promise<SigningDomain | null> => (await domain.get({ tokenId })) ?? null,
      ),
    },
    writes: {
      /** Takes a token for payments; false when it is taken already. */
      takeX402Token: locked(
        nothing,
        async (tokenId: number, { name, version }: SigningDomain, now: number): Promise<boolean> =>
          (await keep.run({ tokenId, name, version, createdAt: now })) === 1,
      ),
      /** False when it is not taken. */
      dropX402Token: locked(nothing, async (tokenId: number): Promise<boolean> => (await drop.run({ tokenId })) === 1),
    },
  };
});
