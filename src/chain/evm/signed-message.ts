import { createClient, custom, type Hex } from 'viem';
import { verifySiweMessage } from 'viem/siwe';
import { createEndpoint, type Endpoint, type EndpointOptions } from '../rpc/endpoint.ts';
import { RpcFault } from '../rpc/fault.ts';

/** A message of EIP-4361 with its signature, and what it must say. */
export interface SignedSiwe {
  readonly message: string;
  readonly signature: Hex;
  readonly address: `0x${string}`;
  readonly domain: string;
  readonly nonce: string;
  readonly time: Date;
}

export interface SignatureCheck {
  /** Whether the contract at the address confirms the signature. @throws AdapterError when the chain does not answer */
  confirms(signed: SignedSiwe): Promise<boolean>;
}

/** What viem asks with: the call of its own contract, which is not deployed. */
function readCall(params: unknown): Hex {
  const [call]: unknown[] = Array.isArray(params) ? params : [];
  const data: unknown = typeof call === 'object' && call !== null && 'data' in call ? call.data : undefined;
  if (typeof data !== 'string') throw new TypeError('a signature was to be checked by a call without data');
  return `0x${data.slice(2)}`;
}

async function askAt(endpoint: Endpoint, signed: SignedSiwe): Promise<boolean> {
  const failures: unknown[] = [];
  const request = async ({ method, params }: { method: string; params?: unknown }): Promise<unknown> => {
    if (method !== 'eth_call') throw new TypeError(`a signature was to be checked by ${method}`);
    try {
      const data = readCall(params);
      return await endpoint.run((rpc) => rpc.data({ method: 'eth_call', params: [{ data }, 'latest'] }));
    } catch (error) {
      // A revert says that the signature is wrong; viem takes every other failure for that, too.
      if (!(error instanceof RpcFault && error.reverted)) failures.push(error);
      throw error;
    }
  };
  const client = createClient({ transport: custom({ request }, { retryCount: 0 }), ccipRead: false });
  const isConfirmed = await verifySiweMessage(client, { ...signed });
  if (failures.length > 0) throw failures[0];
  return isConfirmed;
}

/** Checks signatures on one chain through one endpoint. */
export function createSignatureCheck(options: EndpointOptions): SignatureCheck {
  const endpoint = createEndpoint(options);
  return { confirms: (signed) => askAt(endpoint, signed) };
}
