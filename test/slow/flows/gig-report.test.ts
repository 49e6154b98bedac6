import { afterEach, beforeEach, expect, test } from 'vitest';
import { checksummed } from '../../../src/domain/gigs/token.ts';
import { freshAddress } from '../../support/anvil.ts';
import { ask } from '../../support/clients.ts';
import { type GigClient, openGigClient } from '../../support/gig-client.ts';

const DAY = 86_400_000;

let client: GigClient;
beforeEach(async () => {
  client = await openGigClient();
});
afterEach(() => client.close());

interface Report {
  data: {
    sums: Record<string, string>;
    adds_up: boolean;
    refund: Record<string, string | null>;
    payments: { kind: string; state: string; amount: string; tx_hash: string | null }[];
    gas_used: string;
    accounts: Record<string, unknown>[] | null;
  };
}
const report = async (gigId: number) => (await client.call<Report>('GET', `/api/gigs/${gigId}/report`)).body.data;

test('behavior: the report of a settled and refunded gig adds up, and names each payment with its transaction', async () => {
  const { world, time, refundTo, award } = client;
  const { gig_id } = await client.startFunded({ award_days: 0 });
  expect((await award(gig_id, '1001', 30)).status).toBe(201);
  expect((await award(gig_id, '1002', 17.5)).status).toBe(201);
  const recipient = freshAddress();
  expect(await ask(world.farcaster, 'alice', `claim my rewards ${recipient}`)).toContain('Paid to');
  time.ahead = 2 * DAY;
  const stateOf = async () => (await report(gig_id)).refund['state'];
  await expect.poll(stateOf).toBe('due');
  time.ahead = 6 * DAY;
  await expect.poll(stateOf).toBe('confirmed');
  const found = await report(gig_id);
  const none = { void: '0', fee_owed: '0', left: '0', beyond: '0' };
  const sums = { reward: '100', fee: '5', awarded: '47.5', paid: '30', pending: '17.5', refund: '52.5', fee_paid: '5' };
  expect(found).toMatchObject({ adds_up: true, sums: { ...none, ...sums } });
  expect(found.refund).toMatchObject({
    amount: '52.5',
    recipient: checksummed(refundTo),
    tx_hash: expect.stringMatching(/^0x/),
  });
  expect(found.payments.map(({ kind, state, amount }) => [kind, state, amount])).toEqual([
    ['fee', 'confirmed', '5'],
    ['refund', 'confirmed', '52.5'],
  ]);
  expect(found.payments[1]?.tx_hash).toBe(found.refund['tx_hash']);
  expect(Number(found.gas_used)).toBeGreaterThan(60_000);
  expect(found.accounts).toMatchObject([
    { status: 'pending', platform_user_id: '1002', amount: '17.5', recipient: null, tx_hash: null },
    {
      status: 'paid',
      platform_user_id: '1001',
      amount: '30',
      recipient: checksummed(recipient),
      tx_hash: expect.stringMatching(/^0x/),
    },
  ]);
});
