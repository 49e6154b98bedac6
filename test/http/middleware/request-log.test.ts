import { expect, test } from 'vitest';
import { service, useService } from '../service.ts';

useService();

const requests = () => service.lines.filter(({ msg }) => msg === 'request');

test('behavior: one line for each request, without its query', async () => {
  await service.app.request('/api/claim?identifiers=1,private_handle');
  await service.app.request('/api/claim?identifiers=');
  await service.app.request('/nowhere?token=fake-secret');
  expect(requests()).toEqual([
    expect.objectContaining({ level: 'info', requestId: 'id-1', method: 'GET', path: '/api/claim', status: 200 }),
    expect.objectContaining({ level: 'info', requestId: 'id-2', method: 'GET', path: '/api/claim', status: 400 }),
    expect.objectContaining({ level: 'info', requestId: 'id-3', method: 'GET', path: '/nowhere', status: 404 }),
  ]);
  expect(requests()[0]).toHaveProperty('durationMs', expect.any(Number));
  expect(service.logText()).not.toContain('private_handle');
  expect(service.logText()).not.toContain('fake-secret');
});

test('behavior: the looks of machines are logged at debug', async () => {
  for (const path of ['/health', '/ready', '/metrics']) await service.app.request(path);
  expect(requests().map(({ level }) => level)).toEqual(['debug', 'debug', 'debug']);
});

test('behavior: a sane request id is taken over and answered back', async () => {
  const response = await service.app.request('/health', { headers: { 'x-request-id': 'abc-123_x.y:z=' } });
  expect(response.headers.get('x-request-id')).toBe('abc-123_x.y:z=');
  expect(requests()).toEqual([expect.objectContaining({ requestId: 'abc-123_x.y:z=' })]);
});

test.each(['', ' ', 'a b', '"quoted"', '<script>', 'a'.repeat(129), 'é'])(
  'security: request id %j is replaced',
  async (id) => {
    const response = await service.app.request('/health', { headers: { 'x-request-id': id } });
    expect(response.headers.get('x-request-id')).toBe('id-1');
  },
);

test('security: a long path is cut in the log', async () => {
  await service.app.request(`/${'a'.repeat(5_000)}`);
  expect(String(requests()[0]?.['path'])).toHaveLength(200);
});
