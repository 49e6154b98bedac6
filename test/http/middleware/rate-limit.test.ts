import { expect, test } from 'vitest';
import { clientGroup } from '../../../src/http/middleware/client-address.ts';
import { createRateLimiter } from '../../../src/http/middleware/rate-limit.ts';

test('security: a crowd of clients does not grow the memory', () => {
  const limiter = createRateLimiter({ limit: 5, clock: () => 0, maxClients: 1_000 });
  for (let client = 0; client < 50_000; client += 1) limiter.hit(`client ${client}`);
  expect(limiter.size()).toBe(1_000);
});

test('behavior: minutes that are over are forgotten as new clients come', () => {
  let now = 0;
  const limiter = createRateLimiter({ limit: 5, clock: () => now, maxClients: 1_000 });
  for (let client = 0; client < 500; client += 1) limiter.hit(`early ${client}`);
  now = 30_000;
  for (let client = 0; client < 100; client += 1) limiter.hit(`late ${client}`);
  expect(limiter.size()).toBe(600);
  now = 60_000;
  limiter.hit('one more');
  expect(limiter.size()).toBe(101);
});

test('behavior: a crowd pushes out the clients whose minute ends first', () => {
  const limiter = createRateLimiter({ limit: 1, clock: () => 0, maxClients: 3 });
  for (const client of ['a', 'b', 'c']) limiter.hit(client);
  expect(limiter.hit('c').exceeded).toBe(true);
  limiter.hit('d');
  expect(limiter.hit('c').exceeded).toBe(true);
  expect(limiter.hit('a').exceeded).toBe(false);
});

test('behavior: a minute begins with a client’s first request', () => {
  let now = 59_000;
  const limiter = createRateLimiter({ limit: 2, clock: () => now });
  expect(limiter.hit('a')).toEqual({ remaining: 1, resetIn: 60, exceeded: false });
  now = 118_999;
  expect(limiter.hit('a')).toEqual({ remaining: 0, resetIn: 1, exceeded: false });
  expect(limiter.hit('a')).toEqual({ remaining: 0, resetIn: 1, exceeded: true });
  now = 119_000;
  expect(limiter.hit('a')).toEqual({ remaining: 1, resetIn: 60, exceeded: false });
});

test.each([
  ['192.0.2.1', '192.0.2.1'],
  ['::ffff:192.0.2.1', '192.0.2.1'],
  ['::ffff:c000:201', '192.0.2.1'],
  ['0:0:0:0:0:ffff:192.0.2.1', '192.0.2.1'],
  ['::1', '0:0:0:0::/64'],
  ['::', '0:0:0:0::/64'],
  ['2001:db8:0:1::2', '2001:db8:0:1::/64'],
  ['2001:DB8:0:1:2:3:4:5', '2001:db8:0:1::/64'],
  ['2001:0db8:0000:0001::', '2001:db8:0:1::/64'],
  ['64:ff9b::192.0.2.1', '64:ff9b:0:0::/64'],
  ['fe80::1%eth0', 'fe80:0:0:0::/64'],
  ['unknown', 'unknown'],
])('behavior: %s is counted as %s', (address, group) => {
  expect(clientGroup(address)).toBe(group);
});
