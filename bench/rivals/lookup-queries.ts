import { COLUMNS } from './document.ts';

/** The tables of these queries, by the names that the queries have for them. */
export const TABLES = { t: 'tips', k: 'tokens', a: 'accounts' } as const;

/**
 * A look-up in the service's own file, one statement for each platform. A partial index is used only where its whole condition
 * stands literally in the query. Of `col = ?` beside a sort or a join SQLite makes a plan at each run, which may depend on the
 * value; of `col in (?)` it makes the same plan once.
 */
export const SQLITE_BY_FID = `select ${COLUMNS} from tips t join tokens k on k.id = t.token_id
   join accounts a on a.platform = t.platform and a.platform_user_id = t.platform_user_id
   where t.status = 'pending' and t.is_void = 0 and t.platform = 'farcaster' and t.platform_user_id in (?) order by t.created_at`;
export const SQLITE_BY_HANDLE = `select ${COLUMNS} from accounts a
   join tips t on t.status = 'pending' and t.is_void = 0 and t.platform = 'twitter' and t.platform_user_id = a.platform_user_id
   join tokens k on k.id = t.token_id where a.platform = 'twitter' and a.handle in (?) order by t.created_at`;

/** The same of the tables of `bench/data/postgres.ts`, for all FIDs ($1) and handles ($2) at once. */
export const POSTGRES_LOOKUP = `select * from (
    select ${COLUMNS} from tips t join tokens k on k.id = t.token_id
    join accounts a on a.platform = t.platform and a.platform_user_id = t.platform_user_id
    where t.status = 'pending' and t.platform = 'farcaster' and t.platform_user_id = any($1)
    union all
    select ${COLUMNS} from accounts a
    join tips t on t.status = 'pending' and t.platform = 'twitter' and t.platform_user_id = a.platform_user_id
    join tokens k on k.id = t.token_id where a.platform = 'twitter' and a.handle = any($2)
  ) found order by created_at, id`;
