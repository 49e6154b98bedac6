import { createClient, custom, type Hex, numberToHex, size } from 'viem';
import { getEnsAddress, toCoinType } from 'viem/ens';
import type { Chain } from '../../domain/chains/chain.ts';
import type { Address } from '../../domain/gigs/token.ts';
import { type EnsName, isBasename } from '../../domain/names/ens-name.ts';
import type { AskGateway, NameResolver, Resolution } from '../../domain/names/names.ts';
import { limitTime } from '../../time-limit.ts';
import { revertBytes } from '../evm/revert.ts';
import { readHead, requireBlock, requireSame } from '../payer/read/blocks.ts';
import { createEndpoint, type EndpointOptions, type RpcSession } from '../rpc/endpoint.ts';
import { RpcFault } from '../rpc/fault.ts';
import {
  BATCH_URL,
  type ContractAnswer,
  type ContractCall,
  callWithServers,
  createNameServers,
  type NameServers,
} from './offchain.ts';

/** ENS's universal resolver, at the same address on each chain that has one: https://docs.ens.domains/resolvers/universal */
export const UNIVERSAL_RESOLVER: Address = '0xeeeeeeee14d718c2b47d9923deab1335e144eeee';

/** Base, by ENSIP-11. */
const BASE = toCoinType(8453);

/** For all servers of one name, milliseconds: less than a call of an endpoint may take. */
const SERVERS_MS = 8_000;
/** Above what proofs of other chains take; a resolver that burns all has no answer. */
const GAS = numberToHex(30_000_000);

/** Of one name in one block. */
interface Asking {
  readonly rpc: RpcSession;
  /** The settled block, by its number. */
  readonly block: Hex;
  readonly servers: NameServers;
}

/** What viem asks with: a call of a contract. */
function readCall(params: unknown): ContractCall {
  const [call]: unknown[] = Array.isArray(params) ? params : [];
  const isCall = typeof call === 'object' && call !== null && 'data' in call && 'to' in call;
  if (!isCall || typeof call.data !== 'string' || typeof call.to !== 'string') {
    throw new TypeError('a name was to be resolved by something other than a call');
  }
  return { to: `0x${call.to.slice(2)}`, data: `0x${call.data.slice(2)}` };
}

/** A revert as viem reads it: its innermost error has the contract's answer. */
class Reverted extends Error {
  override readonly name = 'Reverted';
  readonly code = 3;
  readonly data: Hex;

  constructor(data: Hex) {
    super('execution reverted');
    this.data = data;
  }
}

/** By one coin type, by default that of Ethereum. */
async function resolveAs({ rpc, block, servers }: Asking, name: EnsName, coinType?: bigint): Promise<Resolution> {
  const failures: unknown[] = [];
  const call = async (asked: ContractCall): Promise<ContractAnswer> => {
    try {
      // A contract is asked again after its server, of the same block.
      const data = await rpc.data({ method: 'eth_call', params: [{ ...asked, gas: GAS }, block] });
      return { data, isRevert: false };
    } catch (error) {
      if (error instanceof RpcFault && error.reverted) return { data: revertBytes(error.data) ?? '0x', isRevert: true };
      failures.push(error);
      throw error;
    }
  };
  const request = async ({ method, params }: { method: string; params?: unknown }): Promise<unknown> => {
    if (method !== 'eth_call') throw new TypeError(`a name was to be resolved by ${method}`);
    const { data, isRevert } = await callWithServers(readCall(params), call, servers);
    if (isRevert) throw new Reverted(data);
    return data;
  };
  // viem would ask servers as often as a contract wants.
  const client = createClient({ transport: custom({ request }, { retryCount: 0 }), ccipRead: false });
  const asked = coinType === undefined ? { name } : { name, coinType };
  const universal = { universalResolverAddress: UNIVERSAL_RESOLVER, gatewayUrls: [BATCH_URL] };
  // What fails beside the node is the decoding of answers that contracts and servers choose: they tell no address.
  const found = await getEnsAddress(client, { ...asked, ...universal }).catch(() => null);
  if (failures.length > 0) throw failures[0];
  if (found !== null && size(found) === 20) return { address: `0x${found.slice(2).toLowerCase()}` };
  return servers.hasFailed() ? 'unanswered' : 'unset';
}

/** Within one limit for all servers of the name. */
async function resolveIn(
  at: Omit<Asking, 'servers'>,
  { name, askGateway }: { readonly name: EnsName; readonly askGateway: AskGateway },
): Promise<Resolution> {
  using limit = limitTime(SERVERS_MS);
  const asking = { ...at, servers: createNameServers(askGateway, limit.signal) };
  if (!isBasename(name)) return await resolveAs(asking, name);
  const onBase = await resolveAs(asking, name, BASE);
  // Basenames keep the address of Base also under the older coin type, and many under that alone.
  return onBase === 'unset' ? await resolveAs(asking, name) : onBase;
}

/** Resolves names on a chain through one endpoint. */
export function createNameReader({ chain, askGateway, ...options }: EndpointOptions & NameReading): NameResolver {
  const endpoint = createEndpoint({ ...options, chain });
  return {
    resolve: (name) =>
      endpoint.run(async (rpc) => {
        const { settled } = await readHead(rpc, chain);
        const block = numberToHex(settled.number);
        const found = await resolveIn({ rpc, block }, { name, askGateway });
        requireSame(await requireBlock(rpc, block, chain.key), settled, chain);
        return found;
      }),
  };
}

export interface NameReading {
  readonly chain: Chain;
  readonly askGateway: AskGateway;
}
