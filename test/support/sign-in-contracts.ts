import { encodeDeployData } from 'viem';
import type { Address } from '../../src/domain/gigs/token.ts';
import { anvilClients, freshAccount, mined } from './anvil.ts';
import { contractIn } from './compiled.ts';

const NAME = 'sign-in.sol';

/** A wallet on the local chain that takes the signatures of `owner`. */
export async function deployWallet(owner: Address): Promise<Address> {
  const { abi, creation } = await contractIn(NAME, 'ContractWallet');
  const data = encodeDeployData({ abi, bytecode: creation, args: [owner] });
  const hash = await anvilClients().wallet.sendTransaction({ account: await freshAccount(), data });
  const { contractAddress } = await mined(hash);
  if (!contractAddress) throw new Error('the deployment created no contract');
  return `0x${contractAddress.slice(2).toLowerCase()}`;
}
