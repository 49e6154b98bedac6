import { generateMnemonic } from '@scure/bip39';
import { wordlist } from '@scure/bip39/wordlists/english.js';
import { recoverMessageAddress } from 'viem';
import { mnemonicToAccount } from 'viem/accounts';
import { expect, test } from 'vitest';
import { createWallets } from '../../src/chain/wallets.ts';

// The public mnemonic of every local node. The addresses were printed by anvil (alloy, in Rust), started with
// `--derivation-path "m/44'/60'/<gig id>'/0/"`.
const wallets = createWallets('test test test test test test test test test test test junk');

test('behavior: the gas tank is account 0', () => {
  expect(wallets.gasTankAddress()).toBe('0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266');
});

test('behavior: every gig has the wallet of its own hardened account', () => {
  expect(wallets.gigAddress(42)).toBe('0x9ebb83fc48833b5aa9baeb1607b3b6384c49da08');
  expect(wallets.gigAddress(2_147_483_647)).toBe('0xaf49234b7ab4341cde3b924f949dbf6240216e6d');
});

test.each([128, 160, 192, 224, 256])('behavior: a mnemonic of %d bits has the wallets that viem derives', (bits) => {
  const mnemonic = generateMnemonic(wordlist, bits);
  const { address } = mnemonicToAccount(mnemonic, { path: "m/44'/60'/7'/0/0" });
  expect(createWallets(mnemonic).gigAddress(7)).toBe(address.toLowerCase());
});

test.each([
  ['a gig account signs for the address of its gig', wallets.gigAccount(42), wallets.gigAddress(42)],
  ['the gas tank account signs for the gas tank', wallets.gasTankAccount(), wallets.gasTankAddress()],
])('behavior: %s', async (_what, account, address) => {
  const signature = await account.signMessage({ message: 'hello' });
  expect((await recoverMessageAddress({ message: 'hello', signature })).toLowerCase()).toBe(address);
});

test.each([0, -1, 1.5, 2_147_483_648, Number.NaN, Number.POSITIVE_INFINITY])(
  'security: %d is no gig id, so that no gig gets the gas tank or the wallet of another',
  (gigId) => {
    expect(() => wallets.gigAddress(gigId)).toThrow(RangeError);
    expect(() => wallets.gigAccount(gigId)).toThrow(RangeError);
  },
);

test('security: a mnemonic that cannot be used is not repeated in the error', () => {
  expect(() => createWallets('obviously fake words')).toThrow(
    expect.objectContaining({ message: expect.not.stringMatching(/obviously|fake|words/) }),
  );
});
