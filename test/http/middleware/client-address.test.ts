import { describe, expect, test } from 'vitest';
import { loadConfig } from '../../../src/config.ts';
import { createClientFinder } from '../../../src/http/middleware/client-address.ts';

/** The client of a request by this peer. */
function clientOf(proxies: string, address: string | undefined, forwardedFor?: string): string {
  const { trustedProxies } = loadConfig({ TRUSTED_PROXIES: proxies });
  return createClientFinder(trustedProxies).clientOf({ forwardedFor, address });
}

describe('behind proxies of trusted networks', () => {
  const PROXIES = '10.0.0.0/8, 192.0.2.1, 2001:db8:aa::/48, fe80::/10';
  const CLIENT = '203.0.113.1';

  test.each([
    ['one proxy', '10.1.1.1', CLIENT, CLIENT],
    ['two proxies', '10.1.1.1', `${CLIENT}, 192.0.2.1`, CLIENT],
    ['a forged entry', '10.1.1.1', `198.51.100.9, ${CLIENT}, 192.0.2.1`, CLIENT],
    ['a forged entry of a proxy', '10.1.1.1', `10.9.9.9, ${CLIENT}`, CLIENT],
    ['proxies alone', '10.1.1.1', '10.2.2.2, 10.3.3.3', '10.2.2.2'],
    ['no header', '10.1.1.1', undefined, '10.1.1.1'],
    ['an empty header', '10.1.1.1', '', '10.1.1.1'],
    ['an empty entry', '10.1.1.1', `${CLIENT},,10.2.2.2`, '10.2.2.2'],
    ['a comma at the end', '10.1.1.1', `${CLIENT},`, '10.1.1.1'],
    ['“unknown”', '10.1.1.1', 'unknown', '10.1.1.1'],
    ['“unknown” before another proxy', '10.1.1.1', `${CLIENT}, unknown, 10.2.2.2`, '10.2.2.2'],
    ['a name', '10.1.1.1', 'client.example', '10.1.1.1'],
    ['a port', '10.1.1.1', `${CLIENT}:51234, 192.0.2.1:443`, CLIENT],
    ['IPv6 with a port', '2001:db8:aa::1', '[2001:db8:bb:1::7]:443, [2001:db8:aa::9]:80', '2001:db8:bb:1::/64'],
    ['IPv4 in IPv6', '::ffff:10.1.1.1', `::ffff:${CLIENT}, ::ffff:a01:101`, CLIENT],
    ['a zone', 'fe80::1%eth0', CLIENT, CLIENT],
    ['another peer', '198.51.100.7', CLIENT, '198.51.100.7'],
    ['another peer that names a proxy', '198.51.100.7', `${CLIENT}, 10.1.1.1`, '198.51.100.7'],
    ['a peer without an address', undefined, CLIENT, 'unknown'],
    ['more entries than proxies can be', '10.1.1.1', `${CLIENT}${', 10.4.4.4'.repeat(1_500)}`, '10.4.4.4'],
    ['many forged entries', '10.1.1.1', `${'10.4.4.4,'.repeat(1_500)}${CLIENT}`, CLIENT],
  ])('security: %s', (_, peer, forwardedFor, client) => {
    expect(clientOf(PROXIES, peer, forwardedFor)).toBe(client);
  });
});

describe('behind a number of proxies', () => {
  test.each([
    ['none', '0', '203.0.113.1', '198.51.100.7'],
    ['one', '1', '10.9.9.9, 203.0.113.1', '203.0.113.1'],
    ['two', '2', '10.9.9.9, 203.0.113.1, 192.0.2.1', '203.0.113.1'],
    ['two, of which a request passed one', '2', '203.0.113.1', '203.0.113.1'],
    ['two, of which the outer one knows no address', '2', 'unknown, 192.0.2.1', '192.0.2.1'],
  ])('security: %s', (_, proxies, forwardedFor, client) => {
    expect(clientOf(proxies, '198.51.100.7', forwardedFor)).toBe(client);
  });

  test('behavior: the peer’s own address matters not, as behind a Unix socket', () => {
    expect(clientOf('1', undefined, '203.0.113.1')).toBe('203.0.113.1');
  });
});
