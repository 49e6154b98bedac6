import { expect, test } from 'vitest';
import { describeRefusal, type PayRefusal } from '../../../../src/chain/payer/contract/reverts.ts';
import { NATIVE_TOKEN_ADDRESS } from '../../../../src/domain/gigs/token.ts';

const TOKEN = `0x${'11'.repeat(20)}` as const;
const TO = `0x${'22'.repeat(20)}` as const;

test.each<[refusal: PayRefusal, words: string]>([
  [{ kind: 'already_paid', numbers: [3n, 5n] }, 'the wallet has paid these numbers before: 3, 5'],
  [{ kind: 'bad_signature' }, 'the wallet did not sign these payments on this chain'],
  [{ kind: 'no_numbers' }, 'a payment has no number'],
  [
    { kind: 'transfer_failed', token: NATIVE_TOKEN_ADDRESS, to: TO, reason: 'it is asleep' },
    `the recipient ${TO} would not take the native asset: it is asleep`,
  ],
  [
    { kind: 'transfer_failed', token: TOKEN, to: TO, reason: 'it is paused' },
    `the transfer of token ${TOKEN} would fail: it is paused`,
  ],
  [{ kind: 'not_delegated' }, 'the wallet does not delegate to the payer contract'],
  [{ kind: 'not_enough_gas', index: 2 }, 'the transaction has too little gas'],
  [{ kind: 'silent' }, 'no reason given; the payment may need more gas than it may have'],
  [{ kind: 'unknown', reason: 'Paused()' }, 'Paused()'],
])('error: $0.kind is told in plain words', (refusal, words) => {
  expect(describeRefusal(refusal)).toBe(words);
});
