import {
  concatHex,
  encodeAbiParameters,
  type Hex,
  hashTypedData,
  padHex,
  parseSignature,
  signatureToCompactSignature,
} from 'viem';
import type { LocalAccount } from 'viem/accounts';
import type { Address } from '../../../domain/gigs/token.ts';
import { TIP_PAYER } from './artifact.ts';
import type { ContractPayment } from './payments.ts';

const PAYMENT_FIELDS = [
  { type: 'address' },
  { type: 'address' },
  { type: 'uint256' },
  { type: 'uint256' },
  { type: 'uint256' },
] as const;

/** Payments of one wallet on one chain: what its key signs. */
export interface PayTerms {
  readonly chainId: number;
  readonly wallet: Address;
  readonly payments: readonly ContractPayment[];
}

/** A signature in the compact form of EIP-2098. */
export interface CompactSignature {
  readonly r: Hex;
  /** The parity of y in the highest bit, and s. */
  readonly vs: Hex;
}

function encodePayment({ token, to, amount, word, bits }: ContractPayment): Hex {
  return encodeAbiParameters(PAYMENT_FIELDS, [token, to, amount, word, bits]);
}

function typedData({ chainId, wallet, payments }: PayTerms) {
  return {
    domain: { chainId, verifyingContract: wallet, salt: padHex(TIP_PAYER.address) },
    types: { Pay: [{ name: 'payments', type: 'bytes' }] },
    primaryType: 'Pay',
    message: { payments: concatHex(payments.map(encodePayment)) },
  } as const;
}

/** The EIP-712 digest that the wallet signs. */
export function payDigest(terms: PayTerms): Hex {
  return hashTypedData(typedData(terms));
}

function assertOwn(account: LocalAccount, wallet: Address): void {
  if (account.address.toLowerCase() === wallet.toLowerCase()) return;
  throw new Error(`the account ${account.address} cannot sign for ${wallet}`);
}

/**
 * Signs payments with a wallet's key. A holder of the signature can only make these payments, each number once.
 * @throws Error when the account is not that of the wallet
 */
export async function signPay(account: LocalAccount, terms: PayTerms): Promise<CompactSignature> {
  assertOwn(account, terms.wallet);
  const signature = parseSignature(await account.signTypedData(typedData(terms)));
  const { r, yParityAndS } = signatureToCompactSignature(signature);
  return { r, vs: yParityAndS };
}

/** An entry of a transaction's `authorizationList`, as viem takes it. */
export interface Delegation {
  readonly address: Address;
  readonly chainId: number;
  readonly nonce: number;
  readonly r: Hex;
  readonly s: Hex;
  readonly yParity: number;
}

/** What each account authorized last: it is simulated, and then sent. */
const authorized = new WeakMap<LocalAccount, Delegation>();

/**
 * Authorizes a wallet to delegate to TipPayer. The nonce is the wallet's own, because another account sends the
 * transaction; whatever becomes of that transaction, the nonce is spent and the delegation stays.
 * @throws RangeError when the chain is 0, which would mean every chain
 */
export async function signDelegation(
  account: LocalAccount,
  { chainId, nonce }: { chainId: number; nonce: number },
): Promise<Delegation> {
  if (!Number.isSafeInteger(chainId) || chainId < 1) throw new RangeError(`chain id: ${chainId}`);
  const known = authorized.get(account);
  if (known?.chainId === chainId && known.nonce === nonce) return known;
  if (account.signAuthorization === undefined) throw new TypeError('the account cannot sign authorizations');
  const { address } = TIP_PAYER;
  const { r, s, yParity } = await account.signAuthorization({ contractAddress: address, chainId, nonce });
  if (yParity === undefined) throw new TypeError('the authorization has no parity');
  const delegation = { address, chainId, nonce, r, s, yParity };
  authorized.set(account, delegation);
  return delegation;
}
