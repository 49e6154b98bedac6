import { CHAINS, chainByKey } from '../chains/chain.ts';

/** Platforms have their own. A name that begins like this and is no setting was probably meant as one. */
const PREFIXES = [
  'RPC_URL',
  'GIG_',
  'GAS_BUDGET_',
  'PLATFORM_FEE_',
  'RATE_LIMIT_',
  'CLAIM_RATE_',
  'REPLIES_PER_',
  'MENTION_POL',
  'ALERT_',
  'TREASURY',
  'REFUND_DELAY',
  'EARNING_',
  'SPAM_LABEL',
  'VERIFIER_',
  'ALLOW_X',
  'TRUST_PROX',
  'TRUSTED_PROX',
  'SIGN_IN',
  'NOTIFICATION',
  'SNAP',
];

const SEE = 'see .env.example';

function endpointProblem(name: string, enabled: readonly string[]): string | null {
  const chain = CHAINS.find(({ id }) => name === `RPC_URL_${id}`);
  if (chain !== undefined)
    return enabled.includes(chain.key) ? null : `${name} is not used, because ${chain.key} is not in CHAINS`;
  const meant = chainByKey(
    name
      .replace(/^RPC_URL_?/, '')
      .toLowerCase()
      .replaceAll('_', '-'),
  );
  if (meant !== undefined) return `${name} is not a setting; the endpoint of ${meant.key} is RPC_URL_${meant.id}`;
  return `${name} is not a setting; an endpoint is RPC_URL_<chain id> of a known chain: ${SEE}`;
}

/**
 * A sentence for each variable that has no effect, although its name looks like a setting's. Values are not needed.
 * @param names the variables that are set
 * @param known the settings, without the endpoints; `prefixes` is how those of platforms begin, `enabled` the keys of the
 * enabled chains
 */
export function findIdleSettings(
  names: readonly string[],
  { known, prefixes, enabled }: { known: readonly string[]; prefixes: readonly string[]; enabled: readonly string[] },
): string[] {
  return names.flatMap((name) => {
    if (known.includes(name)) return [];
    if (name.startsWith('RPC_URL')) return endpointProblem(name, enabled) ?? [];
    return [...PREFIXES, ...prefixes].some((prefix) => name.startsWith(prefix))
      ? `${name} is not a setting; ${SEE}`
      : [];
  });
}
