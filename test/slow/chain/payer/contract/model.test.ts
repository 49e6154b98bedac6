import { expect, test } from 'vitest';
import { fuzzPayer } from '../../../../support/payer-fuzz.ts';

test('security: random sequences do what a plain model does, and pay no number twice', async () => {
  const { made, refused } = await fuzzPayer({ seed: 20_261_123, steps: 250 });
  expect(made).toBeGreaterThan(50);
  // Each way of being refused was met.
  expect(Object.keys(refused).toSorted()).toEqual(
    ['already_paid', 'bad_signature', 'no_numbers', 'not_delegated', 'short', 'transfer_failed'].toSorted(),
  );
});
