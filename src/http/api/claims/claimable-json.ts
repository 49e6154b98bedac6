import { toFloat } from '../../../domain/amount.ts';
import type { ClaimableGroup, Tip } from '../../../domain/tip.ts';
import { checksummed, type Token } from '../../../domain/token.ts';
import { iso } from '../../iso-time.ts';
import { renderToken } from './tip-json.ts';

/** What an answer says of a token; tokens never change, and the store answers each of them as one object. */
interface TokenText {
  readonly address: string;
  readonly json: string;
}

const written = new WeakMap<Token, TokenText>();

function tokenText(token: Token): TokenText {
  const known = written.get(token);
  if (known !== undefined) return known;
  const address = checksummed(token.address);
  const text = { address, json: JSON.stringify(renderToken(token, address)) };
  written.set(token, text);
  return text;
}

function timeText(time: number | null): string {
  return time === null ? 'null' : `"${iso(time)}"`;
}

/** For texts of digits, letters and dashes only: ids, hashes, addresses. */
function plainText(text: string | null): string {
  return text === null ? 'null' : `"${text}"`;
}

/** `renderTip` as text. A template is several times as fast as building objects for JSON.stringify. */
export function writeTip(tip: Tip, { decimals }: Pick<Token, 'decimals'>): string {
  const address = tip.userAddress === null ? '' : checksummed(tip.userAddress);
  return (
    `{"id":${tip.id},"created_at":"${iso(tip.createdAt)}","token_id":${tip.tokenId},` +
    `"value":${toFloat(tip.amount, decimals)},"tx_hash":${plainText(tip.txHash)},` +
    `"platform_user_id":"${tip.platformUserId}","username":${tip.username === null ? 'null' : JSON.stringify(tip.username)},` +
    `"user_address":"${address}","claimed_at":${timeText(tip.claimedAt)},"status":"${tip.status}",` +
    `"gig_id":${tip.gigId},"platform":"${tip.platform}","claim_nonce":${JSON.stringify(tip.claimNonce)},` +
    `"claim_started_at":${timeText(tip.claimStartedAt)},"lock_timeout":${timeText(tip.lockTimeout)}}`
  );
}

function lowestChains(groups: readonly ClaimableGroup[]): Map<string, number> {
  const lowest = new Map<string, number>();
  for (const { token } of groups) {
    lowest.set(token.address, Math.min(token.chainId, lowest.get(token.address) ?? token.chainId));
  }
  return lowest;
}

/** The body of a claim look-up. Groups keep their order; amounts become floats only here. */
export function writeClaimable(groups: readonly ClaimableGroup[]): string {
  const lowest = lowestChains(groups);
  const gigs = new Set<number>();
  let data = '';
  for (const { token, total, tips, gigCount } of groups) {
    const { address, json } = tokenText(token);
    const key = lowest.get(token.address) === token.chainId ? address : `${address}:${token.chainId}`;
    let list = '';
    for (const tip of tips) {
      gigs.add(tip.gigId);
      list += list === '' ? writeTip(tip, token) : `,${writeTip(tip, token)}`;
    }
    const group = `"${key}":{"token":${json},"totalValue":${toFloat(total, token.decimals)},"tips":[${list}],"gigCount":${gigCount}}`;
    data += data === '' ? group : `,${group}`;
  }
  return `{"data":{${data}},"summary":{"total_tokens":${groups.length},"total_gigs":${gigs.size}}}`;
}
