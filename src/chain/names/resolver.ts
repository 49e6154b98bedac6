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

/** ENS's universal resolver, at the same address on each chain that has one: https://docs.ens.domains/resolvers/universal */
export const UNIVERSAL_RESOLVER: Address = '0xeeeeeeee14d718c2b47d9923deab1335e144eeee';

/** Base, by ENSIP-11. */
const BASE = toCoinType(8453);

/** For all servers of one name: a name chooses how many, and which. */
const GATEWAYS = { ms: 8_000, questions: 8 };
/** Above what proofs of other chains take; a resolver that burns all has no answer. */
const GAS = numberToHex(30_000_000);

/** Of one name in one block. */
interface Asking {
  readonly rpc: RpcSession;
  /** The settled block, by its number. */
  readonly block: Hex;
  readonly askGateway: AskGateway;
}

/** What viem asks with: a call of a contract. */
function readCall(params: unknown): { readonly to: Address; readonly data: Hex } {
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

/** Asks the servers of one name within one limit, and notes whether one did not answer. */
function createGatewayBudget(askGateway: AskGateway, stop: AbortSignal) {
  let asked = 0;
  const budget = {
    hasFailed: false,
    async request(question: Parameters<AskGateway>[0]): Promise<Hex> {
      asked += 1;
      try {
        if (asked > GATEWAYS.questions) throw new RangeError('a name asks too many servers');
        return await askGateway(question, stop);
      } catch (error) {
        budget.hasFailed = true;
        throw error;
      }
    },
  };
  return budget;
}

/** By one coin type, by default that of Ethereum. */
async function resolveAs({ rpc, block, askGateway }: Asking, name: EnsName, coinType?: bigint): Promise<Resolution> {
  using limit = limitTime(GATEWAYS.ms);
  const gateways = createGatewayBudget(askGateway, limit.signal);
  const failures: unknown[] = [];
  const request = async ({ method, params }: { method: string; params?: unknown }): Promise<unknown> => {
    if (method !== 'eth_call') throw new TypeError(`a name was to be resolved by ${method}`);
    try {
      // viem asks a contract again after its server, of whatever block is the newest then.
      return await rpc.data({ method: 'eth_call', params: [{ ...readCall(params), gas: GAS }, block] });
    } catch (error) {
      if (error instanceof RpcFault && error.reverted) throw new Reverted(revertBytes(error.data) ?? '0x');
      failures.push(error);
      throw error;
    }
  };
  const client = createClient({
    transport: custom({ request }, { retryCount: 0 }),
    ccipRead: { request: gateways.request },
  });
  const asked = coinType === undefined ? { name } : { name, coinType };
  // What fails beside the node is the decoding of answers that contracts and servers choose: they tell no address.
  const found = await getEnsAddress(client, { ...asked, universalResolverAddress: UNIVERSAL_RESOLVER }).catch(
    () => null,
  );
  if (failures.length > 0) throw failures[0];
  if (found !== null && size(found) === 20) return { address: `0x${found.slice(2).toLowerCase()}` };
  return gateways.hasFailed ? 'unanswered' : 'unset';
}

async function resolveIn(asking: Asking, name: EnsName): Promise<Resolution> {
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
        const found = await resolveIn({ rpc, block, askGateway }, name);
        requireSame(await requireBlock(rpc, block, chain.key), settled, chain);
        return found;
      }),
  };
}

export interface NameReading {
  readonly chain: Chain;
  readonly askGateway: AskGateway;
}
