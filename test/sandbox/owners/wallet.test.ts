import { expect, inject, test } from 'vitest';
import { createLocalChain } from '../../../sandbox/chain.ts';
import { keyOf } from '../../../sandbox/owners/keys.ts';
import { payLink } from '../../../sandbox/owners/wallet.ts';
import { MNEMONIC, person } from '../../../sandbox/people.ts';
import { paymentUri } from '../../../src/domain/payments/payment-uri.ts';
import { anvilClients } from '../../support/anvil.ts';
import { seedAddress } from '../../support/store.ts';

const BOB = keyOf(person('bob'));
const NATIVE = { address: seedAddress(0), chainId: 31337, isNative: true };

test('behavior: a person’s wallet pays what a page’s link asks for, in ETH and in a token', async () => {
  const url = inject('anvilUrl');
  const to = seedAddress(0xb0b51);
  const { public: reader } = anvilClients();
  await payLink(paymentUri(NATIVE, { to, amount: 7n }), { url, from: BOB });
  expect(await reader.getBalance({ address: to })).toBe(7n);

  const chain = createLocalChain({ url, mnemonic: MNEMONIC });
  const token = await chain.deploy({ name: 'Some', symbol: 'SOME', decimals: 6 });
  const holder = BOB.address;
  await chain.send({ token, to: holder, amount: 9n });
  const asked = { address: token.address, chainId: 31337, isNative: false };
  await payLink(paymentUri(asked, { to, amount: 9n }), { url, from: BOB });
  const balance = async (owner: `0x${string}`) =>
    await reader.call({ to: token.address, data: `0x70a08231${owner.slice(2).padStart(64, '0')}` });
  expect(BigInt((await balance(to)).data ?? '0x0')).toBe(9n);
  expect(BigInt((await balance(holder)).data ?? '0x1')).toBe(0n);
});

test('error: what is no payment link is not paid', async () => {
  const paying = payLink('ethereum:0x1?value=1', { url: inject('anvilUrl'), from: BOB });
  await expect(paying).rejects.toThrow('A wallet cannot read the payment link "ethereum:0x1?value=1".');
});
