import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  FUNDING,
  openPaidWorld,
  type PaidAnswer,
  type PaidWorld,
  startFacilitator,
  stockFetch,
  UNIT,
} from '../support/x402.ts';

/** Longer than a facilitator is left alone, and than a request waits. */
const LATER_MS = 25_000;
const LEFT = 1_000n * UNIT - FUNDING;

let facilitator: Awaited<ReturnType<typeof startFacilitator>>;
let paid: PaidWorld;
let ahead = 0;
beforeEach(async () => {
  ahead = 0;
  facilitator = await startFacilitator();
  const env = { X402_FACILITATOR_URL: facilitator.url };
  paid = await openPaidWorld({ env, clock: () => Date.now() + ahead });
});
afterEach(async () => {
  await paid.close();
  await facilitator.close();
});

function idOf({ body }: PaidAnswer): number {
  return body.data?.gig_id ?? body.extensions?.gig?.info.gig_id ?? 0;
}

async function pay() {
  const agent = await paid.agent();
  const asked = await paid.create();
  const header = await paid.signFor(agent, asked);
  return { agent, gigId: idOf(asked), header, send: () => paid.create(fetch, { header }) };
}

async function expectPaidOnce({ agent, gigId }: { agent: { address: string }; gigId: number }) {
  const gig = await paid.store.gig(gigId);
  expect(await paid.held(gig?.walletAddress ?? '')).toBe(FUNDING);
  expect(await paid.held(agent.address)).toBe(LEFT);
  expect(gig).toMatchObject({ status: 'live', client: `owner:wallet:${agent.address.toLowerCase()}` });
}

describe('a facilitator', () => {
  test('behavior: settles what an agent pays, and the gas tank sends nothing', async () => {
    const agent = await paid.agent();
    const answer = await paid.create(stockFetch(agent, paid.token));
    expect([answer.status, answer.body.data?.status]).toEqual([201, 'live']);
    await expectPaidOnce({ agent, gigId: idOf(answer) });
    expect(facilitator.state.asked).toBe(1);
    expect(await paid.store.openTankTransactions(31337)).toEqual([]);
    expect(await paid.store.depositOf(idOf(answer))).toMatchObject({ settler: 'facilitator', transactionId: null });
  });

  test('security: that says no after it has settled is not believed', async () => {
    facilitator.state.fault = 'settles and says no';
    const payment = await pay();
    expect((await payment.send()).status).toBe(201);
    await expectPaidOnce(payment);
    expect(facilitator.state.asked).toBe(1);
  });

  test('error: that says no leaves the payment unused, and the same one pays later', async () => {
    facilitator.state.fault = 'says no';
    const payment = await pay();
    const refused = await payment.send();
    expect([refused.status, refused.body.code, refused.body.error]).toEqual([
      402,
      'payment_refused',
      'unexpected_settle_error',
    ]);
    expect(refused.headers.get('payment-response')).not.toBeNull();
    expect(await paid.held(payment.agent.address)).toBe(1_000n * UNIT);
    // Another payer’s is not sent while this one may still be used.
    const other = await paid.agent();
    const second = await paid.create(fetch, { header: await paid.signFor(other, await required(payment.gigId)) });
    expect(second.status).toBe(402);
    expect(facilitator.state.asked).toBe(1);
    facilitator.state.fault = 'none';
    ahead += LATER_MS;
    expect((await payment.send()).status).toBe(201);
    await expectPaidOnce(payment);
    expect(await paid.held(other.address)).toBe(1_000n * UNIT);
  });

  test('error: that hangs has the agent ask again, and is asked again', async () => {
    facilitator.state.fault = 'hangs';
    const payment = await pay();
    const waits = payment.send();
    await expect.poll(() => facilitator.state.asked).toBe(1);
    ahead += LATER_MS;
    const answer = await waits;
    expect([answer.status, answer.headers.get('retry-after'), answer.body.data?.status]).toEqual([202, '5', 'created']);
    facilitator.state.fault = 'none';
    ahead += LATER_MS;
    expect((await payment.send()).status).toBe(201);
    await expectPaidOnce(payment);
  });

  test('security: that says yes and does not settle starts no gig', async () => {
    facilitator.state.fault = 'says yes and does not settle';
    const payment = await pay();
    const waits = payment.send();
    await expect.poll(() => facilitator.state.asked).toBe(1);
    ahead += LATER_MS;
    expect((await waits).status).toBe(202);
    expect(await paid.store.gig(payment.gigId)).toMatchObject({ status: 'created', client: 'owner:x402' });
    facilitator.state.fault = 'none';
    ahead += LATER_MS;
    expect((await payment.send()).status).toBe(201);
    await expectPaidOnce(payment);
  });
});

/** What the wallet of a gig asks for, as it was told. */
async function required(gigId: number): Promise<PaidAnswer> {
  const gig = await paid.store.gig(gigId);
  if (gig === null) throw new Error('there is no gig');
  const { requiredFor } = await import('../../src/domain/x402/payment-json.ts');
  const body = requiredFor({ url: paid.world.url }, { gig, domain: { name: 'USD Coin', version: '2' } }, '');
  return { status: 402, headers: new Headers(), body: body as never };
}
