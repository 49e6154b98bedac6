import { and, eq, exists, getTableColumns, lt, sql } from 'drizzle-orm';
import type { AccountKey } from '../../domain/account.ts';
import type { EarningDecision } from '../port/earning.ts';
import type { StoreReads } from '../port/index.ts';
import { EARNING_ELIGIBLE, EARNING_HELD } from './earning-tables.ts';
import type { Sql } from './engine.ts';
import { IS_ADOPTED_PAYOUT } from './payment-tables.ts';
import { equals } from './statements.ts';

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

export function createLostPaymentReads(db: Sql): Pick<StoreReads, 'lostRecipients' | 'eligibleButPaid'> {
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
    lostRecipients: async (gigId) => [...new Set((await all.all({ gigId })).map(({ recipient }) => recipient))],
    // Most ledgers have lost nothing, and then no account is looked at.
    eligibleButPaid: async (gigId) => ((await all.get({ gigId })) === undefined ? [] : await eligible.all({ gigId })),
  };
}

export function createEarningHolderReads({
  build,
  prepare,
  tables,
}: Sql): Pick<StoreReads, 'earningAddressHolder' | 'earningTextHolder'> {
  const { earningAddresses, earningTexts } = tables;
  const isAddress = and(equals(earningAddresses.gigId, 'gigId'), equals(earningAddresses.address, 'address'));
  const isText = and(equals(earningTexts.gigId, 'gigId'), equals(earningTexts.hash, 'hash'));
  const ofAddress = { platform: earningAddresses.platform, platformUserId: earningAddresses.platformUserId };
  const ofText = { platform: earningTexts.platform, platformUserId: earningTexts.platformUserId };
  const byAddress = prepare(build.select(ofAddress).from(earningAddresses).where(isAddress));
  const byText = prepare(build.select(ofText).from(earningTexts).where(isText));
  return {
    earningAddressHolder: async (gigId, address) => (await byAddress.get({ gigId, address })) ?? null,
    earningTextHolder: async (gigId, hash) => (await byText.get({ gigId, hash })) ?? null,
  };
}

/**
 * Texts of held accounts. Texts have no index, so the few held accounts that were seen before are found in theirs: an
 * account that is held for a later act has failed by those before that.
 */
export function createHeldTextReads({ build, kit, prepare, tables }: Sql): Pick<StoreReads, 'heldTexts'> {
  const { earnings, observations } = tables;
  const { platform, platformUserId, rankedAt, dueAt, observationId: heldFor } = earnings;
  const isTheirs = and(
    eq(observations.gigId, earnings.gigId),
    eq(observations.platform, platform),
    eq(observations.platformUserId, platformUserId),
  );
  const isSeenBefore = and(EARNING_HELD, equals(earnings.gigId, 'gigId'), lt(heldFor, placeholder('before')));
  const textHash = sql<string>`${observations.textHash}`;
  const query = build
    .select({ platformUserId, rankedAt, dueAt, heldFor, observationId: observations.id, textHash })
    .from(earnings)
    .innerJoin(observations, isTheirs)
    .where(and(isSeenBefore, kit.isAmong(observations.textHash, 'hashes'), lt(observations.id, placeholder('before'))));
  const held = prepare(query);
  return {
    heldTexts: async (gigId, { hashes, before }) =>
      hashes.length === 0 ? [] : await held.all({ gigId, hashes, before }),
  };
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
