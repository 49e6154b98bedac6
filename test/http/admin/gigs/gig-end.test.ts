import { expect, test } from 'vitest';
import { checksummed } from '../../../../src/domain/gigs/token.ts';
import { freshAddress } from '../../../support/anvil.ts';
import { seedGig } from '../../../support/store.ts';
import { operator, useOperator } from '../../operator.ts';
import { NOW, service } from '../../service.ts';

const DAY = 86_400_000;

useOperator();

const live = () => seedGig(service.store, { live: true, startTime: NOW - 1_000, awardDays: 1 });

test('behavior: a live gig is stopped and settled, each after a page that asks, by the operator', async () => {
  await live();
  expect(await operator.read('/admin/gigs/1')).toContain('href="/admin/gigs/1/stop"');
  expect(await operator.said('/admin/gigs/1/stop')).toContain(
    'Stop gig 1? The gig ends now. New activity no longer counts; tips already earned are kept. You can’t undo this.',
  );
  expect((await service.store.gig(1))?.stoppedAt).toBeNull();
  const stopped = await operator.submit('/admin/gigs/1/stop');
  expect([stopped.status, stopped.headers.get('location')]).toEqual([303, '/admin/gigs/1']);
  const page = await operator.said('/admin/gigs/1');
  expect(page).toContain(
    'Award days 1: until 22 Nov 2026, 09:30:00 UTC Stopped 21 Nov 2026, 09:30:00 UTC Refund 100 DEGEN Refund to not set',
  );
  expect(page).toContain('Waits for the gig is not settled Settle');
  expect((await operator.submit('/admin/gigs/1/settle')).status).toBe(303);
  expect(await operator.said('/admin/gigs/1')).toContain(
    'Not before 24 Nov 2026, 09:30:00 UTC Waits for no refund address is set',
  );
  expect(await operator.read('/admin/gigs/1')).not.toContain('/admin/gigs/1/settle"');
  expect(await service.store.auditEvents({ limit: 2 })).toMatchObject([
    { action: 'gig.close', actor: 'operator', actorName: 'test' },
    { action: 'gig.stop', actor: 'operator', actorName: 'test' },
  ]);
});

test('behavior: a created gig is cancelled, and shows where its money returns to', async () => {
  const back = freshAddress();
  await seedGig(service.store, { refundAddress: back });
  expect(await operator.read('/admin/gigs/1')).toContain('href="/admin/gigs/1/cancel"');
  expect((await operator.submit('/admin/gigs/1/cancel')).status).toBe(303);
  const page = await operator.said('/admin/gigs/1');
  expect(page).toContain('gig 1 cancelled');
  expect(page).toContain(`Cancelled 21 Nov 2026, 09:30:00 UTC Refund to ${checksummed(back)}`);
});

test('behavior: what a due refund waits for is said', async () => {
  await seedGig(service.store, { live: true, startTime: NOW - 9 * DAY, refundAddress: freshAddress() });
  await service.store.transaction((tx) => tx.settleGig(1, NOW - 4 * DAY));
  expect(await operator.said('/admin/gigs/1')).toContain(
    'Waits for nothing: it is planned as soon as the books are proved',
  );
  await service.store.transaction((tx) => tx.freezeByOperator(1, 'a leak'));
  expect(await operator.said('/admin/gigs/1')).toContain('Waits for the gig is frozen');
});

test('error: what cannot be done is refused with the reason, and nothing changes', async () => {
  await live();
  await operator.read('/admin/gigs/1/settle');
  const refused = await operator.submit('/admin/gigs/1/settle');
  expect(refused.status).toBe(409);
  expect(await refused.text()).toContain('role="alert">Gig with id 1 has not ended: stop it first');
  expect((await operator.submit('/admin/gigs/1/cancel')).status).toBe(409);
  expect((await operator.get('/admin/gigs/9/stop')).status).toBe(404);
  expect((await operator.submit('/admin/gigs/9/stop')).status).toBe(404);
  expect(await service.store.auditEvents({ limit: 1 })).toMatchObject([{ action: 'login.open' }]);
});

test('security: the pages and forms are for operators only, with their form token', async () => {
  await live();
  expect((await operator.submit('/admin/gigs/1/stop', { token: 'wrong' })).status).not.toBe(303);
  operator.cookie = '';
  expect((await operator.get('/admin/gigs/1/stop')).status).toBe(401);
  expect((await operator.submit('/admin/gigs/1/stop')).status).not.toBe(303);
  expect((await service.store.gig(1))?.stoppedAt).toBeNull();
});
