import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type Address, checksummed, NATIVE_TOKEN_ADDRESS } from '../../../src/domain/gigs/token.ts';
import { anvilClients, freshAccount, freshAddress, fundNative, fundToken, tokenBalance } from '../../support/anvil.ts';
import { ask } from '../../support/clients.ts';
import { runBeside } from '../../support/command.ts';
import { type GigClient, openGigClient } from '../../support/gig-client.ts';
import { UNIT } from '../../support/paying-world.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

let client: GigClient;
beforeEach(async () => {
  client = await openGigClient();
});
afterEach(() => client.close());

const balanceOf = (owner: Address) => tokenBalance(client.token, owner);
/** What the bot answers to somebody. */
const tell = (author: string, text: string) => ask(client.world.farcaster, author, text);

interface GigRecord {
  data: {
    status: string;
    end_time_ms: number;
    stopped_at: string | null;
    settled_at: string | null;
    cancelled_at: string | null;
    awards_until: string;
  };
}
const record = async (gigId: number) => (await client.call<GigRecord>('GET', `/api/gigs/${gigId}`)).body.data;

describe('a gig that is awarded by request', () => {
  test('behavior: what is left returns after the award period and the delay, and what was earned is still paid', async () => {
    const { gig_id, gig_wallet_address } = await client.startFunded({ award_days: 2 });
    expect((await client.award(gig_id, '1001', 30)).status).toBe(201);
    client.time.ahead = DAY + HOUR;
    expect((await record(gig_id)).status).toBe('ended');
    // The jury decides after the end.
    expect((await client.award(gig_id, '1002', 17)).status).toBe(201);
    client.time.ahead = 3 * DAY + HOUR;
    await expect.poll(async () => (await record(gig_id)).settled_at).not.toBeNull();
    const late = await client.award(gig_id, '1003', 1);
    expect(late.status).toBe(400);
    expect(late.body.error).toBe(`Gig with id ${gig_id} is settled: no more tips are awarded`);
    expect(await balanceOf(client.refundTo)).toBe(0n);
    client.time.ahead = 6 * DAY + 2 * HOUR;
    await expect.poll(() => balanceOf(client.refundTo)).toBe(53n * UNIT);
    expect(await balanceOf(gig_wallet_address)).toBe(47n * UNIT);
    const paid = freshAddress();
    expect(await tell('alice', `claim my rewards ${paid}`)).toContain('Paid to');
    expect(await balanceOf(paid)).toBe(30n * UNIT);
    expect(await balanceOf(gig_wallet_address)).toBe(17n * UNIT);
    expect(await balanceOf(client.refundTo)).toBe(53n * UNIT);
  });

  test('behavior: an owner stops it, settles it early, and the refund arrives', async () => {
    const { gig_id } = await client.startFunded();
    expect((await client.award(gig_id, '1001', 40)).status).toBe(201);
    expect(await tell('alice', `settle gig ${gig_id}`)).toContain(`Gig ${gig_id} has not ended.`);
    expect(await tell('alice', `stop gig ${gig_id}`)).toContain(`Gig ${gig_id} is stopped.`);
    const stopped = await record(gig_id);
    expect([stopped.status, stopped.stopped_at === null]).toEqual(['ended', false]);
    expect(await tell('alice', `settle gig ${gig_id}`)).toContain('Left: 60 USDC. It returns to 0x');
    client.time.ahead = 3 * DAY + HOUR;
    await expect.poll(() => balanceOf(client.refundTo)).toBe(60n * UNIT);
  });

  test('security: another account cannot stop, settle or cancel it', async () => {
    const { gig_id } = await client.startFunded();
    for (const word of ['stop', 'settle', 'cancel']) {
      expect(await tell('bob', `${word} gig ${gig_id}`)).toBe(`Only an owner of gig ${gig_id} can ${word} it.`);
    }
    expect((await record(gig_id)).stopped_at).toBeNull();
  });
});

/** Deploys a contract that takes no money: its whole code is PUSH1 0, PUSH1 0, REVERT. */
async function deployRefuser(): Promise<Address> {
  const { wallet, public: reader } = anvilClients();
  // Writes these five bytes to memory, and answers them.
  const data = '0x6460006000fd6000526005601bf3';
  const hash = await wallet.sendTransaction({ account: await freshAccount(), data });
  const { contractAddress } = await reader.waitForTransactionReceipt({ hash });
  if (!contractAddress) throw new Error('no contract was deployed');
  return contractAddress.toLowerCase() as Address; // Its address in lower case is one.
}

describe('a refund to a contract that takes no money', () => {
  test('security: fails with its reason alone, and is paid once to the address that the operator names', async () => {
    const { store } = client.world.runtime;
    const balance = (address: Address) => anvilClients().public.getBalance({ address });
    const claim = (author: string, recipient: Address) => tell(author, `claim my rewards ${recipient}`);
    const refuser = await deployRefuser();
    const native = { token_address: NATIVE_TOKEN_ADDRESS, refund_address: refuser, award_days: 0 };
    const { gig_id, gig_wallet_address } = await client.create({ ...native, amount: '0.0001' });
    await fundNative(gig_wallet_address, 105n * 10n ** 12n);
    expect((await client.call('POST', '/api/gigs/start', { gig_id })).status).toBe(200);
    const other = await client.startFunded({ award_days: 0 });
    for (const [gig, id, value] of [
      [gig_id, '1001', 0.00002],
      [gig_id, '1002', 0.00003],
      [other.gig_id, '1003', 30],
    ] as const) {
      expect((await client.award(gig, id, value)).status).toBe(201);
    }
    client.time.ahead = DAY + HOUR;
    const areSettled = async () =>
      (await Promise.all([gig_id, other.gig_id].map((id) => store.gig(id)))).every((gig) => gig?.settledAt != null);
    await expect.poll(areSettled).toBe(true);
    client.time.ahead = 5 * DAY;
    const refunds = async () => {
      const made = await store.payments({ kind: 'refund', limit: 9 });
      return made.filter(({ gigId }) => gigId === gig_id).map(({ state, reason }) => [state, reason]);
    };
    const why = `the recipient ${refuser} would not take the native asset: no reason given`;
    await expect.poll(refunds).toEqual([['failed', why]]);
    // The refund of the other gig, and what both owe, are paid.
    await expect.poll(() => balanceOf(client.refundTo)).toBe(70n * UNIT);
    const [alices, carols, back] = [freshAddress(), freshAddress(), freshAddress()];
    expect(await claim('alice', alices)).toContain('Paid to');
    expect(await claim('carol', carols)).toContain('Paid to');
    expect([await balance(alices), await balanceOf(carols)]).toEqual([20n * 10n ** 12n, 30n * UNIT]);
    expect(await store.gigFreeze(gig_id)).toBeNull();

    const args = ['gig', 'refund', String(gig_id), '--to', back, '--yes'];
    const { out } = await runBeside(client.world, { args, clock: () => Date.now() + client.time.ahead });
    expect(out).toContain(`had failed. The refund of 0.00005 ETH to ${checksummed(back)} is planned as payment`);
    await expect.poll(() => balance(back)).toBe(50n * 10n ** 12n);
    await expect.poll(async () => (await refunds()).map(([state]) => state)).toEqual(['confirmed', 'failed']);
    const bobs = freshAddress();
    expect(await claim('bob', bobs)).toContain('Paid to');
    expect(await Promise.all([bobs, back, refuser, gig_wallet_address].map(balance))).toEqual([
      30n * 10n ** 12n,
      50n * 10n ** 12n,
      0n,
      0n,
    ]);
  });
});

describe('a gig that never started', () => {
  test('behavior: it is cancelled, and all that it holds, funded in part, returns', async () => {
    const { gig_id, gig_wallet_address } = await client.create();
    await fundToken(client.token, gig_wallet_address, 42n * UNIT);
    const { status, body } = await client.call<GigRecord>('POST', `/api/gigs/${gig_id}/cancel`);
    expect([status, body.data.status]).toEqual([200, 'cancelled']);
    await expect.poll(() => balanceOf(client.refundTo)).toBe(42n * UNIT);
    expect(await balanceOf(gig_wallet_address)).toBe(0n);
    const start = await client.call<{ error: string }>('POST', '/api/gigs/start', { gig_id });
    expect([start.status, start.body.error]).toEqual([400, `Gig with id ${gig_id} is cancelled`]);
    expect((await client.call('PATCH', `/api/gigs/${gig_id}`, { amount: 1 })).status).toBe(400);
    const again = await client.call<GigRecord>('POST', `/api/gigs/${gig_id}/cancel`);
    expect(again.body.data.cancelled_at).toBe(body.data.cancelled_at);
    const open = await client.call<{ data: { id: number }[] }>('GET', '/api/gigs?status=created');
    expect(open.body.data).toEqual([]);
    const all = await client.call<{ data: { id: number }[] }>('GET', '/api/gigs?status=all');
    expect(all.body.data.map(({ id }) => id)).toEqual([gig_id]);
  });

  test('security: where its money returns to stays as it was when the money came', async () => {
    const { gig_id, gig_wallet_address } = await client.create({ refund_address: null });
    const change = (refund_address: Address | null) =>
      client.call<{ details: string[] }>('PATCH', `/api/gigs/${gig_id}`, { refund_address });
    expect((await change(client.refundTo)).status).toBe(200);
    await fundToken(client.token, gig_wallet_address, 1n);
    for (const address of [freshAddress(), null]) {
      const { status, body } = await change(address);
      expect(status).toBe(400);
      expect(body.details).toEqual([
        'refund_address cannot be changed: the wallet of this gig holds 0.000001 USDC already',
      ]);
    }
    expect(
      (await client.call('PATCH', `/api/gigs/${gig_id}`, { amount: 7, refund_address: client.refundTo })).status,
    ).toBe(200);
  });

  test('error: a live gig is not cancelled', async () => {
    const { gig_id } = await client.startFunded();
    const { status, body } = await client.call<{ error: string }>('POST', `/api/gigs/${gig_id}/cancel`);
    expect([status, body.error]).toEqual([400, 'Gig is already live']);
  });
});

test('behavior: nothing returns when all was awarded, and the books are closed', async () => {
  const { gig_id } = await client.startFunded({ award_days: 0 });
  expect((await client.award(gig_id, '1001', 100)).status).toBe(201);
  const { store } = client.world.runtime;
  client.time.ahead = 2 * DAY;
  await expect.poll(async () => (await record(gig_id)).settled_at).not.toBeNull();
  client.time.ahead = 6 * DAY;
  await expect.poll(async () => (await store.gig(gig_id))?.refundedAt ?? null).not.toBeNull();
  expect((await store.paymentsOfGig(gig_id)).map(({ kind }) => kind)).toEqual(['fee']);
});
