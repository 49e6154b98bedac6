import { expect, test } from 'vitest';
import { groupClaimable } from '../../../src/domain/gigs/tip.ts';
import type { Token } from '../../../src/domain/gigs/token.ts';
import { tip, token } from '../../bot/samples.ts';

const byId = (...tokens: Token[]) => new Map(tokens.map((each) => [each.id, each]));

test('behavior: nothing to claim is no group', () => {
  expect(groupClaimable([], byId(token()))).toEqual([]);
});

test('behavior: tips are grouped by token, in the order in which they come, and distinct gigs counted', () => {
  const tips = [
    tip(1, { tokenId: 2, gigId: 10, amount: 1n }),
    tip(2, { tokenId: 1, gigId: 11, amount: 5n }),
    tip(3, { tokenId: 2, gigId: 10, amount: 2n }),
    tip(4, { tokenId: 2, gigId: 12, amount: 4n }),
  ];
  const groups = groupClaimable(tips, byId(token(), token({ id: 2 })));
  expect(groups).toEqual([
    { token: token({ id: 2 }), total: 7n, tips: [tips[0], tips[2], tips[3]], gigCount: 2 },
    { token: token(), total: 5n, tips: [tips[1]], gigCount: 1 },
  ]);
});

test('behavior: totals are exact beyond 2^53', () => {
  const tips = [tip(1, { amount: 9_007_199_254_740_993n }), tip(2, { amount: 2n ** 255n })];
  expect(groupClaimable(tips, byId(token()))[0]?.total).toBe(
    57896044618658097711785492504343953926634992332820282019728792003956564819968n + 9_007_199_254_740_993n,
  );
});

test('behavior: the same address on two chains is two groups', () => {
  const tips = [tip(1, { tokenId: 1, gigId: 1, amount: 1n }), tip(2, { tokenId: 2, gigId: 1, amount: 1n })];
  const groups = groupClaimable(tips, byId(token({ chainId: 8453 }), token({ id: 2, chainId: 10 })));
  expect(groups.map(({ token: { chainId } }) => chainId)).toEqual([8453, 10]);
});

test('error: a tip of a token that is not there is a broken reference', () => {
  expect(() => groupClaimable([tip(1, { tokenId: 9, gigId: 1, amount: 1n })], byId(token()))).toThrow(TypeError);
});
