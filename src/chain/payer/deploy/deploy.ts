import { type Hex, keccak256 } from 'viem';
import type { Address } from '../../../domain/gigs/token.ts';
import { DEPLOYER_ADDRESS, PAYER_CONTRACTS, type PayerContract } from '../contract/contracts.ts';

const IN_ORDER: readonly PayerContract[] = [PAYER_CONTRACTS.tipPayer, PAYER_CONTRACTS.payBatch];

/** What is at a contract's address: its code, nothing, or other code, which must never be used. */
export type ContractState = 'deployed' | 'absent' | 'foreign';

/** The contracts cannot be deployed on a chain; the message says why. */
export class PayerDeploymentFailed extends Error {
  override readonly name = 'PayerDeploymentFailed';
}

interface DeployedCode {
  /** The code at an address, `0x` when there is none. */
  code(address: Address): Promise<Hex>;
}

export interface DeploymentChain extends DeployedCode {
  /** Sends a transaction and waits until it is in the chain. @throws when it was reverted */
  send(transaction: { to: Address; data: Hex }): Promise<void>;
}

/** What this code is, held against the hash that is committed. */
export function stateOfCode({ codeHash }: PayerContract, code: Hex): ContractState {
  if (code === '0x') return 'absent';
  return keccak256(code) === codeHash ? 'deployed' : 'foreign';
}

/** The state of each contract on a chain. Unless all are `deployed`, nothing can be paid there. */
export async function findPayer(chain: DeployedCode): Promise<{ contract: PayerContract; state: ContractState }[]> {
  return await Promise.all(
    IN_ORDER.map(async (contract) => ({ contract, state: stateOfCode(contract, await chain.code(contract.address)) })),
  );
}

async function deploy(chain: DeploymentChain, contract: PayerContract): Promise<void> {
  const { name, address, deployment } = contract;
  const failure = await chain.send(deployment).then(
    () => null,
    (error: unknown) => ({ error }),
  );
  const state = stateOfCode(contract, await chain.code(address));
  if (state === 'deployed') return;
  // Anyone may have deployed it meanwhile, which makes the own transaction revert; without that the failure counts.
  if (failure !== null) throw failure.error;
  throw new PayerDeploymentFailed(`${name} was deployed, but the code at ${address} is ${state}`);
}

/**
 * Deploys what is not there yet, and checks it. Doing it again does nothing.
 * @param before is given what will be sent, and can refuse that by throwing
 * @returns the contracts that were deployed now
 * @throws PayerDeploymentFailed when the chain has no deterministic deployer, or other code at an address
 */
export async function deployPayer(
  chain: DeploymentChain,
  before?: (deployments: readonly { to: Address; data: Hex }[]) => Promise<void>,
): Promise<PayerContract[]> {
  const found = await findPayer(chain);
  const foreign = found.find(({ state }) => state === 'foreign')?.contract;
  if (foreign !== undefined)
    throw new PayerDeploymentFailed(`the code at ${foreign.address} differs from ${foreign.name}`);
  const missing = found.filter(({ state }) => state === 'absent').map(({ contract }) => contract);
  if (missing.length > 0 && (await chain.code(DEPLOYER_ADDRESS)) === '0x') {
    throw new PayerDeploymentFailed(`the chain has no deterministic deployer at ${DEPLOYER_ADDRESS}`);
  }
  if (missing.length > 0) await before?.(missing.map(({ deployment }) => deployment));
  for (const contract of missing) await deploy(chain, contract);
  return missing;
}
