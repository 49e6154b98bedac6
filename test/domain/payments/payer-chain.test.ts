import { expect, test } from 'vitest';
import { BroadcastRefused, PaymentRefused } from '../../../src/domain/payments/payer-chain.ts';

test('error: a refused payment says in which block, and whether it is paid', () => {
  const seen = { blockNumber: 5n, isBare: true };
  const known = { name: 'PaymentRefused', message: 'the token is asleep', ...seen };
  expect(new PaymentRefused('the token is asleep', seen)).toMatchObject({ ...known, isPaid: false });
  expect(new PaymentRefused('the token is asleep', { ...seen, isPaid: true })).toMatchObject({
    ...known,
    isPaid: true,
  });
});

test('error: refused bytes say what the endpoint objects to, in its words', () => {
  const fault = { retry: 'never', reason: 'rejected', message: 'chain anvil: refused' } as const;
  const seen = { objection: 'too_cheap', words: 'underpriced' } as const;
  expect(new BroadcastRefused(fault, seen)).toMatchObject({ name: 'AdapterError', ...fault, ...seen });
});
