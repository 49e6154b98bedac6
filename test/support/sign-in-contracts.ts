import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { encodeDeployData } from 'viem';
import { type CompiledContract, compile } from '../../scripts/solc.ts';
import type { Address } from '../../src/domain/gigs/token.ts';
import { anvilClients, freshAccount, mined } from './anvil.ts';

const NAME = 'sign-in.sol';

let compiled: Map<string, CompiledContract> | null = null;

/** Compiled once for each process of tests. */
function contractNamed(name: string): CompiledContract {
  compiled ??= compile({ [NAME]: readFileSync(join(import.meta.dirname, 'contracts', NAME), 'utf8') });
  const contract = compiled.get(name);
  if (contract === undefined) throw new Error(`there is no contract ${name} in ${NAME}`);
  return contract;
}

/** A wallet on the local chain that takes the signatures of `owner`. */
export async function deployWallet(owner: Address): Promise<Address> {
  const { abi, creation } = contractNamed('ContractWallet');
  const data = encodeDeployData({ abi, bytecode: creation, args: [owner] });
  const hash = await anvilClients().wallet.sendTransaction({ account: await freshAccount(), data });
  const { contractAddress } = await mined(hash);
  if (!contractAddress) throw new Error('the deployment created no contract');
  return `0x${contractAddress.slice(2).toLowerCase()}`;
}
