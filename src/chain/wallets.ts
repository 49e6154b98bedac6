import { pbkdf2Sync } from 'node:crypto';
import { bytesToHex } from 'viem';
import { HDKey, type LocalAccount, privateKeyToAccount } from 'viem/accounts';
import type { Address } from '../domain/gigs/token.ts';
import { DEPLOYER_ADDRESS, PAYER_CONTRACTS } from './payer/contract/contracts.ts';

/** BIP-32 indices from 2^31 on mean hardened ones. */
const MAX_GIG_ID = 2 ** 31 - 1;
const GAS_TANK = 0;

/** The wallets that derive from one mnemonic at `m/44'/60'/{gig id}'/0/0`; account 0 is the gas tank. */
export interface Wallets {
  /** @throws RangeError when the id is not a whole number from 1 to 2^31 - 1 */
  gigAddress(gigId: number): Address;
  gasTankAddress(): Address;
  contractAddresses(): readonly Address[];
  /**
   * The account that signs for a gig. It holds the private key: use it and drop it.
   * @throws RangeError when the id is not a whole number from 1 to 2^31 - 1
   */
  gigAccount(gigId: number): LocalAccount;
  /** The account that signs for the gas tank. It holds the private key: use it and drop it. */
  gasTankAccount(): LocalAccount;
}

const CONTRACTS = [...Object.values(PAYER_CONTRACTS).map(({ address }) => address), DEPLOYER_ADDRESS];

/** More than the number of wallets that pay at once. */
const MAX_KEPT = 256;

const WORD_COUNTS = [12, 15, 18, 21, 24];

/**
 * The seed of BIP-39 without a passphrase, by Node's own code: its 2048 rounds of HMAC take a start 50 ms longer in JavaScript.
 * @throws Error, without the words, when there are not as many as a mnemonic has
 */
function seedOf(mnemonic: string): Uint8Array {
  const words = mnemonic.normalize('NFKD');
  if (!WORD_COUNTS.includes(words.split(' ').length)) throw new Error('the mnemonic is longer or shorter than one is');
  return pbkdf2Sync(words, 'mnemonic', 2_048, 64, 'sha512');
}

/**
 * Derives wallets from BIP-39 words, without a passphrase. It keeps the parent key and the wallets used last, because a
 * derivation takes longer than a signature.
 * @throws Error, without the words, when there are not 12, 15, 18, 21 or 24 of them
 */
export function createWallets(mnemonic: string): Wallets {
  const ethereum = HDKey.fromMasterSeed(seedOf(mnemonic)).derive("m/44'/60'");

  const kept = new Map<number, LocalAccount>();

  function derive(index: number): LocalAccount {
    const { privateKey } = ethereum.derive(`m/${index}'/0/0`);
    if (privateKey === null) throw new TypeError('the key above all wallets is not a private one');
    return privateKeyToAccount(bytesToHex(privateKey));
  }

  function account(index: number): LocalAccount {
    const found = kept.get(index) ?? derive(index);
    // Reinserted, so that the map is in order of use.
    kept.delete(index);
    kept.set(index, found);
    const [oldest] = kept.keys();
    if (kept.size > MAX_KEPT && oldest !== undefined) kept.delete(oldest);
    return found;
  }

  function gigAccount(gigId: number): LocalAccount {
    // The gas tank must never be used as a gig's wallet.
    if (!Number.isInteger(gigId) || gigId < 1 || gigId > MAX_GIG_ID) {
      throw new RangeError(`gig id must be a whole number from 1 to ${MAX_GIG_ID}, got ${gigId}`);
    }
    return account(gigId);
  }

  function addressOf(wallet: LocalAccount): Address {
    return `0x${wallet.address.slice(2).toLowerCase()}`;
  }

  return {
    gigAddress: (gigId) => addressOf(gigAccount(gigId)),
    gasTankAddress: () => addressOf(account(GAS_TANK)),
    contractAddresses: () => CONTRACTS,
    gigAccount,
    gasTankAccount: () => account(GAS_TANK),
  };
}
