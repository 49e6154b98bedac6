import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { claimedReply } from '../../src/bot/commands/claim.ts';
import type { ClaimStatus } from '../../src/domain/claims/claim.ts';
import { checksummed, type Token } from '../../src/domain/gigs/token.ts';
import { OBSTACLES, type Obstacles } from '../../src/domain/payments/obstacle.ts';
import type { PaymentState } from '../../src/domain/payments/payment.ts';
import { seedAddress, seedHash } from '../support/store.ts';
import { FARCASTER, postable, X } from './measures.ts';
import { ETHER, payment, token } from './samples.ts';

const RECIPIENT = '0x70997970c51812dc3a010c7d01b50e0d17dc79c8';
const SHOWN = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8';
const HASH = `0x${'0'.repeat(63)}1`;

interface Paid {
  readonly state: PaymentState;
  /** Of its transaction; a hash of its own when absent. */
  readonly hash?: `0x${string}`;
  readonly token?: Token;
  readonly amount?: bigint;
  readonly reason?: string | null;
}

/** A claim with one payment for each gig, the first one from gig 1, whose hash spells its number. */
function claimed(...paid: Paid[]): ClaimStatus {
  const payments = paid.map(({ hash = undefined, ...each }, index) => {
    const known = each.state === 'confirmed' ? (hash ?? seedHash(index + 1)) : null;
    return payment({ ...each, id: index + 1, gigId: index + 1, hash: known });
  });
  const claim = { id: 1, publicId: 'c', platform: 'farcaster', platformUserId: '1', postId: 'p' } as const;
  return { claim: { ...claim, source: 'mention', recipient: RECIPIENT, createdAt: 0 }, payments };
}

test('behavior: what was paid, with the whole hash', () => {
  const status = claimed({ state: 'confirmed', amount: 12n * ETHER + ETHER / 2n });
  for (const text of postable((measure) => claimedReply(status, measure))) {
    expect(text).toMatch(new RegExp(`^Paid to ${SHOWN}: 12\\.5 DEGEN \\(tx ${HASH}\\)\\.( \\[[0-9a-z]{6}\\])?$`));
  }
});

test('behavior: payments that an older backup did not know are named with the address that they went to', () => {
  const [first, ...others] = claimed({ state: 'confirmed' }, { state: 'confirmed' }, { state: 'confirmed' }).payments;
  const status = claimed({ state: 'confirmed' });
  const elsewhere = others.map((each, index) => ({ ...each, recipient: seedAddress(0xe0 + index) }));
  const payments = [first, ...elsewhere].flatMap((each) => each ?? []);
  expect(claimedReply({ ...status, payments: payments.slice(0, 2) }, FARCASTER)).toBe(
    `Paid to ${SHOWN}: 1 DEGEN (tx ${HASH}). Paid to ${checksummed(seedAddress(0xe0))}: 1 DEGEN (tx ${seedHash(2)}).`,
  );
  for (const text of postable((measure) => claimedReply({ ...status, payments }, measure))) {
    expect(text).toMatch(/^Paid to 3 addresses: 1 DEGEN \(tx /);
  }
});

test('behavior: where whole hashes do not fit, their beginnings', () => {
  const amounts = [1n, 2n, 3n, 4n].map((count) => count * ETHER);
  const status = claimed(...amounts.map((amount) => ({ state: 'confirmed' as const, amount })));
  for (const text of postable((measure) => claimedReply(status, measure))) {
    expect(text).toMatch(/: 1 DEGEN \(tx 0x0{10}…\), 2 DEGEN \(tx 0x0{10}…\), 3 DEGEN .*, 4 DEGEN \(tx 0x0{10}…\)\./);
  }
});

test('behavior: a transaction that paid for several gigs is named once, with a sum for each token', () => {
  const usdc = token({ id: 2, symbol: 'USDC' });
  const [hash, other] = [seedHash(7), seedHash(8)];
  const both = [
    { state: 'confirmed', hash, token: usdc, amount: 10n * ETHER },
    { state: 'confirmed', hash, amount: 5n * ETHER },
  ] as const;
  expect(claimedReply(claimed(...both), X)).toBe(`Paid to ${SHOWN}: 10 USDC and 5 DEGEN (tx ${hash}).`);
  const more = [both[0], { state: 'confirmed', hash: other }, both[1], { state: 'confirmed', hash }] as const;
  expect(claimedReply(claimed(...more), X)).toBe(
    `Paid to ${SHOWN}: 10 USDC and 6 DEGEN (tx ${hash}), 1 DEGEN (tx ${other}).`,
  );
  const brief = { ...X, replyLimit: 150 };
  expect(claimedReply(claimed(...more), brief)).toBe(
    `Paid to ${SHOWN}: 10 USDC and 6 DEGEN (tx ${hash.slice(0, 12)}…), 1 DEGEN (tx ${other.slice(0, 12)}…).`,
  );
  expect(claimedReply(claimed(...more), { ...X, replyLimit: 110 })).toBe(`Paid to ${SHOWN}: 10 USDC, 7 DEGEN.`);
});

test('behavior: what failed and what is under way is told as well', () => {
  const status = claimed({ state: 'confirmed' }, { state: 'failed', amount: 3n * ETHER }, { state: 'sent' });
  expect(claimedReply(status, FARCASTER)).toBe(
    `Paid to ${SHOWN}: 1 DEGEN (tx ${HASH}). On its way: 1 DEGEN. Not paid: 3 DEGEN; they can be claimed again.`,
  );
  expect(claimedReply(claimed({ state: 'failed' }), X)).toBe('Not paid: 1 DEGEN; they can be claimed again.');
  expect(claimedReply(claimed({ state: 'planned' }), X)).toBe('On its way: 1 DEGEN.');
});

test('behavior: of a long list the rest is counted, and no kind is left out', () => {
  const many = (state: PaymentState, count: number) =>
    Array.from({ length: count }, (_, id) => ({ state, token: token({ id, symbol: `TOKEN${id}` }) }));
  const status = claimed(...many('confirmed', 40), ...many('failed', 30));
  for (const text of postable((measure) => claimedReply(status, measure))) {
    expect(text).toMatch(
      /^Paid to 0x\w{40}: 1 TOKEN0, .*, \+\d+ more\. Not paid: 1 TOKEN0, .*, \+\d+ more; they can be claimed again\./,
    );
  }
});

test('security: whatever the tokens are called and however many there are, the answer can be posted', () => {
  const state = fc.constantFrom<PaymentState>('confirmed', 'failed', 'sent', 'planned');
  const symbol = fc.oneof(fc.constantFrom('@all', '$ETH', 'evil.com', 'W'.repeat(99)), fc.string({ unit: 'binary' }));
  const paid = fc.record({
    state,
    token: fc.record({ symbol, decimals: fc.integer({ min: 0, max: 255 }) }).map(token),
    amount: fc.bigInt({ min: 1n, max: 2n ** 256n - 1n }),
  });
  fc.assert(
    fc.property(fc.array(paid, { minLength: 1, maxLength: 30 }), (payments) => {
      postable((measure) => claimedReply(claimed(...payments), measure));
    }),
    { numRuns: 200 },
  );
});

describe('a claim that is not over', () => {
  const obstacles: Obstacles = new Map([
    [3, 'gig_frozen'],
    [4, 'gas_tank_empty'],
  ]);
  const states = ['confirmed', 'sent', 'planned', 'planned'] as const;
  const all = () => claimed(...states.map((state) => ({ state })), { state: 'failed', reason: 'nothing moved' });

  test('behavior: every kind of outcome has its sentence, and the text fits', () => {
    const page = 'https://gigclaim.example/claim/farcaster/1001';
    const text = claimedReply(all(), { ...FARCASTER, replyLimit: 1_000 }, { obstacles, page, why: true });
    expect(text).toBe(
      `Paid to ${SHOWN}: 1 DEGEN (tx ${HASH}). On its way: 1 DEGEN. The operator has frozen the payments of gig 3 for now: ` +
        '1 DEGEN. Waiting until the operator refills the gas tank: 1 DEGEN. Nothing is lost. ' +
        `Not paid: 1 DEGEN (the token transferred nothing); they can be claimed again. Follow it here: ${page}`,
    );
    for (const short of postable((measure) => claimedReply(all(), measure, { obstacles, why: true }))) {
      expect(short).toMatch(/Paid to .* On its way: .* gig 3 .* gas tank: .* Not paid: /);
    }
  });

  test('behavior: a payment that waits for a budget is told why, and that it goes on by itself', () => {
    const used: Obstacles = new Map([[1, 'client_budget_used']]);
    expect(claimedReply(claimed({ state: 'planned' }), FARCASTER, { obstacles: used })).toBe(
      'Waiting because the gas budget for the client of its gig is used up today: 1 DEGEN. It goes on by itself.',
    );
  });

  test('behavior: several gigs are named, as many as fit', () => {
    const planned = Array.from({ length: 3 }, () => ({ state: 'planned' as const }));
    const frozen: Obstacles = new Map([1, 2, 3].map((id) => [id, 'gig_frozen']));
    expect(claimedReply(claimed(...planned), FARCASTER, { obstacles: frozen })).toBe(
      'The operator has frozen the payments of gigs 1, 2, 3 for now: 1 DEGEN, 1 DEGEN, 1 DEGEN. Nothing is lost.',
    );
    const many = Array.from({ length: 60 }, () => ({ state: 'planned' as const }));
    const all = new Map(many.map((_, index) => [index + 1, 'gig_frozen' as const]));
    for (const text of postable((measure) => claimedReply(claimed(...many), measure, { obstacles: all }))) {
      expect(text).toMatch(
        /^The operator has frozen the payments of gigs 1, .*, \+\d+ more for now: .*, \+\d+ more\. Nothing is lost\./,
      );
    }
  });

  test('security: a reason that a token chose is never said in its own words', () => {
    const reasons = [
      ['the transfer would revert: @all see evil.example', 'the token rejects the transfer'],
      ['the transfer of token 0x12 would fail: @all see evil.example', 'the token rejects the transfer'],
      ['the recipient 0x12 would not take the native asset: @all', 'the recipient does not take it'],
      ['the token answers that the transfer fails', 'the token rejects the transfer'],
      ['the chain reverted it', 'the transaction was reverted'],
      ['it would burn 2000000 gas, more than 1000000 allowed', 'it needs too much gas'],
      ['it was sent 3 times, and failed each time', 'it failed too often'],
      ['it failed on the chain 3 times', 'it failed too often, try again in a day'],
      ['$EVIL', 'the payment could not be made'],
      [null, 'the payment could not be made'],
    ] as const;
    for (const [reason, words] of reasons) {
      const status = claimed({ state: 'failed', reason });
      for (const text of postable((measure) => claimedReply(status, measure, { why: true }))) {
        expect(text).toMatch(new RegExp(`^Not paid: 1 DEGEN \\(${words}\\); they can be claimed again\\.`));
      }
    }
  });

  test('security: whatever is claimed and holds it up, the answer can be posted, and a link is whole or not there', () => {
    const page = 'https://gigclaim.example/claim/farcaster/1001';
    const paid = fc.record({
      state: fc.constantFrom<PaymentState>('confirmed', 'failed', 'sent', 'planned'),
      token: fc
        .record({ symbol: fc.string({ unit: 'binary' }), decimals: fc.integer({ min: 0, max: 255 }) })
        .map(token),
      amount: fc.bigInt({ min: 1n, max: 2n ** 256n - 1n }),
      reason: fc.option(fc.string({ unit: 'binary' })),
    });
    const obstacle = fc.constantFrom(...OBSTACLES, null);
    fc.assert(
      fc.property(fc.array(fc.tuple(paid, obstacle), { minLength: 1, maxLength: 20 }), (claims) => {
        const status = claimed(...claims.map(([each]) => each));
        const found: Obstacles = new Map(
          claims.flatMap(([, what], index) => (what === null ? [] : [[index + 1, what] as const])),
        );
        postable((measure) => claimedReply(status, measure, { obstacles: found, why: true }));
        const linked = claimedReply(status, FARCASTER, { obstacles: found, page });
        const links = linked.match(/https:.*/g) ?? [];
        expect(links.filter((link) => link !== page)).toEqual([]);
      }),
      { numRuns: 200 },
    );
  });
});
