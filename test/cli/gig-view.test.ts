import { expect, test } from 'vitest';
import { gigFields, gigItem, toFunding } from '../../src/cli/gig-view.ts';
import { funding, gig, NOW } from '../bot/samples.ts';

const UNIT = 10n ** 18n;

test('behavior: what the wallet of a created gig has paid before is named, and counts', () => {
  const about = gig({ status: 'created' });
  const seen = funding({ token: about.token, expected: 105n * UNIT, actual: 105n * UNIT });
  const read = { ...seen, blockNumber: 9n, paidBefore: { amount: 40n * UNIT, since: 5n } };
  expect(toFunding(read)).toEqual({ required: '105', held: '65', exact: true, block_number: 9 });
  const fields = gigFields(about, gigItem(about, [], NOW), { funding: read, frozen: null });
  expect(fields['funding']).toBe(
    '65 DEGEN in the wallet at block 9, after it paid 40 DEGEN: exactly what is needed to start',
  );
});
