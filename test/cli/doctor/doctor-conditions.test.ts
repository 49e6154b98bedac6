import { describe, expect, test } from 'vitest';
import { createAlertReceivers } from '../../../src/alerts/receivers.ts';
import { chainByKey } from '../../../src/domain/chains/chain.ts';
import { clockOff } from '../../../src/services/operators/conditions/clock.ts';
import { platformPaused } from '../../../src/services/operators/conditions/platforms.ts';
import { SEEDED_AT, seedGig } from '../../support/store.ts';
import { desk, useDesk } from '../admin.ts';
import { checkOf, doctor } from './setup.ts';

useDesk();

describe('doctor tells of conditions', () => {
  test('error: a disk that is nearly full, audits that failed and a platform that is paused, in the words of the alerts', async () => {
    const gig = await seedGig(desk.store, { live: true });
    await desk.store.transaction(async (tx) => {
      await tx.storeAuditFault(gig.id, { chainId: 31337, isUnanswered: true, reason: 'chain anvil: it is slow' });
      await tx.beginAlert(platformPaused.tell({ platform: 'twitter', reason: 'rate limited (429)' }), 1);
      await tx.beginAlert(platformPaused.tell({ platform: 'farcaster', reason: 'rate limited (429)' }), 1);
      await tx.endAlert(2, 2);
    });
    const readDisk = async () => ({ free: 2 ** 20, total: 2 ** 30 });
    const { failed, report } = await doctor({}, { readDisk });
    expect(failed).toEqual({
      disk: 'The disk of the database is nearly full: 1 MB of 1024 MB are free',
      audits: 'The audit of gig 1 failed: chain anvil: it is slow',
      'x pause': 'X is paused: rate limited (429)',
    });
    const remedies = report.checks.filter(({ ok }) => !ok).map(({ remedy }) => remedy);
    expect(remedies).toEqual([
      'Free space where DATABASE_URL is, or move the database to a larger disk: without space nothing is stored.',
      'Run npm run admin -- reconcile 1: it audits the gig again and says what it finds.',
      'Check the keys, the credits and the state of the bot’s account; waiting work continues after the pause.',
    ]);
  });

  test('error: a clock that was set back since the last beat, and one that the service has seen to be off a chain’s', async () => {
    const clock = () => checkOf('clock');
    await desk.store.transaction((tx) => tx.renewBeat(SEEDED_AT + 30_000));
    expect(await clock()).toBeUndefined();
    await desk.store.transaction((tx) => tx.renewBeat(SEEDED_AT + 7_200_000));
    expect(await clock()).toMatchObject({
      ok: false,
      detail: expect.stringContaining('The clock was set back by 120 minutes. Until '),
    });
    const anvil = chainByKey('anvil');
    if (anvil === undefined) throw new Error('there is a chain');
    await desk.store.transaction((tx) => tx.beginAlert(clockOff.tell({ chain: anvil, aheadMs: 45_000 }), 1));
    expect((await clock())?.detail).toContain('The clock is behind the time of Anvil: its newest block was 45 s ahead');
  });

  test('error: receivers of alerts that do not take them are named without their URLs', async () => {
    const env = { ALERT_WEBHOOK_URL: 'https://hooks.example/fake-hook' };
    const alerts = () => checkOf('alerts', env);
    expect(await alerts()).toEqual({
      name: 'alerts',
      ok: true,
      mark: 'passed',
      detail: 'Alerts go to 1 (hooks.example)',
      remedy: '',
    });
    const [receiver] = createAlertReceivers(['https://hooks.example/fake-hook']);
    await desk.store.transaction(async (tx) => {
      await tx.beginAlert(platformPaused.tell({ platform: 'twitter', reason: 'rate limited (429)' }), 1);
      await tx.endAlert(1, 1);
      for (const [id, to] of [
        ['d1', receiver?.id ?? ''],
        ['d2', 'a'.repeat(64)],
      ] as const) {
        await tx.queueDelivery({ id, alertId: 1, news: 'begun', receiver: to }, 1);
        await tx.leaseDelivery(to, { lease: 'l', now: 1, until: 2 });
        await tx.putDeliveryBack(id, { lease: 'l', retryAt: 9, error: 'it answered with status 500', now: 1 });
      }
    });
    const told = await alerts();
    expect(told?.detail.split('. ').toSorted()).toEqual([
      'A receiver that is no longer in ALERT_WEBHOOK_URL: 1 not delivered yet, because it answered with status 500',
      'Receiver 1 (hooks.example): 1 not delivered yet, because it answered with status 500',
    ]);
    expect([told?.ok, told?.remedy]).toEqual([
      false,
      'Correct ALERT_WEBHOOK_URL or the receiver, and run npm run admin -- alert test.',
    ]);
  });
});
