/**
 * The data of the look-ups, as SQL expressions over a tip's number `i` and an account's number `u`, in words that SQLite
 * and PostgreSQL share, so that both hold the same rows.
 *
 * Every user has ten tips, five of them pending, in two tokens, from several gigs. A user's tips lie as far apart in the
 * table as there are users, as tips that were earned over months do. One user has a thousand pending tips.
 */
export const TIPS_OF_A_USER = 10;
export const HEAVY_FID = 77;
export const HEAVY_TIPS = 1_000;
export const GIGS = 200;

/** 2026-01-01T00:00:00Z in epoch milliseconds. */
const BEGIN = 1_767_225_600_000;

/** How many ordinary users there are when the table is to hold so many tips. */
export function usersOf(tips: number): number {
  return Math.floor((tips - HEAVY_TIPS) / TIPS_OF_A_USER);
}

/** An ordinary account's columns. `bench/load/requests.ts` asks for the same FIDs and handles. */
export const ACCOUNT = {
  platform: "case when u % 2 = 0 then 'farcaster' else 'twitter' end",
  platform_user_id: 'cast(100000 + u as text)',
  username: "'User_' || cast(u as text)",
  handle: "'user_' || cast(u as text)",
} as const;

/** A tip's columns; `turn` is which of its user's ten it is. Its number follows those of the heavy user's tips. */
export function tipColumns(users: number) {
  const turn = `(i / ${users})`;
  const user = `(i % ${users})`;
  const isPending = `${turn} < 5`;
  return {
    created_at: `${BEGIN} + i`,
    gig_id: `1 + ((${user} + ${turn} * 13) % ${GIGS / 2}) * 2 + ${turn} % 2`,
    number: `${HEAVY_TIPS} + i`,
    token_id: `1 + ${turn} % 2`,
    amount: `cast(100 + i % 900 as text) || case when ${turn} % 2 = 0 then '5000000000000000' else '5000' end`,
    status: `case when ${isPending} then 'pending' else 'claimed' end`,
    platform: `case when ${user} % 2 = 0 then 'farcaster' else 'twitter' end`,
    platform_user_id: `cast(100000 + ${user} as text)`,
    tx_hash: `case when ${isPending} then null else '0x' || substr('${'ab'.repeat(32)}', 1, 64) end`,
    claimed_at: `case when ${isPending} then null else ${BEGIN} + i end`,
  } as const;
}

/** The heavy user's tips, over `i` from 0. */
export const HEAVY_TIP = {
  created_at: `${BEGIN} + i`,
  gig_id: `1 + (i % ${GIGS / 2}) * 2 + i % 2`,
  number: 'i',
  token_id: '1 + i % 2',
  amount: "cast(100 + i % 900 as text) || case when i % 2 = 0 then '5000000000000000' else '5000' end",
  status: "'pending'",
  platform: "'farcaster'",
  platform_user_id: `'${HEAVY_FID}'`,
  tx_hash: 'null',
  claimed_at: 'null',
} as const;

export const TOKENS = [
  { address: '0x4ed4e862860bed51a9570b96d89af5e1b0efefed', decimals: 18, name: 'Degen', symbol: 'DEGEN' },
  { address: '0x833589fcd6edb6e08f4c7c32d4f71b54bda02913', decimals: 6, name: 'USD Coin', symbol: 'USDC' },
] as const;
export const CHAIN_ID = 8453;
export const IMAGE_URL = 'https://example.org/token.png';
export const TOKENS_MADE_AT = BEGIN;
