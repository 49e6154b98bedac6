import { decodeAbiParameters, domainSeparator, type Hex, keccak256, numberToHex, padHex, recoverAddress } from 'viem';
import { AdapterError } from '../../domain/errors.ts';
import type { Address } from '../../domain/gigs/token.ts';
import { MOST_DEPOSIT_GAS, type SignedTransfer, type Signer, type SigningDomain } from '../../domain/x402/deposit.ts';
import { type AuthorizationQuery, type DepositChain, DepositRefused } from '../../domain/x402/deposit-chain.ts';
import { decodeUint } from '../evm/erc20.ts';
import { listEvents } from '../evm/events.ts';
import { SimulationRefusal, simulateTwice, withMargin } from '../evm/refusal.ts';
import { revertReason } from '../evm/revert.ts';
import { createEndpoint, type EndpointOptions, type RpcSession } from '../rpc/endpoint.ts';
import { RpcFault } from '../rpc/fault.ts';
import type { Wallets } from '../wallets.ts';
import {
  CALLS,
  CANCELLED_TOPIC,
  CONFIRMED,
  signatureParts,
  transferCall,
  transferHash,
  USED_TOPIC,
} from './eip3009.ts';

/** A longer name is no token's. */
const MOST_TEXT = 64;

function lowerCase(address: Hex): Address {
  return `0x${address.slice(2).toLowerCase()}`;
}

/** The answer of a contract; null when it reverts, or has no such function. */
async function tryCall(rpc: RpcSession, to: Address, data: Hex): Promise<Hex | null> {
  try {
    const answer = await rpc.data({ method: 'eth_call', params: [{ to, data }, 'latest'] });
    return answer === '0x' ? null : answer;
  } catch (error) {
    if (error instanceof RpcFault && error.reverted) return null;
    throw error;
  }
}

function textOf(data: Hex): string | null {
  try {
    const [text] = decodeAbiParameters([{ type: 'string' }], data);
    return text.length > 0 && text.length <= MOST_TEXT && text.isWellFormed() ? text : null;
  } catch {
    return null;
  }
}

/** The token's own word decides: a name that only looks right would have payers sign in vain. */
async function readDomain(rpc: RpcSession, chainId: number, token: Address): Promise<SigningDomain | null> {
  const [nameData, versionData, separator, state] = await Promise.all([
    tryCall(rpc, token, CALLS.name),
    tryCall(rpc, token, CALLS.version),
    tryCall(rpc, token, CALLS.separator),
    tryCall(rpc, token, CALLS.state(token, padHex('0x', { size: 32 }))),
  ]);
  const name = nameData === null ? null : textOf(nameData);
  // A token without this function has the first version.
  const version = versionData === null ? '1' : textOf(versionData);
  if (name === null || version === null || state === null) return null;
  const expected = domainSeparator({ domain: { name, version, chainId, verifyingContract: token } });
  return separator?.toLowerCase() === expected ? { name, version } : null;
}

async function findSigner(
  rpc: RpcSession,
  { transfer, hash }: { readonly transfer: SignedTransfer; readonly hash: Hex },
): Promise<Signer | null> {
  const { payer, signature } = transfer;
  const parts = signatureParts(signature);
  if (parts !== null) {
    const v = BigInt(parts.v);
    const signer = await recoverAddress({ hash, signature: { ...parts, v } }).catch(() => null);
    if (signer !== null && lowerCase(signer) === payer) return 'key';
  }
  const code = await rpc.data({ method: 'eth_getCode', params: [payer, 'latest'] });
  if (code === '0x') return null;
  const answer = await tryCall(rpc, payer, CALLS.confirm(hash, signature));
  return answer?.startsWith(CONFIRMED) === true ? 'contract' : null;
}

function verdict(error: unknown): unknown {
  if (!(error instanceof RpcFault) || !error.reverted) return error;
  return new SimulationRefusal(`its simulation reverts: ${revertReason(error)}`, false);
}

async function simulate(rpc: RpcSession, from: Address, transfer: SignedTransfer): Promise<bigint> {
  const call = { from, to: transfer.token, data: transferCall(transfer) };
  const gas = await simulateTwice(rpc, {
    async once(block) {
      try {
        return withMargin(await rpc.quantity({ method: 'eth_estimateGas', params: [call, block] }));
      } catch (error) {
        throw verdict(error);
      }
    },
    refused: async ({ message }) => new DepositRefused(message),
  });
  if (gas > MOST_DEPOSIT_GAS) throw new DepositRefused(`it takes ${gas} gas, of at most ${MOST_DEPOSIT_GAS}`);
  return gas;
}

/** Makes deposits on one chain, through one endpoint. Nothing is sent before the first call. */
export function createDepositChain({
  wallets,
  ...options
}: EndpointOptions & { readonly wallets: Wallets }): DepositChain {
  const { id: chainId, key: chainKey } = options.chain;
  const endpoint = createEndpoint(options);
  const tank = wallets.gasTankAddress();
  const findEvent = async (event: Hex, { token, payer, nonce, from, to: until }: AuthorizationQuery) => {
    const topics: [Hex, ...Hex[][]] = [event, [padHex(payer, { size: 32 })], [nonce]];
    const [found] = await listEvents(endpoint, { chainKey, address: [token], topics, from, until });
    return found ?? null;
  };
  return {
    decide: (run) => run(),
    signingDomain: (token) => endpoint.run((rpc) => readDomain(rpc, chainId, token)),
    isSpent: ({ token, payer, nonce, blockNumber }) =>
      endpoint.run(async (rpc) => {
        const call = { to: token, data: CALLS.state(payer, nonce) };
        const answer = await rpc.data({ method: 'eth_call', params: [call, numberToHex(blockNumber)] });
        if (answer !== '0x') return decodeUint(answer) !== 0n;
        const message = `chain ${chainKey}: token ${token} does not tell whether an authorization is used`;
        throw new AdapterError({ retry: 'never', reason: 'bad_response', message });
      }),
    async findUse(query) {
      const found = await findEvent(USED_TOPIC, query);
      return found === null ? null : { hash: found.transactionHash, blockNumber: found.blockNumber };
    },
    isCancelled: async (query) => (await findEvent(CANCELLED_TOPIC, query)) !== null,
    signerOf: (transfer, domain) =>
      endpoint.run((rpc) => findSigner(rpc, { transfer, hash: transferHash(transfer, { chainId, domain }) })),
    simulate: (transfer) => endpoint.run(async (rpc) => ({ gas: await simulate(rpc, tank, transfer) })),
    sign: (transfer, { gas, nonce, fees: { maxFeePerGas, maxPriorityFeePerGas } }) =>
      // A check of the chain id just before proves that the endpoint serves the chain that the signature names.
      endpoint.run(
        async (rpc) => {
          await rpc.quantity({ method: 'eth_blockNumber' });
          const shared = { chainId, nonce, gas, maxFeePerGas, maxPriorityFeePerGas };
          const call = { to: transfer.token, data: transferCall(transfer) };
          const raw = await wallets.gasTankAccount().signTransaction({ ...shared, ...call, type: 'eip1559' });
          return { hash: keccak256(raw), raw, gas };
        },
        { recheck: true },
      ),
  };
}
