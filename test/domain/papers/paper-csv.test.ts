import { describe, expect, test } from 'vitest';
import type { Token } from '../../../src/domain/gigs/token.ts';
import type { Movement, Purpose } from '../../../src/domain/papers/movement.ts';
import { PAPER_FORMS } from '../../../src/domain/papers/paper-csv.ts';

const TOKEN: Token = {
  id: 1,
  createdAt: 0,
  chainId: 8453,
  address: `0x${'ab'.repeat(20)}`,
  isNative: false,
  name: 'USD Coin',
  symbol: 'USDC',
  decimals: 6,
  imageUrl: '',
  coingeckoId: null,
};
const HASH = `0x${'1'.repeat(64)}`;
const AT = Date.UTC(2026, 10, 28, 23, 56, 59);

function moved(purpose: Purpose, change: Partial<Movement> = {}): Movement {
  const usual: Movement = { purpose, gigId: 42, token: TOKEN, amount: 2_500_001n, at: AT, hash: HASH };
  return { ...usual, ...change };
}

/** The lines of a movement in the form of this name. */
function linesIn(name: string, movement: Movement, usd: string | null = null): string[] {
  const form = PAPER_FORMS.find((each) => each.name === name);
  return form?.lines(movement, usd).split('\r\n').slice(0, -1) ?? [];
}

describe('papers for Koinly', () => {
  // The universal template: support.koinly.io, “How to create a custom CSV file with your data”.
  test('behavior: have the columns of its universal template', () => {
    expect(PAPER_FORMS[0]?.header).toBe(
      'Date,Sent Amount,Sent Currency,Received Amount,Received Currency,Fee Amount,Fee Currency,Net Worth Amount,Net Worth Currency,Label,Description,TxHash\r\n',
    );
  });

  test.each<[purpose: Purpose, line: string]>([
    ['funding', `2026-11-28 23:56 UTC,,,2.500001,USDC,,,,,,Paid into gig 42,${HASH}`],
    ['payout', `2026-11-28 23:56 UTC,2.500001,USDC,,,,,,,cost,Tips of gig 42,${HASH}`],
    ['fee', `2026-11-28 23:56 UTC,2.500001,USDC,,,,,,,cost,Fee of gig 42,${HASH}`],
    ['refund', `2026-11-28 23:56 UTC,2.500001,USDC,,,,,,,,Refund of gig 42,${HASH}`],
    ['return', `2026-11-28 23:56 UTC,2.500001,USDC,,,,,,,,Returned by gig 42,${HASH}`],
    ['reward', `2026-11-28 23:56 UTC,,,2.500001,USDC,,,,,reward,Tips of gig 42,${HASH}`],
  ])('behavior: %s', (purpose, line) => {
    expect(linesIn('koinly', moved(purpose))).toEqual([line]);
  });

  test('behavior: have the worth where it is known', () => {
    expect(linesIn('koinly', moved('reward'), '2.50')).toEqual([
      `2026-11-28 23:56 UTC,,,2.500001,USDC,,,2.50,USD,reward,Tips of gig 42,${HASH}`,
    ]);
    expect(linesIn('ledger', moved('reward'), '2.50')[0]).toContain(',USDC,2.50,reward,');
  });

  test('security: the name of a token is no formula', () => {
    for (const symbol of ['=HYPERLINK("https://evil.example")', '+1', '-1', '@SUM(A1)', '\tx', '\rx']) {
      const [line = ''] = linesIn('koinly', moved('reward', { token: { ...TOKEN, symbol } }));
      expect(line).not.toContain(`,${symbol}`);
      expect(line).toContain(`'${symbol.replaceAll('"', '""')}`);
    }
  });
});

describe('papers for a ledger', () => {
  test('behavior: are a journal with a debit and a credit of each movement', () => {
    expect(PAPER_FORMS[1]?.header).toBe(
      'Date,Account,Debit,Credit,Currency,Net Worth USD,Label,Description,Transaction\r\n',
    );
    expect(linesIn('ledger', moved('payout', { hash: null }))).toEqual([
      '2026-11-28 23:56 UTC,Rewards paid,2.500001,,USDC,,payout,Tips of gig 42,',
      '2026-11-28 23:56 UTC,Wallet,,2.500001,USDC,,payout,Tips of gig 42,',
    ]);
  });

  test.each<[purpose: Purpose, debit: string, credit: string]>([
    ['funding', 'Wallet', 'Funding'],
    ['payout', 'Rewards paid', 'Wallet'],
    ['fee', 'Platform fees', 'Wallet'],
    ['refund', 'Funding', 'Wallet'],
    ['return', 'Funding', 'Wallet'],
    ['reward', 'Wallet', 'Rewards earned'],
  ])('behavior: %s debits %s and credits %s', (purpose, debit, credit) => {
    expect(linesIn('ledger', moved(purpose)).map((line) => line.split(',').slice(1, 4))).toEqual([
      [debit, '2.500001', ''],
      [credit, '', '2.500001'],
    ]);
  });

  test('security: the name of a token is no formula', () => {
    for (const line of linesIn('ledger', moved('fee', { token: { ...TOKEN, symbol: '=1+1' } })))
      expect(line.split(',')[4]).toBe("'=1+1");
  });
});
