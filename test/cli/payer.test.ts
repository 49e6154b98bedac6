import { formatEther, parseEther } from 'viem';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { AnvilProcess } from '../../sandbox/anvil.ts';
import { DEPLOYER_ADDRESS, PAYER_CONTRACTS } from '../../src/chain/payer/contract/contracts.ts';
import { createWallets } from '../../src/chain/wallets.ts';
import { checksummed } from '../../src/domain/token.ts';
import { anvilClients, freshAddress, startAnvil } from '../support/anvil.ts';
import { sampleAttempt, seedFee, seedGig, seedToken } from '../support/store.ts';
import { type Desk, openDesk } from './admin.ts';

const MNEMONIC = 'test test test test test test test test test test test junk';
/** The first account of that mnemonic. */
const TANK = '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266';
const TIP_PAYER = checksummed(PAYER_CONTRACTS.tipPayer.address);
const PAY_BATCH = checksummed(PAYER_CONTRACTS.payBatch.address);

let anvil: AnvilProcess;
let clients: ReturnType<typeof anvilClients>;
let desk: Desk;
beforeEach(async () => {
  anvil = await startAnvil();
  clients = anvilClients(anvil.url);
  await clients.test.setBalance({ address: TANK, value: parseEther('1') });
  desk = await openDesk({ RPC_URL_31337: anvil.url, GIG_WALLET_MNEMONIC: MNEMONIC });
});
afterEach(async () => {
  await desk.close();
  await anvil.stop();
});

function contracts(state: string) {
  return [
    { name: 'TipPayer', address: TIP_PAYER, state },
    { name: 'PayBatch', address: PAY_BATCH, state },
  ];
}

async function payerCheck() {
  const { out, code } = await desk.admin(['doctor', '--json']);
  const { checks } = JSON.parse(out) as { checks: { name: string; ok: boolean; detail: string; remedy: string }[] };
  return { code, check: checks.find(({ name }) => name === 'payer anvil') };
}

describe('payer deploy', () => {
  test('behavior: deploys both contracts from the gas tank, and says where and for how much', async () => {
    const { code, err, out } = await desk.admin(['payer', 'deploy']);
    const spent = formatEther(parseEther('1') - (await clients.public.getBalance({ address: TANK })));
    expect([code, err]).toEqual([0, '']);
    expect(out.split('\n')).toEqual([
      'anvil:',
      `  TipPayer   ${TIP_PAYER} deployed now`,
      `  PayBatch   ${PAY_BATCH} deployed now`,
      `  gas spent  ${spent} ETH`,
      '',
    ]);
    expect(await clients.public.getTransactionCount({ address: TANK })).toBe(2);
    expect(await clients.public.getCode({ address: TANK })).toBeUndefined();
  });

  test('behavior: again does nothing and costs nothing, also as JSON', async () => {
    const first = await desk.json('payer', 'deploy', 'anvil');
    const rest = { chain: 'anvil', chain_id: 31337, symbol: 'ETH', error: null, contracts: contracts('deployed') };
    expect(first).toEqual([
      { ...rest, deployed: ['TipPayer', 'PayBatch'], gas_spent: expect.stringMatching(/^0\.00[0-9]+$/) },
    ]);
    const left = await clients.public.getBalance({ address: TANK });
    expect(await desk.json('payer', 'deploy')).toEqual([{ ...rest, deployed: [], gas_spent: '0' }]);
    expect(await clients.public.getBalance({ address: TANK })).toBe(left);
  });

  test('behavior: completes what another has begun', async () => {
    const [account] = await clients.wallet.getAddresses();
    if (account === undefined) throw new Error('the node has no account');
    await clients.wallet.sendTransaction({ account, ...PAYER_CONTRACTS.tipPayer.deployment });
    expect(await desk.json('payer', 'deploy')).toMatchObject([{ deployed: ['PayBatch'], error: null }]);
  });

  test('security: its transactions are the store’s, so that top-ups do not wait for them', async () => {
    await desk.admin(['payer', 'deploy']);
    expect(await desk.store.gasTankNonces(31337)).toBe(2);
    expect(await desk.admin(['gas-tank', 'accept', 'anvil'])).toMatchObject({
      out: expect.stringContaining('There was nothing to accept'),
    });
    const { out } = await desk.admin(['audit', 'list', '--json']);
    expect(out).toContain('gas_tank.accept');
  });

  test('behavior: works before there is a database', async () => {
    const env = { DATABASE_URL: `file:${desk.path}.none` };
    const { code, out } = await desk.admin(['payer', 'deploy'], { env });
    expect(code).toBe(0);
    expect(out).toContain('deployed now');
  });

  test('security: waits while the chain knows more of the gas tank than the store', async () => {
    await desk.store.transaction((tx) => tx.acknowledgeGasTankNonces(31337, 0, 1));
    await clients.wallet.sendTransaction({ account: TANK, to: freshAddress(), value: 1n });
    const { code, err } = await desk.admin(['payer', 'deploy']);
    expect(code).toBe(1);
    expect(err).toContain('run npm run admin -- gas-tank accept anvil');
    expect(await clients.public.getTransactionCount({ address: TANK })).toBe(1);
  });

  test('security: waits while a top-up is on its way', async () => {
    const wallets = createWallets(MNEMONIC);
    const { id: tokenId } = await seedToken(desk.store, { chainId: 31337 });
    const gig = await seedGig(desk.store, { tokenId, live: true, walletAddress: wallets.gigAddress });
    const gas = await seedFee(desk.store, gig, { kind: 'gas', sender: wallets.gasTankAddress() });
    const change = { nonce: 0, attempt: sampleAttempt(1), now: 1 };
    expect(await desk.store.transaction((tx) => tx.markSigned(gas.id, change))).toBe(true);
    const { code, err } = await desk.admin(['payer', 'deploy']);
    expect([code, err]).toEqual([
      1,
      `anvil: A top-up of the gas tank is on its way on Anvil; try again in a moment. (gas tank ${TANK})\n`,
    ]);
  });

  test('error: an empty gas tank is named', async () => {
    await clients.test.setBalance({ address: TANK, value: 0n });
    const { code, err } = await desk.admin(['payer', 'deploy']);
    expect(code).toBe(1);
    expect(err).toContain(`does not hold amount and gas (gas tank ${TANK})`);
  });

  test('error: transactions of the gas tank that are not mined yet', async () => {
    await clients.test.setAutomine(false);
    await clients.wallet.sendTransaction({ account: TANK, to: freshAddress(), value: 1n });
    const { code, err } = await desk.admin(['payer', 'deploy']);
    expect(code).toBe(1);
    expect(err).toContain(`transactions of ${TANK} wait already`);
  });

  test('error: a chain without the deterministic deployer', async () => {
    await clients.test.setCode({ address: DEPLOYER_ADDRESS, bytecode: '0x' });
    const { code, err } = await desk.admin(['payer', 'deploy']);
    expect(code).toBe(1);
    expect(err).toContain(`the chain has no deterministic deployer at ${DEPLOYER_ADDRESS}`);
    expect(await clients.public.getTransactionCount({ address: TANK })).toBe(0);
  });

  test('security: other code at the address is never completed nor trusted', async () => {
    await clients.test.setCode({ address: PAYER_CONTRACTS.tipPayer.address, bytecode: '0x6001' });
    const { code, err } = await desk.admin(['payer', 'deploy']);
    expect(code).toBe(1);
    expect(err).toContain('is not that of TipPayer');
    expect(await clients.public.getTransactionCount({ address: TANK })).toBe(0);
    const { out } = await desk.admin(['payer', 'status']);
    expect(out).toContain(`  TipPayer  ${TIP_PAYER} OTHER CODE`);
    expect((await payerCheck()).check).toMatchObject({ ok: true, detail: expect.stringContaining('never use it') });
  });

  test('error: one chain that does not answer keeps no other from its contracts', async () => {
    const env = { CHAINS: 'base,anvil', RPC_URL_8453: 'http://127.0.0.1:9' };
    const { code, out, err } = await desk.admin(['payer', 'deploy', '--json'], { env });
    expect(code).toBe(1);
    expect(JSON.parse(out)).toMatchObject([
      { chain: 'base', contracts: [], error: expect.stringContaining('could not be reached') },
      { chain: 'anvil', contracts: contracts('deployed'), error: null },
    ]);
    expect(err).toMatch(/^base: the endpoint could not be reached/);
  });

  test('error: needs words, those of the store, and a chain that is enabled', async () => {
    expect(await desk.admin(['payer', 'deploy'], { env: { GIG_WALLET_MNEMONIC: '' } })).toMatchObject({
      code: 1,
      err: 'Gigs have no wallets while GIG_WALLET_MNEMONIC is not set.\n',
    });
    await desk.store.transaction((tx) => tx.keepGasTank(freshAddress(), 1));
    const other = await desk.admin(['payer', 'deploy']);
    expect([other.code, other.err]).toEqual([1, expect.stringContaining('is not the one that this database')]);
    expect(await desk.admin(['payer', 'deploy', 'base'])).toMatchObject({
      code: 1,
      err: expect.stringContaining('no such chain'),
    });
    expect((await desk.admin(['payer', 'deploy', 'moon'])).code).toBe(2);
    expect(await clients.public.getTransactionCount({ address: TANK })).toBe(0);
  });
});

describe('payer status', () => {
  test('behavior: needs no words, and changes nothing', async () => {
    const env = { GIG_WALLET_MNEMONIC: '' };
    const { code, out } = await desk.admin(['payer', 'status'], { env });
    expect(code).toBe(0);
    expect(out).toBe(`anvil:\n  TipPayer  ${TIP_PAYER} not deployed\n  PayBatch  ${PAY_BATCH} not deployed\n`);
    expect(await desk.json('payer', 'status')).toMatchObject([{ contracts: contracts('absent'), deployed: [] }]);
    expect(await clients.public.getBlockNumber()).toBe(0n);
  });

  test('behavior: doctor notes it and does not fail for it', async () => {
    const before = await payerCheck();
    expect(before).toEqual({
      code: 0,
      check: {
        name: 'payer anvil',
        ok: true,
        detail: 'Not deployed; payments do not use it yet',
        remedy: 'To deploy it, run npm run admin -- payer deploy anvil.',
      },
    });
    await desk.admin(['payer', 'deploy']);
    expect(await payerCheck()).toMatchObject({
      code: 0,
      check: { detail: 'Deployed with the committed code', remedy: '' },
    });
  });
});
