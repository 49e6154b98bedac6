import { formatUnits, getAddress } from 'viem/utils';

/** A pending tip joined with its token and its account's name, as a rival's one query answers it. */
export interface Row {
  readonly id: number;
  readonly created_at: number;
  readonly token_id: number;
  readonly amount: string;
  readonly tx_hash: string | null;
  readonly platform_user_id: string;
  readonly username: string | null;
  readonly user_address: string | null;
  readonly claimed_at: number | null;
  readonly status: string;
  readonly gig_id: number;
  readonly platform: string;
  readonly claim_nonce: string | null;
  readonly claim_started_at: number | null;
  readonly lock_timeout: number | null;
  readonly token_created_at: number;
  readonly address: string;
  readonly chain_id: number;
  readonly decimals: number;
  readonly image_url: string;
  readonly name: string;
  readonly symbol: string;
  readonly is_native: number | boolean;
  readonly coingecko_id: string | null;
}

/** The columns of a {@link Row}, of tables named t (tips), k (tokens) and a (accounts). */
export const COLUMNS = `t.id, t.created_at, t.token_id, t.amount, t.tx_hash, t.platform_user_id, a.username, t.user_address,
  t.claimed_at, t.status, t.gig_id, t.platform, t.claim_nonce, t.claim_started_at, t.lock_timeout,
  k.created_at as token_created_at, k.address, k.chain_id, k.decimals, k.image_url, k.name, k.symbol, k.is_native,
  k.coingecko_id`;

function iso(time: number | null): string | null {
  return time === null ? null : new Date(Number(time)).toISOString();
}

function tokenOf(row: Row, address: string) {
  return {
    id: row.token_id,
    created_at: iso(row.token_created_at),
    address,
    chain_id: row.chain_id,
    decimals: row.decimals,
    image_url: row.image_url,
    name: row.name,
    symbol: row.symbol,
    is_native: Boolean(row.is_native),
    coingecko_id: row.coingecko_id,
  };
}

function tipOf(row: Row) {
  return {
    id: row.id,
    created_at: iso(row.created_at),
    token_id: row.token_id,
    value: Number(formatUnits(BigInt(row.amount), row.decimals)),
    tx_hash: row.tx_hash,
    platform_user_id: row.platform_user_id,
    username: row.username,
    user_address: row.user_address ?? '',
    claimed_at: iso(row.claimed_at),
    status: row.status,
    gig_id: row.gig_id,
    platform: row.platform,
    claim_nonce: row.claim_nonce,
    claim_started_at: iso(row.claim_started_at),
    lock_timeout: iso(row.lock_timeout),
  };
}

/** The answer to a claim look-up, written without any of the service's code. */
export function documentOf(rows: readonly Row[]) {
  const data: Record<string, { token: object; totalValue: number; tips: object[]; gigCount: number }> = {};
  const all = new Set<number>();
  for (const [, own] of Map.groupBy(rows, (row) => row.token_id)) {
    const [first] = own;
    if (first === undefined) continue;
    const address = getAddress(first.address);
    const gigs = new Set(own.map((row) => row.gig_id));
    for (const gig of gigs) all.add(gig);
    data[address] = {
      token: tokenOf(first, address),
      totalValue: Number(
        formatUnits(
          own.reduce((sum, row) => sum + BigInt(row.amount), 0n),
          first.decimals,
        ),
      ),
      tips: own.map(tipOf),
      gigCount: gigs.size,
    };
  }
  return { data, summary: { total_tokens: Object.keys(data).length, total_gigs: all.size } };
}

/** Splits the parameter into FIDs and handles; these rivals check no more than that. */
export function readIdentifiers(text: string): { fids: string[]; handles: string[] } {
  const items = text.split(',');
  return {
    fids: items.filter((item) => /^[0-9]+$/.test(item)),
    handles: items.filter((item) => !/^[0-9]+$/.test(item)).map((item) => item.toLowerCase()),
  };
}
