import { and, eq, exists, getTableColumns, lt, sql } from 'drizzle-orm';
import type { AccountKey } from '../../../domain/account.ts';
import type { Earning } from '../../../domain/earning/earning.ts';
import type { HeldText } from '../../../domain/earning/first-use.ts';
import type { Address } from '../../../domain/gigs/token.ts';
import type { EarningDecision } from '../../port/earning.ts';
import type { Sql } from '../engine.ts';
import { locked, noun } from '../noun.ts';
import { IS_ADOPTED_PAYOUT } from '../payments/payment-tables.ts';
import { equals } from '../statements.ts';
import { byGig } from '../subjects.ts';
import { EARNING_ELIGIBLE, EARNING_HELD } from './earning-tables.ts';

const placeholder = sql.placeholder;
const account = {
  gigId: placeholder('gigId'),
  platform: placeholder('platform'),
  platformUserId: placeholder('platformUserId'),
};

/** Payments for tips that the ledger has lost, found by the few that were adopted. */
function isForLostTips({ kit, tables }: Sql) {
  const { payments, tips } = tables;
  return and(
    IS_ADOPTED_PAYOUT,
    sql`${kit.noWayIn(payments.state)} = 'confirmed'`,
    sql`${kit.noWayIn(payments.gigId)} = ${placeholder('gigId')}`,
    sql`not exists (select 1 from ${tips} where ${tips.paymentId} = ${payments.id})`,
  );
}

type Accepted = AccountKey & Pick<EarningDecision, 'gigId' | 'addresses' | 'textHash'>;

/** Keeps the addresses and the text of an account that becomes eligible; throws when one is another account's. */
export function createEarningHolders({ build, prepare, tables }: Sql): (accepted: Accepted) => Promise<void> {
  const { earningAddresses, earningTexts } = tables;
  // An upsert that changes nothing counts as a row only when the row is the account's own.
  const platformUserId = sql`excluded.platform_user_id`;
  const isOwnAddress = sql`${earningAddresses.platform} = excluded.platform and ${earningAddresses.platformUserId} = excluded.platform_user_id`;
  const isOwnText = sql`${earningTexts.platform} = excluded.platform and ${earningTexts.platformUserId} = excluded.platform_user_id`;
  const keepAddress = prepare(
    build
      .insert(earningAddresses)
      .values({ ...account, address: placeholder('address') })
      .onConflictDoUpdate({
        target: [earningAddresses.gigId, earningAddresses.address],
        set: { platformUserId },
        setWhere: isOwnAddress,
      }),
  );
  const keepText = prepare(
    build
      .insert(earningTexts)
      .values({ ...account, hash: placeholder('hash') })
      .onConflictDoUpdate({
        target: [earningTexts.gigId, earningTexts.hash],
        set: { platformUserId },
        setWhere: isOwnText,
      }),
  );
  return async ({ gigId, platform, platformUserId, addresses, textHash: hash }) => {
    const key = { gigId, platform, platformUserId };
    for (const address of addresses) {
      if ((await keepAddress.run({ ...key, address })) === 1) continue;
      throw new RangeError(`gig ${gigId}: an address is another account's`);
    }
    if (hash !== null && (await keepText.run({ ...key, hash })) !== 1) {
      throw new RangeError(`gig ${gigId}: a text is another account's`);
    }
  };
}

/** Whom a gig has paid without its ledger’s knowledge. */
function createLostRecipients(db: Sql) {
  const { build, prepare, tables } = db;
  const { earningAddresses, earnings, payments } = tables;
  const recipients = build.select({ recipient: payments.recipient }).from(payments).where(isForLostTips(db));
  const all = prepare(recipients);
  const ofAccount = and(
    eq(earningAddresses.gigId, earnings.gigId),
    eq(earningAddresses.platform, earnings.platform),
    eq(earningAddresses.platformUserId, earnings.platformUserId),
  );
  const paid = build
    .select({ one: sql`1` })
    .from(earningAddresses)
    .where(and(ofAccount, sql`${earningAddresses.address} in ${recipients}`));
  const eligible = prepare(
    build
      .select(getTableColumns(earnings))
      .from(earnings)
      .where(and(EARNING_ELIGIBLE, equals(earnings.gigId, 'gigId'), exists(paid)))
      .orderBy(earnings.rankedAt, earnings.observationId),
  );
  return {
    /** Whom the gig's wallet has paid for tips that the ledger has lost, each once. */
    lostRecipients: locked(
      byGig,
      async (gigId: number): Promise<Address[]> => [
        ...new Set((await all.all({ gigId })).map(({ recipient }) => recipient)),
      ],
    ),
    /** Eligible accounts of a gig that have verified one of `lostRecipients`. */
    eligibleButPaid: locked(
      byGig,
      async (gigId: number): Promise<Earning[]> =>
        // Most ledgers have lost nothing, and then no account is looked at.
        (await all.get({ gigId })) === undefined ? [] : await eligible.all({ gigId }),
    ),
  };
}

export const earningHolders = noun((db: Sql) => {
  const { build, kit, prepare, tables } = db;
  const { earningAddresses, earningTexts, earnings, observations } = tables;
  const isAddress = and(equals(earningAddresses.gigId, 'gigId'), equals(earningAddresses.address, 'address'));
  const isText = and(equals(earningTexts.gigId, 'gigId'), equals(earningTexts.hash, 'hash'));
  const ofAddress = { platform: earningAddresses.platform, platformUserId: earningAddresses.platformUserId };
  const ofText = { platform: earningTexts.platform, platformUserId: earningTexts.platformUserId };
  const byAddress = prepare(build.select(ofAddress).from(earningAddresses).where(isAddress));
  const byText = prepare(build.select(ofText).from(earningTexts).where(isText));
  const { platform, platformUserId, rankedAt, dueAt, observationId: heldFor } = earnings;
  const isTheirs = and(
    eq(observations.gigId, earnings.gigId),
    eq(observations.platform, platform),
    eq(observations.platformUserId, platformUserId),
  );
  // Texts have no index, so the few held accounts that were seen before are found in theirs: an account that is held for a later
  // act has failed by those before that.
  const isSeenBefore = and(EARNING_HELD, equals(earnings.gigId, 'gigId'), lt(heldFor, placeholder('before')));
  const textHash = sql<string>`${observations.textHash}`;
  const query = build
    .select({ platformUserId, rankedAt, dueAt, heldFor, observationId: observations.id, textHash })
    .from(earnings)
    .innerJoin(observations, isTheirs)
    .where(and(isSeenBefore, kit.isAmong(observations.textHash, 'hashes'), lt(observations.id, placeholder('before'))));
  const held = prepare(query);
  return {
    reads: {
      /** Which accepted account of the gig has verified this address, or null. */
      earningAddressHolder: locked(
        byGig,
        async (gigId: number, address: Address): Promise<AccountKey | null> =>
          (await byAddress.get({ gigId, address })) ?? null,
      ),
      /** Which accepted account of the gig has used the text with this hash, or null. */
      earningTextHolder: locked(
        byGig,
        async (gigId: number, hash: string): Promise<AccountKey | null> => (await byText.get({ gigId, hash })) ?? null,
      ),
      /** Acts with these texts of held accounts, those that were seen before the act `before`, in any order. */
      heldTexts: locked(
        byGig,
        async (
          gigId: number,
          { hashes, before }: { hashes: readonly string[]; before: number },
        ): Promise<HeldText[]> => (hashes.length === 0 ? [] : await held.all({ gigId, hashes, before })),
      ),
      ...createLostRecipients(db),
    },
    writes: {},
  };
});
