import { describe, expect, test } from 'vitest';
import { createAlertReceivers } from '../../../src/alerts/receivers.ts';
import { findReceiverTroubles } from '../../../src/services/operators/alerts/check-receivers.ts';
import { type TellContext, tellNextAlert } from '../../../src/services/operators/alerts/tell-alerts.ts';
import { createConditionWatch } from '../../../src/services/operators/alerts/watch-conditions.ts';
import type { Store } from '../../../src/store/port/index.ts';
import { answerWith, openAlertReceiver } from '../../support/alert-receiver.ts';
import { takeOver } from '../../support/database.ts';
import { perCase, storePerCase } from '../../support/per-case.ts';
import { createSurroundings, FULL, LOW } from './looking.ts';

const LOOK = 30_000;
const HOUR = 3_600_000;

const { store, database } = storePerCase();
const wire = perCase(() => openAlertReceiver());

/** One process on a store, which looks and tells when a test says so. */
function createProcess(on: Store, name: string, urls: readonly string[] = [wire.url]) {
  const around = createSurroundings(on);
  const { clock, log, alertCounter, deps } = around;
  const receivers = createAlertReceivers(urls, { timeoutMs: 2_000 });
  let ids = 0;
  const newId = () => `${name}-${++ids}`;
  const watch = createConditionWatch({ ...deps, store: on, receivers, alertCounter, newId, lookMs: LOOK });
  const telling: TellContext = {
    store: on,
    alertCounter,
    publicUrl: 'https://gigs.example',
    clock,
    newId,
    log,
    timing: { leaseMs: 30_000, backoffMs: 10_000 },
  };
  return {
    ...around,
    receivers,
    telling,
    /** Time passes, and it looks so many times. */
    async look(times = 1) {
      for (let each = 0; each < times; each += 1) {
        around.advance(LOOK);
        around.state.answeredAt = clock();
        await watch.look();
      }
    },
    /** Delivers all that is due. */
    async tell() {
      for (const receiver of receivers) while (await tellNextAlert(telling, receiver));
    },
  };
}

/** A process that has seen for two looks that the gas tank is low. */
async function begin(urls?: readonly string[]) {
  const process = createProcess(store, 'a', urls);
  process.state.tank = LOW;
  await process.look(2);
  return process;
}

const deliveries = async () => {
  const alerts = await store.alerts({ limit: 100 });
  return (await Promise.all(alerts.map(({ id }) => store.deliveriesOf(id)))).flat();
};

describe('what is wrong', () => {
  test('behavior: is told once when it has held for two looks, and once when it is gone for two', async () => {
    const process = createProcess(store, 'a');
    process.state.tank = LOW;
    await process.look();
    expect(await store.openAlerts()).toEqual([]);
    await process.look(5);
    await process.tell();
    expect(wire.told()).toEqual(['begun gas_tank_low base']);
    process.state.tank = FULL;
    await process.look();
    expect(await store.openAlerts()).toHaveLength(1);
    await process.look(5);
    await process.tell();
    expect(wire.received.map(({ body }) => body.state)).toEqual(['begun', 'over']);
    expect(process.alertCounter.tally()).toEqual({ delivered: 2, failed: 0, given_up: 0 });
  });

  test('behavior: a condition that comes and goes with each look is told as one', async () => {
    const process = await begin();
    for (const level of [FULL, LOW, FULL, LOW, FULL, LOW]) {
      process.state.tank = level;
      await process.look();
    }
    await process.tell();
    expect(wire.told()).toEqual(['begun gas_tank_low base']);
    expect(await store.openAlerts()).toHaveLength(1);
  });

  test('behavior: stays open while nothing is known of it, as after a start', async () => {
    await begin();
    await store.begin();
    const second = createProcess(store, 'b');
    second.state.tank = null;
    await second.look(5);
    expect(await store.openAlerts()).toHaveLength(1);
    second.state.tank = FULL;
    await second.look(2);
    expect(await store.openAlerts()).toEqual([]);
  });

  test('behavior: each receiver is told, and one that is new learns what is open', async () => {
    const other = await openAlertReceiver();
    await (await begin()).tell();
    const second = createProcess(store, 'b', [wire.url, other.url]);
    await takeOver(store, { held: 0, pass: () => second.advance(4 * LOOK) });
    second.state.tank = LOW;
    await second.look();
    await second.tell();
    expect([wire.told(), other.told()]).toEqual([['begun gas_tank_low base'], ['begun gas_tank_low base']]);
    await other.close();
  });

  test('behavior: is kept without any receiver, too', async () => {
    const process = await begin([]);
    expect(await store.openAlerts()).toHaveLength(1);
    expect(process.lines).toContainEqual(
      expect.objectContaining({ level: 'warn', msg: 'alert', kind: 'gas_tank_low' }),
    );
  });
});

describe('two processes on one database', () => {
  const otherStore = perCase(() => database.open());
  const both = () => [createProcess(store, 'a'), createProcess(otherStore, 'b')] as const;

  test('behavior: one looks, though both see other things; what it sees is told once', async () => {
    const [one, two] = both();
    one.state.tank = LOW;
    for (let round = 0; round < 6; round += 1) await Promise.all([one.look(), two.look()]);
    for (let round = 0; round < 3; round += 1) await Promise.all([one.tell(), two.tell()]);
    const told = wire.received.map(({ body }) => body.state);
    // Whichever was first watches; both keep to it.
    expect([[], ['begun']]).toContainEqual(told);
    expect((await store.openAlerts()).length).toBe(told.length);
  });

  test('behavior: the second takes over when the first looks no more, and ends what it began', async () => {
    const [one, two] = both();
    one.state.tank = LOW;
    await one.look(2);
    two.advance(2 * LOOK);
    await two.look(3);
    expect(await store.openAlerts()).toHaveLength(1);
    await two.look();
    expect(await store.openAlerts()).toEqual([]);
    one.advance(4 * LOOK);
    await Promise.all([one.tell(), two.tell(), one.tell(), two.tell()]);
    expect(wire.received.map(({ body }) => body.state)).toEqual(['begun', 'over']);
  });

  test('error: the first, which stood still until the second took over, tells nothing of what it saw before', async () => {
    const [one, two] = both();
    one.state.tank = LOW;
    await one.look();
    const { disk } = one.state;
    one.state.disk = async () => {
      for (const process of [one, two]) process.advance(4 * LOOK);
      two.advance(2 * LOOK);
      await two.look();
      one.advance(LOOK);
      return await disk();
    };
    await one.look();
    one.state.disk = disk;
    expect(await store.alerts({ limit: 10 })).toEqual([]);
    expect(one.lines.filter(({ msg }) => msg === 'alert')).toEqual([]);
    await two.look(3);
    await two.tell();
    expect(wire.received).toEqual([]);
  });
});

describe('a delivery', () => {
  test('error: that fails is tried again under the same id, after pauses that grow to half an hour', async () => {
    wire.react(answerWith(500));
    const process = await begin();
    const waits: number[] = [];
    for (let tries = 0; tries < 10; tries += 1) {
      await process.tell();
      const [only] = await deliveries();
      waits.push(((only?.nextAt ?? 0) - process.clock()) / 1_000);
      process.advance((only?.nextAt ?? 0) - process.clock());
    }
    expect(waits).toEqual([10, 20, 40, 80, 160, 320, 640, 1_280, 1_800, 1_800]);
    wire.react(answerWith(200));
    await process.tell();
    expect(new Set(wire.received.map(({ id }) => id)).size).toBe(1);
    expect(await deliveries()).toMatchObject([{ state: 'delivered', tries: 11, error: null }]);
    expect(process.alertCounter.tally()).toEqual({ delivered: 1, failed: 10, given_up: 0 });
  });

  test('error: that fails for three days is given up, and doctor is told until one arrives', async () => {
    wire.react(answerWith(404));
    const process = await begin();
    const troubles = () => findReceiverTroubles({ store, clock: process.clock }, process.receivers);
    await process.tell();
    const error = 'it answered with status 404';
    expect(await troubles()).toEqual([{ label: '1 (127.0.0.1)', waiting: 1, givenUp: 0, error }]);
    for (let hours = 0; hours < 73; hours += 1) {
      process.advance(HOUR);
      await process.tell();
    }
    expect(await deliveries()).toMatchObject([{ state: 'failed', error }]);
    expect(process.alertCounter.tally().given_up).toBe(1);
    expect(await troubles()).toEqual([{ label: '1 (127.0.0.1)', waiting: 0, givenUp: 1, error }]);
    wire.react(answerWith(200));
    process.state.tank = FULL;
    await process.look(2);
    await process.tell();
    expect(wire.told()).toEqual(['begun gas_tank_low base', 'over gas_tank_low base']);
    expect(await troubles()).toEqual([]);
  });

  test('error: a receiver that stalls or redirects is left, and another is told meanwhile', async () => {
    const other = await openAlertReceiver();
    const process = await begin([wire.url, other.url]);
    wire.react(() => undefined);
    await process.tell();
    wire.react(answerWith(302, { location: other.url }));
    process.advance(10_000);
    await process.tell();
    expect(other.received).toHaveLength(1);
    const errors = (await deliveries()).map(({ state, error }) => [state, error]);
    expect(errors).toEqual([
      ['queued', 'it answered with status 302'],
      ['delivered', null],
    ]);
    await other.close();
  });

  test('error: whose outcome was not kept is made again under its id', async () => {
    const process = await begin();
    // The process dies after the receiver has it, and before that is on disk.
    const lost: TellContext['store'] = {
      ...store,
      transaction: (run, options) =>
        wire.received.length > 0 ? Promise.reject(new Error('killed')) : store.transaction(run, options),
    };
    const [receiver] = process.receivers;
    if (receiver === undefined) throw new Error('there is one');
    await expect(tellNextAlert({ ...process.telling, store: lost }, receiver)).rejects.toThrow('killed');
    const next = createProcess(store, 'b');
    await next.tell();
    expect(wire.received).toHaveLength(1);
    await takeOver(store, { held: 1, pass: () => next.advance(30_000) });
    next.advance(2 * LOOK);
    await next.tell();
    expect(wire.received.map(({ id }) => id)).toEqual(['a-2', 'a-2']);
    expect(await deliveries()).toMatchObject([{ id: 'a-2', state: 'delivered', tries: 2 }]);
  });

  test('error: that was queued before the service was down for days is still made', async () => {
    wire.react(answerWith(500));
    const process = await begin();
    await process.tell();
    await store.begin();
    wire.react(answerWith(200));
    const next = createProcess(store, 'b');
    next.state.tank = LOW;
    next.advance(200 * HOUR);
    await next.look();
    await next.tell();
    expect(wire.told()).toEqual(['begun gas_tank_low base']);
    expect(await deliveries()).toMatchObject([{ state: 'delivered' }]);
  });

  test('error: to a URL that is not configured any more is given up in the end', async () => {
    await begin();
    await store.begin();
    const next = createProcess(store, 'b', []);
    next.state.tank = LOW;
    next.advance(74 * HOUR);
    await next.look();
    expect(await deliveries()).toMatchObject([
      { state: 'failed', error: 'given up: its URL is no longer in ALERT_WEBHOOK_URL' },
    ]);
    expect(next.alertCounter.tally().given_up).toBe(1);
  });
});
