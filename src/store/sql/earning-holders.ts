import { and, eq, exists, getTableColumns, lt, sql } from 'drizzle-orm';
import type { AccountKey } from '../../domain/account.ts';
import type { EarningDecision } from '../port/earning.ts';
import { type Db, prepare, prepareRaw, type SyncReads } from '../sqlite/kit.ts';
import {
  EARNING_ELIGIBLE,
  EARNING_HELD,
  earningAddresses,
  earnings,
  earningTexts,
  observations,
} from './earning-tables.ts';
import { equals } from './statements.ts';
import { IS_ADOPTED_PAYOUT, payments, tips } from './tables.ts';

const placeholder = sql.placeholder;
const account = {
  gigId: placeholder('gigId'),
  platform: placeholder('platform'),
  platformUserId: placeholder('platformUserId'),
};

/** Payments for tips that the ledger has lost, found by the few that were adopted. */
const isForLostTips = and(
  IS_ADOPTED_PAYOUT,
  sql`+${payments.state} = 'confirmed'`,
  sql`+${payments.gigId} = ${placeholder('gigId')}`,
  sql`not exists (select 1 from ${tips} where ${tips.paymentId} = ${payments.id})`,
);

export function createLostPaymentReads(db: Db): Pick<SyncReads, 'lostRecipients' | 'eligibleButPaid'> {
  const recipients = db.select({ recipient: payments.recipient }).from(payments).where(isForLostTips);
  const all = prepare(db, recipients);
  const ofAccount = and(
    eq(earningAddresses.gigId, earnings.gigId),
    eq(earningAddresses.platform, earnings.platform),
    eq(earningAddresses.platformUserId, earnings.platformUserId),
  );
  const paid = db
    .select({ one: sql`1` })
    .from(earningAddresses)
    .where(and(ofAccount, sql`${earningAddresses.address} in ${recipients}`));
  const eligible = prepare(
    db,
    db
      .select(getTableColumns(earnings))
      .from(earnings)
      .where(and(EARNING_ELIGIBLE, equals(earnings.gigId, 'gigId'), exists(paid))),
  );
  return {
    lostRecipients: (gigId) => [...new Set(all.all({ gigId }).map(({ recipient }) => recipient))],
    // Most ledgers have lost nothing, and then no account is looked at.
    eligibleButPaid: (gigId) => (all.get({ gigId }) === undefined ? [] : eligible.all({ gigId })),
  };
}

export function createEarningHolderReads(db: Db): Pick<SyncReads, 'earningAddressHolder' | 'earningTextHolder'> {
  const isAddress = and(equals(earningAddresses.gigId, 'gigId'), equals(earningAddresses.address, 'address'));
  const isText = and(equals(earningTexts.gigId, 'gigId'), equals(earningTexts.hash, 'hash'));
  const ofAddress = { platform: earningAddresses.platform, platformUserId: earningAddresses.platformUserId };
  const ofText = { platform: earningTexts.platform, platformUserId: earningTexts.platformUserId };
  const byAddress = prepare(db, db.select(ofAddress).from(earningAddresses).where(isAddress));
  const byText = prepare(db, db.select(ofText).from(earningTexts).where(isText));
  return {
    earningAddressHolder: (gigId, address) => byAddress.get({ gigId, address }) ?? null,
    earningTextHolder: (gigId, hash) => byText.get({ gigId, hash }) ?? null,
  };
}

/**
 * Texts of held accounts. Texts have no index, so the few held accounts that were seen before are found in theirs: an
 * account that is held for a later act has failed by those before that.
 */
export function createHeldTextReads(db: Db): Pick<SyncReads, 'heldTexts'> {
  const { platform, platformUserId, rankedAt, dueAt, observationId: heldFor } = earnings;
  const isTheirs = and(
    eq(observations.gigId, earnings.gigId),
    eq(observations.platform, platform),
    eq(observations.platformUserId, platformUserId),
  );
  const isSeenBefore = and(EARNING_HELD, equals(earnings.gigId, 'gigId'), lt(heldFor, placeholder('before')));
  const hasText = sql`${observations.textHash} in (select value from json_each(${placeholder('hashes')}))`;
  const textHash = sql<string>`${observations.textHash}`;
  const query = db
    .select({ platformUserId, rankedAt, dueAt, heldFor, observationId: observations.id, textHash })
    .from(earnings)
    .innerJoin(observations, isTheirs)
    .where(and(isSeenBefore, hasText, lt(observations.id, placeholder('before'))));
  const held = prepare(db, query);
  return {
    heldTexts: (gigId, { hashes, before }) =>
      hashes.length === 0 ? [] : held.all({ gigId, hashes: JSON.stringify(hashes), before }),
  };
}

type Accepted = AccountKey & Pick<EarningDecision, 'gigId' | 'addresses' | 'textHash'>;

/** Keeps the addresses and the text of an account that becomes eligible; throws when one is another account's. */
export function createEarningHolders(db: Db): (accepted: Accepted) => void {
  // An upsert that changes nothing counts as a row only when the row is the account's own.
  const platformUserId = sql`excluded.platform_user_id`;
  const isOwnAddress = sql`${earningAddresses.platform} = excluded.platform and ${earningAddresses.platformUserId} = excluded.platform_user_id`;
  const isOwnText = sql`${earningTexts.platform} = excluded.platform and ${earningTexts.platformUserId} = excluded.platform_user_id`;
  const keepAddress = prepareRaw(
    db,
    db
      .insert(earningAddresses)
      .values({ ...account, address: placeholder('address') })
      .onConflictDoUpdate({
        target: [earningAddresses.gigId, earningAddresses.address],
        set: { platformUserId },
        setWhere: isOwnAddress,
      }),
  );
  const keepText = prepareRaw(
    db,
    db
      .insert(earningTexts)
      .values({ ...account, hash: placeholder('hash') })
      .onConflictDoUpdate({
        target: [earningTexts.gigId, earningTexts.hash],
        set: { platformUserId },
        setWhere: isOwnText,
      }),
  );
  return ({ gigId, platform, platformUserId, addresses, textHash: hash }) => {
    const key = { gigId, platform, platformUserId };
    for (const address of addresses) {
      if (keepAddress.run({ ...key, address }).changes === 1) continue;
      throw new RangeError(`gig ${gigId}: an address is another account's`);
    }
    if (hash !== null && keepText.run({ ...key, hash }).changes !== 1) {
      throw new RangeError(`gig ${gigId}: a text is another account's`);
    }
  };
}
