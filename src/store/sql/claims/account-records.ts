import { and, desc, getTableColumns, lt, sql } from 'drizzle-orm';
import type { AccountKey } from '../../../domain/account.ts';
import type { TipRecord } from '../../../domain/gigs/tip.ts';
import type { MentionRecord } from '../../../domain/mentions/mention.ts';
import type { Page } from '../../port/page.ts';
import type { Sql } from '../engine.ts';
import { tipColumns } from '../gigs/tips.ts';
import { mentionColumns } from '../mentions/mentions.ts';
import { locked, noun } from '../noun.ts';
import { equals } from '../statements.ts';
import { nothing } from '../subjects.ts';
import { createAccountLookup } from './accounts.ts';

const placeholder = sql.placeholder;

/** What the operator is shown of an account, page by page: each list goes by an index of the account. */
export const accountRecords = noun((db: Sql) => {
  const { build, kit, prepare, tables } = db;
  const { mentions, tips } = tables;
  const limit = placeholder('limit');
  const account = createAccountLookup(db);
  const isAuthor = and(equals(mentions.platform, 'platform'), equals(mentions.authorId, 'platformUserId'));
  const posted = prepare(
    build
      .select(mentionColumns(tables))
      .from(mentions)
      .where(and(isAuthor, lt(mentions.id, placeholder('before'))))
      .orderBy(desc(mentions.id))
      .limit(limit),
  );
  const { awardedBy, voidedAt, voidReason } = getTableColumns(tips);
  const isTheirs = and(equals(tips.platform, 'platform'), equals(tips.platformUserId, 'platformUserId'));
  // Sorted in the index of the account, which has no order by ids: an account has few.
  const tipId = kit.noWayIn(tips.id);
  const earned = prepare(
    build
      .select({ id: tips.id })
      .from(tips)
      .where(and(isTheirs, lt(tipId, placeholder('before'))))
      .orderBy(desc(tipId))
      .limit(limit),
  );
  const tipRows = prepare(
    build
      .select({ ...tipColumns(tables), awardedBy, voidedAt, voidReason })
      .from(tips)
      .where(kit.isAmong(tips.id, 'ids')),
  );
  return {
    reads: {
      /** The mentions of an account, newest first. */
      mentionsBy: locked(
        nothing,
        (
          { platform, platformUserId }: AccountKey,
          { limit, before = Number.MAX_SAFE_INTEGER }: Page,
        ): Promise<MentionRecord[]> => posted.all({ platform, platformUserId, limit, before }),
      ),
      /** The tips of an account, claimed and void ones too, newest first. */
      tipsOf: locked(
        nothing,
        async (
          { platform, platformUserId }: AccountKey,
          { limit, before = Number.MAX_SAFE_INTEGER }: Page,
        ): Promise<TipRecord[]> => {
          const username = (await account({ platform, platformUserId }))?.username ?? null;
          const found = await earned.all({ platform, platformUserId, limit, before });
          const rows = await tipRows.all({ ids: found.map(({ id }) => id) });
          return rows.sort((a, b) => b.id - a.id).map((tip) => ({ ...tip, username }));
        },
      ),
    },
    writes: {},
  };
});
