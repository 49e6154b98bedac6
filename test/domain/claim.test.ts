import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Claim, isRetryDue, parseClaim, payoutsOf } from '../../src/domain/claim.ts';
import type { Transfer, TransferState } from '../../src/domain/transfer.ts';
import { token } from '../bot/samples.ts';

const CHECKSUMMED = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8';
const LOWER = '0x70997970c51812dc3a010c7d01b50e0d17dc79c8';
const OTHER = '0x3c44cdddb6a900fa2b585dd299e03d12fa4293bc';

describe('the words of a claim', () => {
  test.each([
    'claim my rewards',
    'Claim My Rewards',
    '@gigclaim claim my rewards, please!',
    'gm\n\nclaim my rewards\n',
    'I wonder if claim my rewards works',
  ])('behavior: %j asks for the rewards', (text) => {
    expect(parseClaim(text)).toEqual({ address: null });
  });

  test.each([
    '',
    'claim rewards',
    'claim my reward s',
    'claim  my rewards',
    'claim my rewards claim my rewards',
    'claim my rewards, CLAIM MY REWARDS',
    'claim my reward\u017f',
    'claim my rewar\u0501s',
    'cla\u200bim my rewards',
    'reclaim my rewards',
    'claim my rewardss',
    'nonclaim my rewards and claim my rewards',
    `claim my rewards \u202e${LOWER}`,
    `\u2066claim my rewards\u2069 ${LOWER}`,
  ])('error: %j does not, or not exactly once', (text) => {
    expect(parseClaim(text)).toBe('not_a_claim');
  });
});

describe('the address of a claim', () => {
  test.each([CHECKSUMMED, LOWER, `0x${LOWER.slice(2).toUpperCase()}`, LOWER.toUpperCase()])(
    'behavior: %s is one address',
    (address) => {
      expect(parseClaim(`claim my rewards ${address}`)).toEqual({ address: LOWER });
      expect(parseClaim(`${address}: claim my rewards`)).toEqual({ address: LOWER });
      expect(parseClaim(`claim my rewards (${address}).`)).toEqual({ address: LOWER });
      expect(parseClaim(`\u{1f469}\u200d\u{1f4bb} claim my rewards to:${address} \u2764\ufe0f`)).toEqual({
        address: LOWER,
      });
    },
  );

  test.each([
    CHECKSUMMED.replace('C51812dc', 'c51812dc'),
    `0x${CHECKSUMMED.slice(2).replace('dc79C8', 'DC79C8')}`,
    LOWER.slice(0, -1),
    `${LOWER}0`,
    `${LOWER}beef`,
    `${LOWER}_`,
    `${LOWER}é`,
    '0x',
    '0x123',
    LOWER.replace('0x', ''),
    `x${LOWER}`,
    `0x${'0'.repeat(64)}`,
    `0x${LOWER.slice(2, -1)}g`,
    LOWER.replace('0x', '0\uff58'),
    LOWER.replaceAll('9', '\u{1d7d7}'),
    `${LOWER.slice(0, 20)}\u200b${LOWER.slice(20)}`,
    'https://farcaster.xyz/alice/0x9288c1e8',
    `https://explorer.example/address/${LOWER}`,
    `https://example.org/?to=${LOWER}&amount=1`,
    `${LOWER}/balance`,
    `@${LOWER}`,
    `${LOWER}.eth`,
    `\u200b${LOWER}`,
    `${LOWER}\u2060`,
  ])('error: %j is none, and nobody else is paid instead', (address) => {
    expect(parseClaim(`claim my rewards ${address}`)).toBe('invalid_address');
  });

  test('error: an address that is glued to the words is not overlooked', () => {
    expect(parseClaim(`claim my rewards${LOWER}`)).toBe('invalid_address');
    expect(parseClaim(`claim my rewards to_${LOWER}`)).toBe('invalid_address');
  });

  test.each([
    `claim my rewards ${LOWER} ${OTHER}`,
    `claim my rewards ${LOWER} ${LOWER}`,
    `${LOWER} claim my rewards 0x12`,
    `claim my rewards ${LOWER}, not 0x`,
  ])('error: %j names several', (text) => {
    expect(parseClaim(text)).toBe('several_addresses');
  });

  test('behavior: what only contains the two characters is no address', () => {
    expect(parseClaim('made 100x, claim my rewards')).toEqual({ address: null });
    expect(parseClaim('#0 x claim my rewards box0x')).toEqual({ address: null });
  });

  test('security: whatever surrounds it, what is paid stands in the post to the letter, or nothing is', () => {
    const piece = fc.oneof(
      fc.constantFrom(LOWER, CHECKSUMMED, OTHER, 'claim my rewards', ' ', '0x', 'x', '\u200b', '_', '-', '\uff58'),
      fc.string({ unit: 'binary', maxLength: 4 }),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 8 }), (pieces) => {
        const text = `claim my rewards ${pieces.join('')}`;
        const read = parseClaim(text);
        if (typeof read === 'string' || read.address === null) return;
        expect(text.toLowerCase().split(read.address)).toHaveLength(2);
        expect(text).toMatch(new RegExp(`(?<![0-9a-z_])${read.address}(?![0-9a-z_])`, 'i'));
      }),
      { numRuns: 2_000 },
    );
  });

  test('behavior: a long post is read in a moment', () => {
    expect(parseClaim(`claim my rewards ${'a'.repeat(9_900)}`)).toBe('invalid_address');
    expect(parseClaim(`claim my rewards ${'0x'.repeat(4_900)}`)).toBe('invalid_address');
    expect(parseClaim(`claim my rewards ${'g0x'.repeat(3_300)}`)).toEqual({ address: null });
  });
});

function transfer(id: number, gigId: number, state: TransferState): Transfer {
  return {
    ...{ id, gigId, state, kind: 'payout', chainId: 31337, sender: OTHER, recipient: LOWER, claimId: 1, amount: 1n },
    ...{ token: token(), nonce: null, reason: null, hash: null, blockNumber: null, gasSpent: null },
    ...{ createdAt: 0, updatedAt: 0, forms: [] },
  };
}

test('behavior: of the payments for one gig and token the newest tells how it stands', () => {
  const claim: Claim = {
    ...{ id: 1, publicId: 'c', platformUserId: '1', postId: 'p', recipient: LOWER, createdAt: 0 },
    platform: 'farcaster',
  };
  const transfers = [
    transfer(1, 1, 'failed'),
    transfer(2, 2, 'confirmed'),
    transfer(3, 3, 'replaced'),
    transfer(4, 1, 'planned'),
    transfer(5, 3, 'broadcast'),
    transfer(6, 4, 'failed'),
  ];
  const payouts = payoutsOf({ claim, transfers });
  expect(payouts.map(({ transfer: { id }, outcome }) => [id, outcome])).toEqual([
    [4, 'pending'],
    [2, 'success'],
    [5, 'pending'],
    [6, 'failed'],
  ]);
});

test('behavior: what failed is tried again at once, then after pauses that double up to an hour', () => {
  const claim: Claim = {
    ...{ id: 1, publicId: 'c', platformUserId: '1', postId: 'p', recipient: LOWER, createdAt: 0 },
    platform: 'farcaster',
  };
  const others = [transfer(90, 2, 'failed'), transfer(91, 1, 'confirmed')];
  const pauseAfter = (failures: number) => {
    const failed = Array.from({ length: failures }, (_, index) => transfer(index + 1, 1, 'failed'));
    const last = failed.at(-1);
    if (last === undefined) throw new TypeError('none failed');
    const isDue = (now: number) => isRetryDue({ claim, transfers: [...others, ...failed] }, last, now);
    return [0, 29_999, 30_000, 59_999, 60_000, 3_599_999, 3_600_000].filter(isDue)[0];
  };
  expect([1, 2, 3, 4, 20, 2_000].map(pauseAfter)).toEqual([0, 30_000, 60_000, 3_599_999, 3_600_000, 3_600_000]);
});

test('security: a text of more than 10,000 UTF-16 units, a longest cast, is no claim', () => {
  const cast = 'claim my rewards '.padEnd(10_000, '\ufdfa');
  expect(parseClaim(cast)).toEqual({ address: null });
  expect(parseClaim(`${cast}.`)).toBe('not_a_claim');
});
