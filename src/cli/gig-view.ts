import type { Account } from '../domain/account.ts';
import { formatAmount } from '../domain/amount.ts';
import { chainById } from '../domain/chain.ts';
import { type Gig, gigPhase, type ReadFunding, requiredFunds } from '../domain/gig.ts';
import { awardsUntil, refundRecipient } from '../domain/gig-end.ts';
import { checksummed } from '../domain/token.ts';
import { accountText, momentText } from './output.ts';

/** A gig with its owners, as lists show it in JSON. Amounts are decimal text in whole tokens. */
export function gigItem(gig: Gig, owners: readonly Account[], now: number) {
  const { token } = gig;
  const amount = (units: bigint) => formatAmount(units, token.decimals);
  return {
    id: gig.id,
    state: gigPhase(gig, now),
    client: gig.client,
    created_by: gig.createdBy,
    platform: gig.platform,
    type: gig.gigType,
    chain: chainById(token.chainId)?.key ?? String(token.chainId),
    token: { symbol: token.symbol, address: checksummed(token.address), decimals: token.decimals },
    reward: amount(gig.rewardAmount),
    fee: amount(gig.feeAmount),
    required: amount(requiredFunds(gig)),
    awarded: amount(gig.awardedAmount),
    start_time: momentText(gig.startTime),
    end_time: momentText(gig.endTime),
    wallet_address: checksummed(gig.walletAddress),
    owners: owners.map(({ platform, platformUserId, username }) => ({
      platform,
      platform_user_id: platformUserId,
      username,
    })),
    created_at: momentText(gig.createdAt),
  };
}

/** How a gig ends, in JSON. */
export function endItem(gig: Gig) {
  const recipient = refundRecipient(gig);
  return {
    refund_address: recipient && checksummed(recipient),
    award_days: gig.awardDays,
    awards_until: momentText(gig.status === 'live' ? awardsUntil(gig) : null),
    stopped_at: momentText(gig.stoppedAt),
    settled_at: momentText(gig.settledAt),
    cancelled_at: momentText(gig.cancelledAt),
    refunded_at: momentText(gig.refundedAt),
  };
}

function daysText({ award_days: days, awards_until: until }: ReturnType<typeof endItem>): string {
  if (days === 0) return '0: awards end with the gig';
  return until === null ? String(days) : `${days}: until ${until}`;
}

/** How a gig ends. */
function endFields(gig: Gig): Record<string, string> {
  const item = endItem(gig);
  const said = gig.refundAddress === null ? ', as the operator said' : '';
  const reached = {
    stopped: item.stopped_at,
    settled: item.settled_at,
    cancelled: item.cancelled_at,
    refunded: item.refunded_at && `${item.refunded_at}; see gig refund ${gig.id}`,
  };
  return {
    'award days': daysText(item),
    'refund to':
      item.refund_address === null
        ? `not set: name it with gig refund ${gig.id} --to`
        : `${item.refund_address}${said}`,
    ...Object.fromEntries(Object.entries(reached).filter((entry): entry is [string, string] => entry[1] !== null)),
  };
}

type Item = ReturnType<typeof gigItem>;

/** The wallet's state on its chain, in JSON, or why it is unknown. */
export function toFunding(funding: ReadFunding | null) {
  if (funding === null) return null;
  const { expected, actual, blockNumber, token, paidBefore } = funding;
  return {
    required: formatAmount(expected, token.decimals),
    held: formatAmount(actual - (paidBefore?.amount ?? 0n), token.decimals),
    exact: expected === actual,
    block_number: Number(blockNumber),
  };
}

function ownersText(item: Item): string {
  const shown = item.owners.map(({ platform, platform_user_id: platformUserId, username }) =>
    accountText({ platform, platformUserId, username }),
  );
  return shown.join(', ');
}

/** The row of a gig in a table. */
export function gigRow(item: Item) {
  return {
    id: item.id,
    state: item.state,
    platform: item.platform,
    type: item.type,
    reward: `${item.reward} ${item.token.symbol}`,
    chain: item.chain,
    starts: item.start_time,
    ends: item.end_time,
    owners: ownersText(item) || null,
    wallet: item.wallet_address,
    client: item.client,
  };
}

function fundingText(gig: Gig, funding: ReadFunding): string {
  const { expected, actual, token, blockNumber, paidBefore } = funding;
  const amount = (units: bigint) => `${formatAmount(units, token.decimals)} ${token.symbol}`;
  const paid = paidBefore?.amount ?? 0n;
  const spent = paid === 0n ? '' : `, after it paid ${amount(paid)}`;
  const held = `${amount(actual - paid)} in the wallet at block ${blockNumber}${spent}`;
  // After the start the wallet pays tips and the fee, so its balance cannot be compared.
  if (gig.status === 'live') return held;
  if (actual === expected) return `${held}: exactly what is needed to start`;
  const needed = `${amount(expected)} are needed`;
  return actual < expected
    ? `${held}, ${needed}: ${amount(expected - actual)} are missing`
    : `${held}, exactly ${needed}: ${amount(actual - expected)} are too much`;
}

/** The labelled facts of one gig. */
export function gigFields(
  gig: Gig,
  item: Item,
  { funding, frozen }: { funding: ReadFunding | null; frozen: string | null },
): Record<string, string> {
  const { symbol, address } = item.token;
  const optional = {
    'how to earn': gig.howToEarn,
    criteria: gig.earningCriteria,
    post: gig.externalUrl,
    verifier: gig.verifier,
  };
  return {
    state: item.state,
    client: item.client ?? 'none: only a key with the scope operator can access it',
    'created by': item.created_by === null ? 'unknown' : `key ${item.created_by}`,
    platform: item.platform,
    type: item.type,
    reward: `${item.reward} ${symbol}`,
    fee: `${item.fee} ${symbol}`,
    awarded: `${item.awarded} ${symbol}`,
    starts: item.start_time,
    ends: item.end_time,
    ...endFields(gig),
    ...Object.fromEntries(Object.entries(optional).filter((entry): entry is [string, string] => entry[1] !== null)),
    owners: ownersText(item) || 'none: add one with gig owner add',
    token: `${symbol} ${address}, chain ${item.chain} (chain id ${gig.token.chainId})`,
    wallet: item.wallet_address,
    funding: funding === null ? 'unknown' : fundingText(gig, funding),
    ...(frozen === null ? {} : { payments: `frozen: ${frozen}` }),
  };
}
