import { expect, test } from 'vitest';
import type { BlockRef } from '../../../../../src/domain/chains/block.ts';
import { AdapterError } from '../../../../../src/domain/errors.ts';
import type { EventSearch, PaidEvent, PayerChain } from '../../../../../src/domain/payments/payer-chain.ts';
import { hearAll, hearOfBlock } from '../../../../../src/services/payments/sender/found/witnesses.ts';
import { seedAddress, seedHash } from '../../../../support/store.ts';
import { createChainModel, noFaults } from '../chain-model.ts';

const SETTLED: BlockRef = { number: 90n, hash: seedHash(90), at: 0 };
const EVENT: PaidEvent = {
  wallet: seedAddress(1),
  token: seedAddress(2),
  to: seedAddress(3),
  amount: 10n,
  numbers: [4n, 5n],
  hash: seedHash(7),
  blockNumber: 20n,
};
const OTHER: PaidEvent = { ...EVENT, numbers: [6n] };
const SILENT = new AdapterError({ retry: 'safe', reason: 'timeout', message: 'no answer' });

/** What an endpoint shows: its block 90, and its payments of the wallet in block 20. */
interface Shows {
  readonly block?: BlockRef | null | Error;
  readonly events?: readonly PaidEvent[];
}

function between(...shows: readonly Shows[]) {
  const searches: EventSearch[] = [];
  const view = createChainModel({ clock: () => 0 }).view(noFaults());
  const witnesses = shows.map(({ block = SETTLED, events = [EVENT, OTHER] }, index) => {
    const payer: PayerChain = {
      ...view,
      block: async () => {
        if (block instanceof Error) throw block;
        return block;
      },
      paidEvents: async (search) => {
        searches.push(search);
        return [...events];
      },
    };
    return { name: `endpoint ${index + 1}`, payer };
  });
  return { payer: { ...view, witnesses }, searches };
}

const LACKS = `shows another payment by ${EVENT.wallet}, or none, in block 20`;

test.each<{ what: string; second: Shows; doubt: string | undefined }>([
  { what: 'the same', second: {}, doubt: undefined },
  { what: 'no payment', second: { events: [] }, doubt: LACKS },
  { what: 'a payment of another number alone', second: { events: [OTHER] }, doubt: LACKS },
  { what: 'one of them for a second time', second: { events: [EVENT, { ...OTHER, numbers: [5n] }] }, doubt: LACKS },
  { what: 'another hash', second: { events: [{ ...EVENT, hash: seedHash(8) }] }, doubt: LACKS },
  { what: 'another token', second: { events: [{ ...EVENT, token: seedAddress(9) }] }, doubt: LACKS },
  { what: 'another address', second: { events: [{ ...EVENT, to: seedAddress(9) }] }, doubt: LACKS },
  { what: 'another amount', second: { events: [{ ...EVENT, amount: 11n }] }, doubt: LACKS },
  { what: 'one number less', second: { events: [{ ...EVENT, numbers: [4n] }] }, doubt: LACKS },
  { what: 'another block', second: { block: { ...SETTLED, hash: seedHash(91) } }, doubt: 'has another block 90' },
  { what: 'no such block', second: { block: null }, doubt: 'does not have block 90 yet' },
  { what: 'nothing at all', second: { block: SILENT }, doubt: 'does not answer' },
])('security: a payment of which the second endpoint shows $what', async ({ second, doubt }) => {
  const { payer, searches } = between({}, second);
  const heard = await hearAll(payer, { events: [EVENT], settled: SETTLED });
  const named = doubt && `endpoint 2 ${doubt}, unlike endpoint 1`;
  expect(heard).toEqual({ agreed: new Set(doubt ? [] : [EVENT]), doubt: named });
  expect(searches[0]).toEqual({ wallets: [EVENT.wallet], from: 20n, to: 20n });
});

test('security: endpoints that all differ are named, and the doubt is the first payment’s', async () => {
  const { payer } = between({ events: [OTHER] }, { block: null });
  expect(await hearAll(payer, { events: [EVENT, OTHER], settled: SETTLED })).toEqual({
    agreed: new Set(),
    doubt: `endpoint 1 ${LACKS}, endpoint 2 does not have block 90 yet`,
  });
  const agreed = between({ events: [OTHER] }, { events: [OTHER] });
  expect(await hearAll(agreed.payer, { events: [EVENT, OTHER], settled: SETTLED })).toEqual({
    agreed: new Set([OTHER]),
    doubt: `endpoint 1 ${LACKS}, endpoint 2 ${LACKS}`,
  });
});

test('error: a defect is no doubt about a payment', async () => {
  const { payer } = between({ block: new TypeError('odd') });
  await expect(hearOfBlock(payer, SETTLED)).rejects.toThrow('odd');
  expect(await hearOfBlock(between({}, {}).payer, SETTLED)).toBeUndefined();
});
