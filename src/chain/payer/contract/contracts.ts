import { concatHex, encodeAbiParameters, type Hex, keccak256, zeroHash } from 'viem';
import type { Address } from '../../../domain/gigs/token.ts';
import { PAY_BATCH, TIP_PAYER } from './artifact.ts';

/** The deterministic deployer: https://github.com/Arachnid/deterministic-deployment-proxy */
export const DEPLOYER_ADDRESS: Address = '0x4e59b44847b379578588920ca78fbf26c0b4956c';

/** A contract that has the same address and code on every chain. */
export interface PayerContract {
  readonly name: 'TipPayer' | 'PayBatch';
  readonly address: Address;
  /** Keccak-256 of its code. */
  readonly codeHash: Hex;
  /** The transaction that creates it: anyone may send it, once. */
  readonly deployment: { readonly to: Address; readonly data: Hex };
}

function contractOf(name: PayerContract['name'], artifact: typeof TIP_PAYER | typeof PAY_BATCH): PayerContract {
  const { address, codeHash, creation } = artifact;
  // The deployer takes the salt, and after it what creates the contract.
  return { name, address, codeHash, deployment: { to: DEPLOYER_ADDRESS, data: concatHex([zeroHash, creation]) } };
}

/** What has to be on a chain before anything is paid there, in the order in which it is deployed. */
export const PAYER_CONTRACTS = {
  tipPayer: contractOf('TipPayer', TIP_PAYER),
  payBatch: contractOf('PayBatch', PAY_BATCH),
} as const;

/** The code of a wallet that delegates to TipPayer (EIP-7702): also what a simulation puts at a wallet that does not yet. */
export const DELEGATION_CODE: Hex = concatHex(['0xef0100', TIP_PAYER.address]);

/** The ERC-7201 namespace `gig.tips.paid`, where a wallet keeps its marks. A later contract has to keep it. */
export const MARKS_SLOT: Hex = '0xa3710cc7357e24f1ac99532442a0a5412585afefea24f3e5988c6196514ba100';

/** The key of a word of marks for `eth_getStorageAt`, which answers whether or not the wallet delegates. */
export function storageKey(word: bigint): Hex {
  return keccak256(encodeAbiParameters([{ type: 'uint256' }, { type: 'bytes32' }], [word, MARKS_SLOT]));
}
