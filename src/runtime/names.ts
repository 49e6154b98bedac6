import { type ChainsOptions, createEndpointPools, createNameResolver } from '../chain/registry.ts';
import { type Config, NAME_CHAIN } from '../config.ts';
import type { NameResolver } from '../domain/names/names.ts';
import { createGateways } from '../endpoints/gateways.ts';

/** What resolves names; nothing where the operator has chosen no endpoint for that. */
export function createNames(
  { nameRpcUrls: [first, ...others] }: Config,
  asked: ChainsOptions,
): NameResolver | undefined {
  if (first === undefined) return undefined;
  const options: ChainsOptions = { ...asked, endpoints: [{ chain: NAME_CHAIN, rpcUrls: [first, ...others] }] };
  // Where payments are made on that chain, too, what is known of its endpoints is shared.
  const pools = asked.pools?.has(NAME_CHAIN.id) ? asked.pools : createEndpointPools(options);
  // Also where webhooks may be at private addresses: clients of the operator set those, and anybody a name's servers.
  return createNameResolver({ ...options, pools, askGateway: createGateways({ allowPrivate: false }) });
}
