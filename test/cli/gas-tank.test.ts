import { parseEther } from 'viem';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import type { AnvilProcess } from '../../sandbox/anvil.ts';
import { createWallets } from '../../src/chain/wallets.ts';
import { tankIsAhead } from '../../src/services/payments/foreign-nonces.ts';
import { anvilClients, freshAddress, mined, startAnvil } from '../support/anvil.ts';
import { seedFee, seedGig, seedToken } from '../support/store.ts';
import { type Desk, openDesk } from './admin.ts';

const MNEMONIC = 'legal winner thank year wave sausage worth useful legal winner thank yellow';
const OTHERS = 'test test test test test test test test test test test junk';

let anvil: AnvilProcess;
let desk: Desk;
beforeAll(async () => {
  anvil = await startAnvil();
});
afterAll(() => anvil.stop());
beforeEach(async () => {
  desk = await openDesk({ RPC_URL_31337: anvil.url, GIG_WALLET_MNEMONIC: MNEMONIC });
});
afterEach(() => desk.close());

test('behavior: gas-tank accept lets a used tank go on, and doctor says when that is needed', async () => {
  const wallets = createWallets(MNEMONIC);
  const account = wallets.gasTankAccount();
  const clients = anvilClients(anvil.url);
  await clients.test.setBalance({ address: account.address, value: parseEther('1') });
  for (let count = 0; count < 2; count += 1) {
    await mined(await clients.wallet.sendTransaction({ account, to: freshAddress(), value: 1n }), anvil.url);
  }
  const { id: tokenId } = await seedToken(desk.store, { chainId: 31337 });
  const gig = await seedGig(desk.store, { tokenId, live: true, walletAddress: wallets.gigAddress });
  const gas = await seedFee(desk.store, gig, { kind: 'gas', sender: wallets.gasTankAddress() });
  await desk.store.transaction((tx) => tx.noteTransfer(gas.id, { reason: tankIsAhead({ key: 'anvil' }), now: 1 }));
  const { code, out } = await desk.admin(['doctor']);
  expect(code).toBe(1);
  expect(out).toContain('top-ups on anvil wait, because the chain knows more transactions of the gas tank');
  expect(out).toContain('run npm run admin -- gas-tank accept anvil');

  const tank = `the gas tank ${account.address} on anvil`;
  expect(await desk.admin(['gas-tank', 'accept', 'anvil'])).toEqual({
    code: 0,
    err: '',
    out: `Accepted unrecognized transactions of ${tank}: nonces 0 to 1. Top-ups continue.\n`,
  });
  expect(await desk.store.gasTankNonces(31337)).toBe(2);
  expect(await desk.admin(['gas-tank', 'accept', 'anvil'])).toMatchObject({
    out: `There was nothing to accept: the database knows all 2 nonces of ${tank}.\n`,
  });
});

test('security: with other words than the store’s nothing is derived and nothing accepted', async () => {
  await desk.store.transaction((tx) => tx.keepGasTank(createWallets(MNEMONIC).gasTankAddress(), 1));
  const { code, err } = await desk.admin(['gas-tank', 'accept', 'anvil'], { env: { GIG_WALLET_MNEMONIC: OTHERS } });
  expect(code).toBe(1);
  expect(err).toContain('GIG_WALLET_MNEMONIC is not the one that this database was made with');
  expect(err).not.toContain('junk');
  expect(await desk.store.gasTankNonces(31337)).toBeNull();
});

test('error: an unknown chain, and no words', async () => {
  expect(await desk.admin(['gas-tank', 'accept', 'base'])).toMatchObject({
    code: 1,
    err: expect.stringContaining('no such chain'),
  });
  const none = await desk.admin(['gas-tank', 'accept', 'anvil'], { env: { GIG_WALLET_MNEMONIC: '' } });
  expect(none).toMatchObject({ code: 1, err: 'Gigs have no wallets while GIG_WALLET_MNEMONIC is not set.\n' });
});
