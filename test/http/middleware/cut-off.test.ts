import { expect, test } from 'vitest';
import { forThisTest, openService } from '../service.ts';

test('behavior: a client that leaves while its body is read is no fault of the service', async () => {
  const service = await forThisTest(openService());
  const cut = Object.assign(new Error('aborted'), { code: 'ECONNRESET' });
  service.app.post('/test/cut', () => {
    throw cut;
  });
  const response = await service.app.request('/test/cut', { method: 'POST' });
  expect([response.status, await response.json()]).toEqual([400, expect.objectContaining({ code: 'body_unreadable' })]);
  expect(service.lines.filter(({ level }) => level === 'error')).toEqual([]);
});
