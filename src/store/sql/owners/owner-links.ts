import { and, eq, gt, lte, sql } from 'drizzle-orm';
import { type Account, type AccountKey, accountKeyText, readAccountKey } from '../../../domain/account.ts';
import type { Address } from '../../../domain/gigs/token.ts';
import type { WalletLink } from '../../../domain/owners/link.ts';
import type { Sql } from '../engine.ts';
import { REPLY_ANSWERS } from '../mentions/reply-tables.ts';
import { locked, noun } from '../noun.ts';
import { bound, boundTo, equals, givenRows, prepareChange } from '../statements.ts';
import { byAuthor, nothing } from '../subjects.ts';
import { LINK_LIVE, LINK_WAITS } from './owner-tables.ts';

const placeholder = sql.placeholder;

/** More accounts of one wallet are not read: anybody may link an account to it. The oldest links come first, so that no stranger’s displaces them. */
const MOST_ACCOUNTS = 100;
const CHECKED_AT_ONCE = 50;

type LinkRow = Omit<WalletLink, keyof AccountKey> & { readonly owner: string };

function toLink({ owner, ...link }: LinkRow): WalletLink {
  return { ...link, ...readAccountKey(owner) };
}

/** Those of the accounts that take part, with their handles: what an account without replies has linked does nothing. */
function createTakingPart(db: Sql): (keys: readonly AccountKey[]) => Promise<Account[]> {
  const { build, prepare, tables } = db;
  const { platform, platformUserId } = tables.accounts;
  const { rows, given } = givenRows(db, 'accounts', { platform, platformUserId });
  // No join: SQLite would prepare it anew for every run.
  const isIt = sql`known.platform = ${given.platform} and known.platform_user_id = ${given.platformUserId}`;
  const isIn = sql`exists (select 1 from accounts as known where ${isIt} and known.opted_out_at is null)`;
  const found = prepare(
    build
      .select({
        platform: sql<string>`${given.platform}`,
        platformUserId: sql<string>`${given.platformUserId}`,
        username: sql<string | null>`(select known.username from accounts as known where ${isIt})`,
      })
      .from(rows)
      .where(isIn),
  );
  return (keys) => found.all({ accounts: keys });
}

/** The links of accounts and wallets. */
function createLinkReads(db: Sql) {
  const { build, kit, prepare, tables } = db;
  const { ownerLinks, replies } = tables;
  const { id, owner, wallet, postId, mentionId, createdAt, validFrom } = ownerLinks;
  const columns = { id, owner, wallet, postId, mentionId, createdAt, validFrom };
  const takingPart = createTakingPart(db);
  const isOwners = and(equals(owner, 'owner'), LINK_LIVE);
  const isWallets = and(equals(wallet, 'wallet'), LINK_LIVE);
  const live = prepare(build.select(columns).from(ownerLinks).where(isOwners));
  const ofWallet = prepare(
    build
      .select({ owner })
      .from(ownerLinks)
      .where(and(isWallets, lte(validFrom, placeholder('now'))))
      .orderBy(id)
      .limit(MOST_ACCOUNTS),
  );
  const allOfWallet = prepare(build.select(columns).from(ownerLinks).where(isWallets).orderBy(id).limit(MOST_ACCOUNTS));
  const isAnswer = and(eq(replies.mentionId, mentionId), REPLY_ANSWERS, kit.isFalse('replies.follow_up'));
  const waits = and(LINK_WAITS, gt(createdAt, placeholder('since')), lte(replies.sentAt, placeholder('sentBefore')));
  const due = prepare(
    build
      .select(columns)
      .from(ownerLinks)
      .innerJoin(replies, isAnswer)
      .where(waits)
      .orderBy(createdAt)
      .limit(CHECKED_AT_ONCE),
  );
  return {
    /** The link of an account that is not ended, also one that is not valid yet. */
    linkOf: locked(byAuthor, async (account: AccountKey): Promise<WalletLink | null> => {
      const row = await live.get({ owner: accountKeyText(account) });
      return row === undefined ? null : toLink(row);
    }),
    /** The accounts whose links to a wallet are valid at `now`: at most 100, the oldest link first, without opted-out ones. */
    accountsLinkedTo: locked(nothing, async (linked: Address, now: number): Promise<Account[]> => {
      const rows = await ofWallet.all({ wallet: linked, now });
      const found = await takingPart(rows.map((row) => readAccountKey(row.owner)));
      const byKey = new Map(found.map((account) => [accountKeyText(account), account]));
      return rows.flatMap((row) => byKey.get(row.owner) ?? []);
    }),
    /** The links to a wallet that are not ended, also those that are not valid yet: at most 100, the oldest first. */
    linksTo: locked(
      nothing,
      async (linked: Address): Promise<WalletLink[]> => (await allOfWallet.all({ wallet: linked })).map(toLink),
    ),
    /** Links made after `since` that are not valid yet, and whose replies were sent by `sentBefore`, oldest first. */
    linksToCheck: locked(
      nothing,
      async (times: { since: number; sentBefore: number }): Promise<WalletLink[]> =>
        (await due.all({ ...times })).map(toLink),
    ),
  };
}

export const ownerLinks = noun((db: Sql) => {
  const { build, prepare, tables } = db;
  const { ownerLinks } = tables;
  const { id, owner, wallet } = ownerLinks;
  const isOwners = and(equals(owner, 'owner'), LINK_LIVE);
  const isWallets = and(equals(wallet, 'wallet'), LINK_LIVE);
  const insert = prepare(
    build.insert(ownerLinks).values(boundTo(ownerLinks, 'owner', 'wallet', 'postId', 'mentionId', 'createdAt')),
  );
  const ended = { endedAt: bound('now') };
  const end = prepare(build.update(ownerLinks).set(ended).where(isOwners).returning({ wallet }));
  const endAll = prepare(build.update(ownerLinks).set(ended).where(isWallets).returning({ owner }));
  const isWaiting = and(equals(id, 'id'), LINK_WAITS);
  const confirm = prepareChange(db, ownerLinks, { validFrom: bound('now') }, isWaiting);
  const endOne = prepareChange(db, ownerLinks, ended, isWaiting);
  return {
    reads: createLinkReads(db),
    writes: {
      /** Stores the link of an account that has none. */
      insertLink: locked(
        byAuthor,
        async (
          account: AccountKey,
          link: { wallet: Address; postId: string; mentionId: number; createdAt: number },
        ): Promise<void> => {
          await insert.run({ owner: accountKeyText(account), ...link });
        },
      ),
      /** Ends the link of an account, valid or not; its wallet, or null when there is none. */
      endLinkOf: locked(
        byAuthor,
        async (account: AccountKey, now: number): Promise<Address | null> =>
          (await end.get({ owner: accountKeyText(account), now }))?.wallet ?? null,
      ),
      /** Ends all links to a wallet; their accounts. */
      endLinksTo: locked(
        // Its own condition decides: one that is made meanwhile is a later one.
        nothing,
        async (linked: Address, now: number): Promise<AccountKey[]> =>
          (await endAll.all({ wallet: linked, now })).map((row) => readAccountKey(row.owner)),
      ),
      /** Waiting → valid from `now` on; false when it was ended meanwhile. */
      confirmLink: locked(nothing, (linkId: number, now: number): Promise<boolean> => confirm({ id: linkId, now })),
      /** Waiting → ended; false when it is not waiting any more. */
      refuseLink: locked(nothing, (linkId: number, now: number): Promise<boolean> => endOne({ id: linkId, now })),
    },
  };
});
