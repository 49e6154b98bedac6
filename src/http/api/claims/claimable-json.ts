import { toFloat } from '../../../domain/amount.ts';
import type { ClaimableGroup } from '../../../domain/gigs/tip.ts';
import { checksummed } from '../../../domain/gigs/token.ts';
import { renderTip, renderToken } from './tip-json.ts';

function lowestChains(groups: readonly ClaimableGroup[]): Map<string, number> {
  const lowest = new Map<string, number>();
  for (const { token } of groups) {
    lowest.set(token.address, Math.min(token.chainId, lowest.get(token.address) ?? token.chainId));
  }
  return lowest;
}

/** The body of a claim look-up. Groups keep their order; amounts become floats only here. */
export function renderClaimable(groups: readonly ClaimableGroup[]) {
  const lowest = lowestChains(groups);
  const gigs = new Set<number>();
  const data: Record<string, object> = {};
  for (const { token, total, tips, gigCount } of groups) {
    const known = renderToken(token, checksummed(token.address));
    const key = lowest.get(token.address) === token.chainId ? known.address : `${known.address}:${token.chainId}`;
    for (const { gigId } of tips) gigs.add(gigId);
    data[key] = {
      token: known,
      totalValue: toFloat(total, token.decimals),
      tips: tips.map((tip) => renderTip(tip, token)),
      gigCount,
    };
  }
  return { data, summary: { total_tokens: groups.length, total_gigs: gigs.size } };
}
