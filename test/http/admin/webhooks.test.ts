import { expect, test } from 'vitest';
import { seedGig } from '../../support/store.ts';
import { operator, useOperator } from '../operator.ts';
import { NOW, service } from '../service.ts';

useOperator();

test('behavior: webhooks and what was sent to them are shown, and no secret', async () => {
  expect(await operator.said('/admin/webhooks')).toContain('Nothing was sent.');
  const { id: gigId } = await seedGig(service.store, { client: 'shop' });
  await service.store.transaction(async (tx) => {
    const endpoint = { client: 'shop', url: 'https://shop.example/<b>', types: [], salt: 'secretsalt' } as const;
    await tx.insertWebhookEndpoint({ ...endpoint, apiKeyId: null, createdAt: NOW });
    await tx.insertEvents([{ type: 'gig.ended', at: NOW, gigId, facts: {} }]);
    await tx.releaseEvents({ holder: 'a', now: NOW, until: NOW + 1, limit: 10 });
    const held = await tx.leaseEventDelivery({ lease: 'l', now: NOW, until: NOW + 1 });
    if (held === null) throw new Error('there is a delivery');
    const failed = { error: '<i>no</i>', status: 500, retryAt: NOW + 10, askAt: NOW, now: NOW };
    await tx.putEventDeliveryBack({ ...held, ...failed });
    await tx.pauseWebhookEndpoint(1, { because: 'gone', now: NOW });
  });
  const page = await operator.said('/admin/webhooks');
  expect(page).toContain('gig.ended 1, of gig 1 , to webhook 1');
  expect(page).toContain('1 try, status 500 : &lt;i&gt;no&lt;/i&gt;');
  expect(page).toMatch(/webhook 1 paused .* https:\/\/shop\.example\/&lt;b&gt; , of shop all events gone since/);
  expect(page).not.toContain('secretsalt');
  expect(await operator.said('/admin')).toContain('Webhook 1 of shop is paused: it answered that it is gone.');
});
