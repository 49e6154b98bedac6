import { parseEther } from 'viem';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { AnvilProcess } from '../../../sandbox/anvil.ts';
import { createWallets } from '../../../src/chain/wallets.ts';
import { answerWith, openAlertReceiver, type TestAlertReceiver } from '../../support/alert-receiver.ts';
import { anvilClients, startAnvil } from '../../support/anvil.ts';
import { readReady } from '../../support/clients.ts';
import { FAST, openWorld, type World } from '../../support/world.ts';

/** Looks and tries follow each other at once. */
const QUICK = { ...FAST, look: { chainMs: 20, conditionMs: 30 }, tell: { leaseMs: 5_000, backoffMs: 20 } };

let anvil: AnvilProcess;
beforeAll(async () => {
  anvil = await startAnvil();
});
afterAll(() => anvil.stop());

let receiver: TestAlertReceiver;
let world: World;
beforeEach(async () => {
  receiver = await openAlertReceiver();
  world = await openWorld({
    env: {
      RPC_URL_31337: anvil.url,
      ALERT_WEBHOOK_URL: receiver.url,
      PUBLIC_URL: 'https://gigs.example',
      WEBHOOK_ALLOW_PRIVATE: 'false',
    },
    timing: QUICK,
  });
  await setTank('10');
});
afterEach(async () => {
  await world.close();
  await receiver.close();
});

/** What the service's gas tank holds from now on. */
async function setTank(ether: string): Promise<void> {
  const address = createWallets(world.config.gigWalletMnemonic ?? '').gasTankAddress();
  await anvilClients(anvil.url).test.setBalance({ address, value: parseEther(ether) });
}

const BOTH = ['begun gas_tank_low anvil', 'over gas_tank_low anvil'];
const requests = () => receiver.received.length;
const soon = <T>(read: () => T) => expect.poll(read);

/** What is stored of alerts and their deliveries. */
async function stored() {
  const alerts = await world.runtime.store.alerts({ limit: 10 });
  const deliveries = await Promise.all(alerts.map(({ id }) => world.runtime.store.deliveriesOf(id)));
  return { alerts, deliveries: deliveries.flat() };
}

/** Waits until all that was queued is delivered. */
async function allDelivered(): Promise<void> {
  await soon(async () => (await stored()).deliveries.map(({ state }) => state)).not.toContain('queued');
}

describe('a gas tank that is drained and filled', () => {
  test('behavior: is told once when it begins, and once when it is over', async () => {
    await setTank('0');
    await soon(receiver.told).toEqual(['begun gas_tank_low anvil']);
    const text =
      /^The gas tank on Anvil is low: 0x\S{40} holds 0 ETH, less than the 0\.[0-9]+ ETH that 100 transfers of a token cost now$/;
    const reason = { kind: 'gas_tank_low', subject: 'anvil', text: expect.stringMatching(text) };
    expect(await readReady(world)).toMatchObject({ ready: true, status: 'degraded', reasons: [reason] });
    await setTank('10');
    await soon(receiver.told).toEqual(BOTH);
    await allDelivered();
    expect(receiver.received).toHaveLength(2);
    const [begun, over] = receiver.received;
    expect(begun?.headers).toMatchObject({ 'content-type': 'application/json', 'user-agent': 'gigclaim' });
    expect(begun?.body).toMatchObject({
      text: expect.stringMatching(
        /^https:\/\/gigs\.example: The gas tank on Anvil is low: .* cost now\. Send ETH on Anvil \(chain id 31337\) to 0x\S{40}: it pays the gas of all payments\.$/,
      ),
      state: 'begun',
      service: 'https://gigs.example',
      at: expect.stringMatching(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/),
    });
    expect(begun?.body.content).toBe(begun?.body.text);
    expect(over?.body.text).toMatch(/^https:\/\/gigs\.example: Over: The gas tank on Anvil is low: .* cost now\.$/);
    expect(await readReady(world)).toMatchObject({ status: 'ok', reasons: [] });
  });

  test('error: a receiver that fails first, and a service that is stopped in between, get all of it under the same ids', async () => {
    receiver.react(answerWith(500));
    await setTank('0');
    await soon(requests).toBeGreaterThanOrEqual(3);
    await world.stop();
    const before = requests();
    await world.start();
    await soon(requests).toBeGreaterThan(before);
    await setTank('10');
    await soon(() => world.runtime.store.openAlerts()).toEqual([]);
    await world.stop();
    receiver.react(answerWith(204));
    await world.start();
    await soon(receiver.told).toEqual(BOTH);
    await allDelivered();
    expect(receiver.received.filter(({ body }) => body.state === 'over')).toHaveLength(1);
    const { alerts, deliveries } = await stored();
    expect(alerts).toHaveLength(1);
    expect(deliveries.map(({ id, state, news }) => [id, state, news])).toEqual(
      receiver.told().map((_, index) => {
        const { id, body } = [...new Map(receiver.received.map((each) => [each.id, each])).values()][index] ?? {};
        return [id, 'delivered', body?.state];
      }),
    );
  });

  test('security: no secret is in what is told, stored or logged', async () => {
    receiver.react(answerWith(500));
    await setTank('0');
    await soon(requests).toBeGreaterThanOrEqual(2);
    const ready = await (await fetch(`${world.url}/ready`)).text();
    const metrics = await (await fetch(`${world.url}/metrics`)).text();
    const bodies = receiver.received.map(({ text, headers }) => text + JSON.stringify(headers));
    for (const text of [...world.lines, ...bodies, ready, metrics, JSON.stringify(await stored())]) {
      expect(text).not.toContain('fake-webhook-secret');
      expect(text).not.toContain(anvil.url);
    }
    expect(world.lines.join()).toContain('alert not delivered yet');
    expect(metrics).toContain('gigclaim_alerts_open{kind="gas_tank_low"} 1');
    expect(metrics).toMatch(/^gigclaim_alert_deliveries_total\{outcome="failed"\} [1-9]/m);
  });
});
