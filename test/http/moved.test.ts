import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { copyStore } from '../../src/store/copy/copy-store.ts';
import { deployToken, freshAddress } from '../support/anvil.ts';
import { MIGRATIONS, temporaryFolder } from '../support/store.ts';
import { seedLocalGig, service, useService } from './service.ts';
import { TERMS } from './terms.ts';

let folder: ReturnType<typeof temporaryFolder>;
useService();
beforeEach(() => {
  folder = temporaryFolder();
});
afterEach(() => folder.remove());

test('security: a write that meets a store which was moved is 503, also before a beat, and writes nothing', async () => {
  const token = await deployToken({ decimals: 6, symbol: 'USDC' });
  const { id, walletAddress } = await seedLocalGig(service.store, { ...token, name: 'USD Coin' });
  const last = await service.store.lastGigId();
  const before = (await service.store.auditEvents({ limit: 100 })).length;
  await copyStore({ from: service.url, to: join(folder.path, 'new.db'), migrationsFolder: MIGRATIONS });
  const writes: ['POST' | 'PATCH', path: string, body: object][] = [
    ['POST', `/api/gigs/${id}/cancel`, {}],
    ['POST', `/api/gigs/${id}/owners`, { platform: 'farcaster', platform_user_id: '1001' }],
    ['PATCH', `/api/gigs/${id}`, { refund_address: freshAddress() }],
    ['POST', '/api/gigs/create', { ...TERMS, token_address: token.address }],
  ];
  for (const [method, path, body] of writes) {
    const response = await service.send(method, path, body, { 'idempotency-key': path });
    expect([path, response.status, response.headers.get('retry-after')]).toEqual([path, 503, '10']);
    expect(await response.json()).toHaveProperty('error');
  }
  expect(await service.store.gig(id)).toMatchObject({
    status: 'created',
    cancelledAt: null,
    refundAddress: null,
    walletAddress,
  });
  expect(await service.store.lastGigId()).toBe(last);
  expect((await service.store.auditEvents({ limit: 100 })).length).toBe(before);
});
