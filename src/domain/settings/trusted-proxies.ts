import { z } from 'zod';
import { settingChoice, settingWithout } from './setting-values.ts';

/** The addresses whose first `bits` bits are those of `address`. */
export interface AddressRange {
  readonly address: string;
  readonly bits: number;
  readonly family: 'ipv4' | 'ipv6';
}

/** The proxies before the service: how many follow each other, or the networks of their addresses. */
export type TrustedProxies = number | readonly AddressRange[];

/** More than anybody has one behind the other. */
const MOST_PROXIES = 9;

/** Names that other programs have for networks of no public address. */
const NAMED: ReadonlyMap<string, readonly string[]> = new Map([
  ['loopback', ['127.0.0.0/8', '::1/128']],
  ['linklocal', ['169.254.0.0/16', 'fe80::/10']],
  ['private', ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', 'fc00::/7']],
]);

const FORMS =
  `must be the number of proxies before the service, from 0 to ${MOST_PROXIES}, or their networks, comma-separated: ` +
  `addresses, 192.0.2.0/24, 2001:db8::/32, ${[...NAMED.keys()].join(', ')}`;
const TOO_WIDE =
  'must have no network wider than /8, or /7 of IPv6, because its hosts choose their address: name your proxies alone';

const FAMILIES = [
  { family: 'ipv4', bits: 32, widest: 8, isNetwork: (text: string) => z.cidrv4().safeParse(text).success },
  {
    family: 'ipv6',
    bits: 128,
    widest: 7,
    // Zeros begin no other network of hosts, but the form in which IPv6 has all of IPv4.
    isNetwork: (text: string) => z.cidrv6().safeParse(text).success && (!/^0*:/.test(text) || text === '::1/128'),
  },
] as const;

function isTooWide({ family, bits }: AddressRange): boolean {
  return FAMILIES.some((each) => each.family === family && bits < each.widest);
}

function readNetwork(text: string): AddressRange | null {
  for (const { family, bits, isNetwork } of FAMILIES) {
    const network = text.includes('/') ? text : `${text}/${bits}`;
    const [address = '', own] = network.split('/');
    if (isNetwork(network)) return { address, bits: Number(own), family };
  }
  return null;
}

/** An item may be a name of several networks. @returns null when one item is neither a name nor a network */
function readNetworks(text: string): readonly AddressRange[] | null {
  const items = text.split(',').flatMap((item) => item.trim().toLowerCase() || []);
  const networks = items.flatMap((item) => NAMED.get(item) ?? item).map(readNetwork);
  const read = networks.filter((network) => network !== null);
  return read.length === 0 || read.length < networks.length ? null : read;
}

function problemOf(text: string): string | null {
  if (/^[0-9]+$/.test(text)) return Number(text) <= MOST_PROXIES ? null : FORMS;
  const networks = readNetworks(text);
  if (networks === null) return FORMS;
  return networks.some(isTooWide) ? TOO_WIDE : null;
}

/** The settings of {@link TrustedProxies}; `TRUST_PROXY` is the older one, for one proxy. */
export const PROXY_SETTINGS = {
  TRUSTED_PROXIES: settingWithout(problemOf)
    .transform(
      (text): TrustedProxies => (/^[0-9]+$/.test(text) ? Number(text) : Object.freeze(readNetworks(text) ?? [])),
    )
    .nullable()
    .default(null),
  TRUST_PROXY: settingChoice(['true', 'false']).nullable().default(null),
};

type ProxySettings = { readonly [Name in keyof typeof PROXY_SETTINGS]: z.output<(typeof PROXY_SETTINGS)[Name]> };

function olderOf({ TRUST_PROXY }: ProxySettings): TrustedProxies {
  return TRUST_PROXY === 'true' ? 1 : 0;
}

/** The proxies of the settings; none unless one of the two is set. */
export function proxiesOf(settings: ProxySettings): TrustedProxies {
  return settings.TRUSTED_PROXIES ?? olderOf(settings);
}

/** What is wrong where the two settings contradict each other, or null. */
export function proxiesProblem(settings: ProxySettings): string | null {
  const isOlderSet = settings.TRUST_PROXY !== null && settings.TRUSTED_PROXIES !== null;
  return isOlderSet && settings.TRUSTED_PROXIES !== olderOf(settings)
    ? 'TRUST_PROXY must be unset, as TRUSTED_PROXIES says otherwise'
    : null;
}
