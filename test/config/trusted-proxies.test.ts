import { expect, test } from 'vitest';
import { loadConfig } from '../../src/config.ts';
import { problemsOf } from '../support/config.ts';

const read = (text: string) => {
  const { trustedProxies } = loadConfig({ TRUSTED_PROXIES: text });
  return typeof trustedProxies === 'number' ? trustedProxies : trustedProxies.map((each) => Object.values(each));
};

test.each([
  ['0', 0],
  ['9', 9],
  ['192.0.2.7', [['192.0.2.7', 32, 'ipv4']]],
  [
    '10.0.0.0/8, 2001:DB8::/32,,::1,',
    [
      ['10.0.0.0', 8, 'ipv4'],
      ['2001:db8::', 32, 'ipv6'],
      ['::1', 128, 'ipv6'],
    ],
  ],
  [
    'loopback,linklocal',
    [
      ['127.0.0.0', 8, 'ipv4'],
      ['::1', 128, 'ipv6'],
      ['169.254.0.0', 16, 'ipv4'],
      ['fe80::', 10, 'ipv6'],
    ],
  ],
  [
    'Private',
    [
      ['10.0.0.0', 8, 'ipv4'],
      ['172.16.0.0', 12, 'ipv4'],
      ['192.168.0.0', 16, 'ipv4'],
      ['fc00::', 7, 'ipv6'],
    ],
  ],
])('behavior: TRUSTED_PROXIES=%s is read', (text, proxies) => {
  expect(read(text)).toEqual(proxies);
});

test.each([
  ...['true', '10', '-1', '1.5', '99999999999999999999', '*', 'all', 'proxy.example.org', 'constructor'],
  ...[
    '10.0.0.0/33',
    '10.0.0/8',
    '10.0.0.0/8/8',
    '010.0.0.0/8',
    '10.0.0.0/',
    '10.0.0.0/255.0.0.0',
    '10.0.0.0-10.0.0.9',
    '1,10.0.0.0/8',
  ],
  ...[',', '2001:db8::/129', 'fe80::1%eth0', '::ffff:10.0.0.0/104', '::ffff:0:0/96', '::/0', '[::1]'],
])('error: TRUSTED_PROXIES=%s is refused with the forms that are right', (text) => {
  expect(problemsOf({ TRUSTED_PROXIES: text })).toEqual([
    'TRUSTED_PROXIES must be the number of proxies before the service, from 0 to 9, or their networks, comma-separated: ' +
      'addresses, 192.0.2.0/24, 2001:db8::/32, loopback, linklocal, private',
  ]);
});

test.each(['0.0.0.0/0', '10.0.0.0/8, 128.0.0.0/1', 'private,2000::/3'])(
  'security: TRUSTED_PROXIES=%s would let strangers choose their address',
  (text) => {
    expect(problemsOf({ TRUSTED_PROXIES: text })).toEqual([expect.stringMatching(/^TRUSTED_PROXIES must have no /)]);
  },
);

test('behavior: the older TRUST_PROXY may stand beside it while both say the same', () => {
  expect(problemsOf({ TRUST_PROXY: 'true', TRUSTED_PROXIES: '1' })).toEqual([]);
  expect(problemsOf({ TRUST_PROXY: 'false', TRUSTED_PROXIES: '0' })).toEqual([]);
  const problem = ['TRUST_PROXY must be unset, as TRUSTED_PROXIES says otherwise'];
  expect(problemsOf({ TRUST_PROXY: 'true', TRUSTED_PROXIES: '2' })).toEqual(problem);
  expect(problemsOf({ TRUST_PROXY: 'false', TRUSTED_PROXIES: 'private' })).toEqual(problem);
});
