import { describe, expect, test } from 'vitest';
import { type ListView, printList, type Table } from '../../src/cli/table.ts';

interface Payment {
  readonly id: number;
  readonly hash: string | null;
  readonly at: string;
  readonly reason: string;
  readonly client: string;
}

const TABLE: Table<Payment> = {
  id: ({ id }) => id,
  hash: { read: ({ hash }) => hash, cut: 'middle', spare: 2 },
  at: { read: ({ at }) => at, cut: 'time', spare: 3 },
  reason: { read: ({ reason }) => reason, cut: 'end' },
  client: { read: ({ client }) => client, spare: 1 },
};

const HASH = '0x1f9840a85d5af5bf1d1762f925bdaddc4201f9840a85d5af5bf1d1762f925bda';
const PAYMENT: Payment = {
  id: 1,
  hash: HASH,
  at: '2026-11-27T04:34:00.000Z',
  reason: 'the token refuses transfers to this address, as its contract says',
  client: 'shop',
};

function print(items: readonly Payment[], width: number | null, view: Partial<ListView> = {}): string[] {
  const lines: string[] = [];
  const printer = { width, print: (line: string) => void lines.push(line) };
  printList(printer, items, { view: { json: false, ...view }, empty: 'None.', table: TABLE });
  return lines;
}

describe('where no terminal reads it', () => {
  test('behavior: a table is whole, however wide', () => {
    expect(print([PAYMENT, { ...PAYMENT, id: 22, hash: null, reason: '👍' }], null)).toEqual([
      `id  hash                                                                at                        reason                                                             client`,
      `1   ${HASH}  2026-11-27T04:34:00.000Z  ${PAYMENT.reason}  shop`,
      `22  -                                                                   2026-11-27T04:34:00.000Z  👍                                                                 shop`,
    ]);
  });
});

describe('on a terminal', () => {
  test('behavior: a table that fits is whole', () => {
    const short = { ...PAYMENT, hash: null, reason: 'no' };
    expect(print([short], 80)).toEqual([
      'id  hash  at                        reason  client',
      '1   -     2026-11-27T04:34:00.000Z  no      shop',
    ]);
  });

  test('behavior: else ids are shortened in the middle, texts at the end, and times to the minute', () => {
    expect(print([PAYMENT], 80)).toEqual([
      'id  hash         at                 reason                                client',
      '1   0x1f98…5bda  2026-11-27T04:34Z  the token refuses transfers to this…  shop',
      'Shortened; --wide shows all.',
    ]);
  });

  test('behavior: else columns of least worth are left out and named', () => {
    expect(print([PAYMENT], 50)).toEqual([
      'id  at                 reason',
      '1   2026-11-27T04:34Z  the token refuses transfer…',
      'Not shown: hash, client. --wide shows all.',
    ]);
  });

  test('behavior: characters that take two places are counted as two', () => {
    const lines = print([{ ...PAYMENT, hash: null, reason: '支払いは完了しました👍🏽'.repeat(4) }], 60);
    expect(lines).toEqual([
      'id  hash  at                 reason                   client',
      '1   -     2026-11-27T04:34Z  支払いは完了しました👍🏽…  shop',
      'Shortened; --wide shows all.',
    ]);
  });

  test('behavior: --wide shows all, --columns what it names, in its order', () => {
    expect(print([PAYMENT], 80, { wide: true })[1]).toContain(HASH);
    expect(print([PAYMENT], 40, { columns: ['hash', 'id'] })).toEqual([
      `hash${' '.repeat(HASH.length - 2)}id`,
      `${HASH}  1`,
    ]);
  });

  test('behavior: an empty list is a sentence', () => {
    expect(print([], 80)).toEqual(['None.']);
  });
});
