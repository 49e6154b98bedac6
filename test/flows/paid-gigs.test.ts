import { parseAbiItem } from 'viem';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { anvilClients } from '../support/anvil.ts';
import {
  FUNDING,
  NETWORK,
  openPaidWorld,
  type PaidAnswer,
  type PaidWorld,
  sendAuthorization,
  stockFetch,
  UNIT,
} from '../support/x402.ts';

let paid: PaidWorld;
beforeEach(async () => {
  paid = await openPaidWorld();
});
afterEach(() => paid.close());

function decoded(header: string | null): Record<string, unknown> {
  return JSON.parse(Buffer.from(header ?? '', 'base64').toString('utf8')) as Record<string, unknown>;
}

function idOf({ body }: PaidAnswer): number {
  const id = body.data?.gig_id ?? body.extensions?.gig?.info.gig_id;
  if (id === undefined) throw new Error(`no gig in ${JSON.stringify(body)}`);
  return id;
}

const TRANSFER = parseAbiItem('event Transfer(address indexed from, address indexed to, uint256 value)');

/** What came into the wallets of these gigs, whatever has left them since. */
async function paidInto(...ids: number[]): Promise<bigint[]> {
  const { address } = paid.token;
  return await Promise.all(
    ids.map(async (id) => {
      const to = (await paid.store.gig(id))?.walletAddress;
      if (to === undefined) throw new Error(`there is no gig ${id}`);
      const logs = await anvilClients().public.getLogs({ address, event: TRANSFER, args: { to }, fromBlock: 0n });
      return logs.reduce((sum, { args: { value = 0n } }) => sum + value, 0n);
    }),
  );
}

describe('an agent without ether', () => {
  test('behavior: has a live gig by one call of the stock client, which its own address owns', async () => {
    const agent = await paid.agent();
    const answer = await paid.create(stockFetch(agent, paid.token));
    expect(answer.body).toMatchObject({ data: { status: 'live', payer: agent.address, total_amount: '105.0' } });
    expect(answer.status).toBe(201);
    const response = decoded(answer.headers.get('payment-response'));
    expect(response).toEqual({
      success: true,
      payer: agent.address,
      transaction: answer.body.data?.transaction,
      network: NETWORK,
    });
    const gig = await paid.store.gig(idOf(answer));
    const payer = agent.address.toLowerCase();
    expect(gig).toMatchObject({
      status: 'live',
      client: `owner:wallet:${payer}`,
      refundTo: payer,
      start: 'when_funded',
    });
    expect(await paidInto(idOf(answer))).toEqual([FUNDING]);
    expect(await paid.held(agent.address)).toBe(1_000n * UNIT - FUNDING);
  });

  test('behavior: is told what to pay before, in the header as in the body', async () => {
    const asked = await paid.create();
    expect(asked.status).toBe(402);
    const { code, request_id: _id, ...required } = asked.body as Record<string, unknown>;
    expect(code).toBe('payment_required');
    expect(decoded(asked.headers.get('payment-required'))).toEqual(required);
    const gig = await paid.store.gig(idOf(asked));
    expect(gig).toMatchObject({ status: 'created', client: 'owner:x402' });
    expect(required).toMatchObject({
      x402Version: 2,
      accepts: [
        {
          scheme: 'exact',
          network: NETWORK,
          amount: String(FUNDING),
          maxTimeoutSeconds: 300,
          extra: { name: 'USD Coin', version: '2' },
        },
      ],
    });
    expect(asked.body.accepts?.[0]?.payTo.toLowerCase()).toBe(gig?.walletAddress);
  });
});

describe('a request that is repeated', () => {
  test('security: after a lost answer costs nothing, with the payment and without', async () => {
    const agent = await paid.agent();
    const asked = await paid.create(fetch, { key: 'order-1' });
    const header = await paid.signFor(agent, asked);
    const first = await paid.create(fetch, { key: 'order-1', header });
    expect(first.status).toBe(201);
    const again = await paid.create(fetch, { key: 'order-1', header });
    const without = await paid.create(fetch, { key: 'order-1' });
    const byStock = await paid.create(stockFetch(agent, paid.token), { key: 'order-1' });
    const other = await paid.create(fetch, { key: 'another', header });
    for (const answer of [again, without, byStock, other])
      expect([answer.status, answer.body]).toEqual([201, first.body]);
    expect(again.headers.get('payment-response')).toBe(first.headers.get('payment-response'));
    expect(await paidInto(idOf(first))).toEqual([FUNDING]);
    expect(await paid.held(agent.address)).toBe(1_000n * UNIT - FUNDING);
  });

  test('security: names one gig by its key for any body but another, and without a key for the same body', async () => {
    const [a, b] = [await paid.create(fetch, { key: 'k' }), await paid.create(fetch, { key: 'k' })];
    expect(idOf(a)).toBe(idOf(b));
    expect((await paid.create(fetch, { key: 'k', amount: '7' })).body).toMatchObject({ code: 'key_reused' });
    const [c, d] = [await paid.create(), await paid.create()];
    expect(idOf(c)).toBe(idOf(d));
    expect(idOf(c)).not.toBe(idOf(a));
    expect(idOf(await paid.create(fetch, { amount: '7' }))).not.toBe(idOf(c));
  });

  test.for([undefined, 'order-20'])('security: 20 at once settle once, with the key %s', async (key) => {
    const agents = await Promise.all(Array.from({ length: 4 }, () => paid.agent()));
    const calls = Array.from({ length: 20 }, (_, place) => {
      const agent = agents[place % agents.length];
      if (agent === undefined) throw new Error('there are agents');
      return paid.create(stockFetch(agent, paid.token), key === undefined ? {} : { key });
    });
    const answers = await Promise.all(calls);
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201]));
    const ids = new Set(answers.map(idOf));
    expect(ids.size).toBe(1);
    expect(await paidInto(...ids)).toEqual([FUNDING]);
    const left = await Promise.all(agents.map(({ address }) => paid.held(address)));
    expect(left.reduce((sum, each) => sum + each, 0n)).toBe(4_000n * UNIT - FUNDING);
  });

  test('security: after the gig has ended is told so, and settles nothing', async () => {
    const agent = await paid.agent();
    const asked = await paid.create();
    const header = await paid.signFor(agent, asked);
    const first = await paid.create(fetch, { header });
    const gigId = idOf(first);
    await paid.store.transaction((tx) => tx.stopGig(gigId, { now: Date.now(), dueBy: Date.now() }));
    const again = await paid.create(fetch, { header });
    expect([again.status, again.body.data?.status]).toEqual([201, 'ended']);
    expect(again.headers.get('payment-response')).toBe(first.headers.get('payment-response'));
    expect(await paid.held(agent.address)).toBe(1_000n * UNIT - FUNDING);
  });
});

test('security: a payment that the ledger has lost is not made again, and its payer owns the gig', async () => {
  const agent = await paid.agent();
  const asked = await paid.create(fetch, { key: 'order-1' });
  const gig = await paid.store.gig(idOf(asked));
  const header = await paid.signFor(agent, asked);
  // As in the ledger of an older backup, somebody else has sent it.
  await sendAuthorization(paid.token, header);
  const without = await paid.create(fetch, { key: 'order-1' });
  expect([without.status, without.body.data?.payer]).toEqual([201, null]);
  const again = await paid.create(fetch, { header });
  expect([again.status, again.body.data?.payer]).toEqual([201, agent.address]);
  expect(await paid.store.gig(idOf(asked))).toMatchObject({
    client: `owner:wallet:${agent.address.toLowerCase()}`,
    refundTo: agent.address.toLowerCase(),
  });
  expect(await paid.held(gig?.walletAddress ?? '')).toBe(FUNDING);
  expect(await paid.held(agent.address)).toBe(1_000n * UNIT - FUNDING);
});

describe('a payment that is not the gig’s', () => {
  test('security: of two payers of one gig one pays', async () => {
    const [alice, bob] = [await paid.agent(), await paid.agent()];
    const asked = await paid.create();
    const headers = [await paid.signFor(alice, asked), await paid.signFor(bob, asked)];
    const answers = await Promise.all(headers.map((header) => paid.create(fetch, { header })));
    expect(answers.map(({ status }) => status)).toEqual([201, 201]);
    expect(new Set(answers.map(({ body }) => body.data?.payer)).size).toBe(1);
    expect(await paidInto(idOf(asked))).toEqual([FUNDING]);
    const left = [await paid.held(alice.address), await paid.held(bob.address)];
    expect(left.toSorted((a, b) => Number(a - b))).toEqual([1_000n * UNIT - FUNDING, 1_000n * UNIT]);
  });

  const past = () => String(Math.floor(Date.now() / 1_000) - 600);
  const later = () => String(Math.floor(Date.now() / 1_000) + 90_000);
  test.for([
    { is: 'expired', change: { validBefore: past() }, error: 'invalid_exact_evm_payload_authorization_valid_before' },
    {
      is: 'of too long a life',
      change: { validBefore: later() },
      error: 'invalid_exact_evm_payload_authorization_valid_before',
    },
    {
      is: 'not valid yet',
      change: { validAfter: later() },
      error: 'invalid_exact_evm_payload_authorization_valid_after',
    },
    {
      is: 'of another amount',
      change: { value: '1' },
      error: 'invalid_exact_evm_payload_authorization_value_mismatch',
    },
    { is: 'to another address', change: { to: `0x${'5'.repeat(40)}` }, error: 'invalid_exact_evm_recipient_mismatch' },
    { is: 'of somebody else', change: { from: `0x${'5'.repeat(40)}` }, error: 'invalid_exact_evm_signature' },
  ])('security: $is is refused with the words of x402, and the next one pays', async ({ change, error }) => {
    const agent = await paid.agent();
    const asked = await paid.create();
    const header = await paid.signFor(agent, asked, ({ payload }) => Object.assign(payload.authorization, change));
    const refused = await paid.create(fetch, { header });
    expect([refused.status, refused.body.code, refused.body.error]).toEqual([402, 'payment_refused', error]);
    expect(decoded(refused.headers.get('payment-required'))).toMatchObject({ error, accepts: asked.body.accepts });
    expect(await paid.store.depositOf(idOf(asked))).toBeNull();
    const good = await paid.create(fetch, { header: await paid.signFor(agent, asked) });
    expect(good.status).toBe(201);
    expect(await paid.held(agent.address)).toBe(1_000n * UNIT - FUNDING);
  });

  test('security: of an agent that has too little is refused, and what is no payment at all', async () => {
    const poor = await paid.agent(1n);
    const asked = await paid.create();
    const refused = await paid.create(fetch, { header: await paid.signFor(poor, asked) });
    expect([refused.status, refused.body.error]).toEqual([402, 'invalid_exact_evm_insufficient_balance']);
    for (const header of ['x', 'e30=', Buffer.from('{"x402Version":1}').toString('base64')]) {
      expect((await paid.create(fetch, { header })).body).toMatchObject({ error: 'invalid_payload' });
    }
    const elsewhere = await paid.signFor(await paid.agent(), asked, ({ accepted }) => {
      accepted['payTo'] = `0x${'5'.repeat(40)}`;
    });
    expect((await paid.create(fetch, { header: elsewhere })).body).toMatchObject({
      error: 'invalid_exact_evm_recipient_mismatch',
      accepts: [],
    });
  });
});
