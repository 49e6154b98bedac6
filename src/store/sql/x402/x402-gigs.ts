import { and, asc, desc, eq, gt, lte, notExists, sql } from 'drizzle-orm';
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
export interface NamedGig {
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

/** Gigs that are created and paid for in one call, and the tokens that can pay so. */
export const x402Gigs = noun((db: Sql) => {
  const { build, kit, prepare, tables } = db;
  const { deposits, gigs, x402Gigs, x402Tokens } = tables;
  const { gigId, fingerprint, createdAt } = x402Gigs;
  const ofRequest = prepare(
    kit.first(
      build
        .select({ gigId, fingerprint, createdAt })
        .from(x402Gigs)
        .where(equals(x402Gigs.request, 'request'))
        .orderBy(desc(gigId)),
    ),
  );
  const ofWallet = prepare(
    build
      .select({ id: gigs.id })
      .from(gigs)
      .innerJoin(x402Gigs, eq(gigId, gigs.id))
      .where(equals(gigs.walletAddress, 'address')),
  );
  const one = prepare(build.select({ gigId }).from(x402Gigs).where(equals(gigId, 'gigId')));
  const isUnpaid = and(GIG_WAITS, sql`${kit.noWayIn(gigs.client)} = ${UNPAID_CLIENT}`);
  const unpaid = prepare(
    build
      .select({ count: sql<number>`count(*)`.mapWith(Number) })
      .from(gigs)
      .where(isUnpaid),
  );
  const id = kit.noWayIn(gigs.id);
  const open = build
    .select({ one: sql`1` })
    .from(deposits)
    .where(and(eq(deposits.gigId, gigs.id), DEPOSIT_OPEN));
  const isOf = build.select({ one: sql`1` }).from(x402Gigs).where(eq(gigId, gigs.id));
  const waiting = prepare(
    build
      .select({ id: gigs.id })
      .from(gigs)
      .where(
        and(
          GIG_WAITS,
          lte(gigs.createdAt, sql.placeholder('createdBy')),
          sql`exists (${isOf})`,
          notExists(open),
          gt(id, sql.placeholder('after')),
        ),
      )
      .orderBy(asc(id))
      .limit(sql.placeholder('limit')),
  );
  const insert = prepare(
    build.insert(x402Gigs).values(boundTo(x402Gigs, 'gigId', 'request', 'fingerprint', 'createdAt')),
  );
  const domain = prepare(
    build
      .select({ name: x402Tokens.name, version: x402Tokens.version })
      .from(x402Tokens)
      .where(equals(x402Tokens.tokenId, 'tokenId')),
  );
  const keep = prepare(
    build
      .insert(x402Tokens)
      .values(boundTo(x402Tokens, 'tokenId', 'name', 'version', 'createdAt'))
      .onConflictDoNothing(),
  );
  const drop = prepare(build.delete(x402Tokens).where(equals(x402Tokens.tokenId, 'tokenId')));
  const take = prepareChange(
    db,
    gigs,
    { client: bound('client') },
    and(equals(gigs.id, 'id'), eq(gigs.client, UNPAID_CLIENT)),
  );
  return {
    reads: {
      /** The gig that a request named last; `request` is a SHA-256. */
      gigOfRequest: locked(
        (request: string) => byKey(SCOPE, request),
        async (request: string): Promise<NamedGig | null> => (await ofRequest.get({ request })) ?? null,
      ),
      /** The gig, paid for by x402 or to be, with this wallet. */
      x402GigOf: locked(
        nothing,
        async (address: Address): Promise<number | null> => (await ofWallet.get({ address }))?.id ?? null,
      ),
      isX402Gig: locked(nothing, async (gigId: number): Promise<boolean> => (await one.get({ gigId })) !== undefined),
      /** How many gigs wait for their payment by x402. */
      unpaidX402Gigs: locked(
        // Two creations are counted one after the other.
        () => byClient(UNPAID_CLIENT),
        async (): Promise<number> => (await unpaid.get({}))?.count ?? 0,
      ),
      /** Gigs of x402 that were created by a time, wait, and have no payment under way, by id. */
      waitingX402Gigs: locked(
        nothing,
        async (page: WaitingPage): Promise<number[]> => (await waiting.all({ ...page })).map(({ id }) => id),
      ),
      /** What payers of a token sign by; null of one that takes no authorizations, or is not taken. */
      x402Token: locked(
        nothing,
        async (tokenId: number): Promise<SigningDomain | null> => (await domain.get({ tokenId })) ?? null,
      ),
    },
    writes: {
      /** Names a new gig by its request. */
      nameX402Gig: locked(
        ({ request }) => byKey(SCOPE, request),
        async (gig: NamedGig & { readonly request: string }): Promise<void> => {
          await insert.run({ ...gig });
        },
      ),
      /** Takes a token for payments; false when it is taken already. */
      takeX402Token: locked(
        nothing,
        async (tokenId: number, { name, version }: SigningDomain, now: number): Promise<boolean> =>
          (await keep.run({ tokenId, name, version, createdAt: now })) === 1,
      ),
      /** False when it is not taken. */
      dropX402Token: locked(nothing, async (tokenId: number): Promise<boolean> => (await drop.run({ tokenId })) === 1),
      /** Gives a gig to its payer, once; false when it is somebody's. */
      payX402Gig: locked(byGig, (id: number, client: string) => take({ id, client })),
    },
  };
});
