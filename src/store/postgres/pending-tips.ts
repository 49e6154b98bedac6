import type { AccountName, Platform } from '../../domain/account.ts';
import type { Tip } from '../../domain/tip.ts';
import type { Address, Token } from '../../domain/token.ts';
import type { DatabaseSession } from './session.ts';

/** All look-ups in one statement: `n` is the place of a look-up. A handle and an id may name the same account. */
const TEXT = `
  select asked.n, asked.platform, asked.platform_user_id, asked.username, tips.id, tips.created_at, tips.gig_id,
    tips.token_id, tips.amount, tips.user_address, tips.tx_hash, tips.claim_nonce, tips.claim_started_at,
    tips.lock_timeout, tips.number
  from (
    select ids.n, accounts.platform, accounts.platform_user_id, accounts.username
      from unnest($1::int[], $2::text[], $3::text[]) as ids (n, platform, platform_user_id)
      join accounts on accounts.platform = ids.platform and accounts.platform_user_id = ids.platform_user_id
    union
    select names.n, accounts.platform, accounts.platform_user_id, accounts.username
      from unnest($4::int[], $5::text[], $6::text[]) as names (n, platform, handle)
      join accounts on accounts.platform = names.platform and accounts.handle = names.handle
  ) as asked
  join tips on tips.platform = asked.platform and tips.platform_user_id = asked.platform_user_id
    and tips.status = 'pending' and not tips.is_void
  order by tips.created_at, tips.id`;

/** A row, in the order of the columns above. */
type PendingRow = readonly [
  n: number,
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
    id: row[4],
    createdAt: row[5],
    gigId: row[6],
    tokenId: row[7],
    amount: BigInt(row[8]),
    status: 'pending',
    platform: row[1],
    platformUserId: row[2],
    username: row[3],
    userAddress: row[9],
    txHash: row[10],
    claimedAt: null,
    claimNonce: row[11],
    claimStartedAt: row[12],
    lockTimeout: row[13],
    number: row[14],
  };
}

/** The values of the statement: for each of both ways to name an account the place, the platform and the name. */
function bind(lookups: readonly (readonly AccountName[])[]): unknown[] {
  const ids: [number[], string[], string[]] = [[], [], []];
  const names: [number[], string[], string[]] = [[], [], []];
  for (const [n, lookup] of lookups.entries()) {
    for (const name of lookup) {
      const [places, platforms, texts] = 'handle' in name ? names : ids;
      places.push(n);
      platforms.push(name.platform);
      texts.push('handle' in name ? name.handle : name.platformUserId);
    }
  }
  return [...ids, ...names];
}

/** Finds the tips of several look-ups, oldest first, each list in the place of its look-up. */
export async function findPendingTips(
  session: DatabaseSession,
  lookups: readonly (readonly AccountName[])[],
): Promise<readonly Tip[][]> {
  const { rows } = await session.query({ name: 'pending-tips', text: TEXT, values: bind(lookups) });
  const found: Tip[][] = lookups.map(() => []);
  // The columns are those of the statement, whose types the schema gives.
  for (const row of rows as readonly PendingRow[]) found[row[0]]?.push(toPendingTip(row));
  return found;
}

/** A bound on memory: more tokens than a real service has. */
const MAX_KEPT = 1_000;

/**
 * Gives the tokens of tips. What is kept cannot be out of date: no statement changes these columns or deletes a token.
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
