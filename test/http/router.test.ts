import { expect, test } from 'vitest';
import { openService } from './service.ts';

test('behavior: what Hono finds for a path without parameters is found once, for each method', async () => {
  const service = await openService();
  const { router } = service.app;
  const found = router.match('GET', '/api/claim');
  expect(router.name).toBe('KeptTrieRouter');
  expect(router.match('GET', '/api/claim')).toBe(found);
  expect(router.match('POST', '/api/claim')).not.toEqual(found);
  expect(router.match('GET', '/api/gigs/7')).not.toBe(router.match('GET', '/api/gigs/7'));
  expect((await service.app.request('/api/claim?identifiers=a')).status).toBe(200);
  await service.close();
});
