import type { AccountName, Platform } from '../../domain/account.ts';
import type { Tip } from '../../domain/gigs/tip.ts';
import type { Address, Token } from '../../domain/gigs/token.ts';
import type { DatabaseSession } from './connections/session.ts';

/**
 * All look-ups in one statement, and the snapshot that it reads: `n` is the place of a look-up, which finds nothing when the
 * snapshot is the one that it knows. A handle and an id may name the same account.
 */
const TEXT = `
  with read as materialized (select pg_current_snapshot()::text as snapshot)
  select read.snapshot, found.* from read left join (
    select asked.n, asked.platform, asked.platform_user_id, asked.username, tips.id, tips.created_at, tips.gig_id,
      tips.token_id, tips.amount, tips.user_address, tips.tx_hash, tips.claim_nonce, tips.claim_started_at,
      tips.lock_timeout, tips.number
    from (
      select ids.n, accounts.platform, accounts.platform_user_id, accounts.username
        from unnest($1::int[], $2::text[], $3::text[], $4::text[]) as ids (n, known, platform, platform_user_id)
        join accounts on accounts.platform = ids.platform and accounts.platform_user_id = ids.platform_user_id
        where ids.known is distinct from (select snapshot from read)
      union
      select names.n, accounts.platform, accounts.platform_user_id, accounts.username
        from unnest($5::int[], $6::text[], $7::text[], $8::text[]) as names (n, known, platform, handle)
        join accounts on accounts.platform = names.platform and accounts.handle = names.handle
        where names.known is distinct from (select snapshot from read)
    ) as asked
    join tips on tips.platform = asked.platform and tips.platform_user_id = asked.platform_user_id
      and tips.status = 'pending' and not tips.is_void
  ) as found on true
  order by found.created_at, found.id`;

/** A row, in the order of the columns above. */
type PendingRow = readonly [
  snapshot: string,
  n: number | null,
  platform: Platform,
  platformUserId: string,
  username: string | null,
  id: number,
  createdAt: number,
  gigId: number,
  tokenId: number,
  amount: string,
  userAddress: Address | null,
  txHash: string | null,
  claimNonce: string | null,
  claimStartedAt: number | null,
  lockTimeout: number | null,
  number: number,
];

function toPendingTip(row: PendingRow): Tip {
  return {
    id: row[5],
    createdAt: row[6],
    gigId: row[7],
    tokenId: row[8],
    amount: BigInt(row[9]),
    status: 'pending',
    platform: row[2],
    platformUserId: row[3],
    username: row[4],
    userAddress: row[10],
    txHash: row[11],
    claimedAt: null,
    claimNonce: row[12],
    claimStartedAt: row[13],
    lockTimeout: row[14],
    number: row[15],
  };
}

/** Accounts whose tips are asked for, unless nothing was committed since a snapshot that the caller knows. */
export interface TipLookup {
  readonly identifiers: readonly AccountName[];
  readonly known: string | null;
}

/**
 * A list as PostgreSQL writes an array, which is as JSON does but for the brackets and what follows a backslash; there `pg` does
 * it. It takes two regular expressions for each text, which were a twentieth of a kept look-up.
 */
function toArray(list: readonly (string | number | null)[]): unknown {
  const json = JSON.stringify(list);
  return json.includes('\\') ? list : `{${json.slice(1, -1)}}`;
}

/** The values of the statement: for each of both ways to name an account the place, the snapshot, the platform and the name. */
function bind(lookups: readonly TipLookup[]): unknown[] {
  const ids: [number[], (string | null)[], string[], string[]] = [[], [], [], []];
  const names: typeof ids = [[], [], [], []];
  for (const [n, { identifiers, known }] of lookups.entries()) {
    for (const name of identifiers) {
      const [places, snapshots, platforms, texts] = 'handle' in name ? names : ids;
      places.push(n);
      snapshots.push(known);
      platforms.push(name.platform);
      texts.push('handle' in name ? name.handle : name.platformUserId);
    }
  }
  return [...ids, ...names].map(toArray);
}

/**
 * Finds the tips of several look-ups, oldest first, each list in the place of its look-up, and tells the snapshot that they
 * were read from; the same text means the same committed transactions. The list is null when its look-up knows it.
 */
export async function findPendingTips(
  session: DatabaseSession,
  lookups: readonly TipLookup[],
): Promise<{ snapshot: string; found: readonly (Tip[] | null)[] }> {
  const answer = await session.query({ name: 'pending-tips', text: TEXT, values: bind(lookups) });
  // The columns are those of the statement, whose types the schema gives; it gives one row at least.
  const rows = answer.rows as readonly [PendingRow, ...PendingRow[]];
  const [[snapshot]] = rows;
  const found = lookups.map(({ known }): Tip[] | null => (known === snapshot ? null : []));
  // Where nothing is found there is one row without a place.
  for (const row of rows) if (row[1] !== null) found[row[1]]?.push(toPendingTip(row));
  return { snapshot, found };
}

/** A bound on memory: more tokens than a real service has. */
const MAX_KEPT = 1_000;

/**
 * Gives the tokens of tips. Kept tokens cannot be out of date: no statement changes these columns or deletes a token.
 * @param options.isCommitted whether only committed rows are seen; others may be rolled back, and are not kept
 */
export function createTokenCache(
  find: (id: number) => Promise<Token | undefined>,
  { isCommitted }: { isCommitted: boolean },
) {
  const kept = new Map<number, Token>();
  return async (tips: readonly Tip[]): Promise<ReadonlyMap<number, Token>> => {
    const tokens = new Map<number, Token>();
    for (const tokenId of new Set(tips.map((tip) => tip.tokenId))) {
      const token = kept.get(tokenId) ?? (await find(tokenId));
      if (token === undefined) continue;
      tokens.set(tokenId, token);
      if (kept.size >= MAX_KEPT) kept.clear();
      if (isCommitted) kept.set(tokenId, token);
    }
    return tokens;
  };
}
