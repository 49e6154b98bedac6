import { formatEther, parseEther } from 'viem';
import { afterEach, describe, expect, test } from 'vitest';
import type { AnvilProcess } from '../../../sandbox/anvil.ts';
import { DEPLOYER_ADDRESS, PAYER_CONTRACTS } from '../../../src/chain/payer/contract/contracts.ts';
import { checksummed } from '../../../src/domain/gigs/token.ts';
import { anvilClients, freshAddress, startAnvil } from '../../support/anvil.ts';
import { desk, failure, output, refusal, useDesk } from '../admin.ts';
import { doctor, MNEMONIC, TANK } from '../doctor/setup.ts';

const TIP_PAYER = checksummed(PAYER_CONTRACTS.tipPayer.address);
const PAY_BATCH = checksummed(PAYER_CONTRACTS.payBatch.address);

let anvil: AnvilProcess;
let clients: ReturnType<typeof anvilClients>;
useDesk(async () => {
  anvil = await startAnvil();
  clients = anvilClients(anvil.url);
  await clients.test.setBalance({ address: TANK, value: parseEther('1') });
  return { RPC_URL_31337: anvil.url, GIG_WALLET_MNEMONIC: MNEMONIC };
});
afterEach(() => anvil.stop());

function contracts(state: string) {
  return [
    { name: 'TipPayer', address: TIP_PAYER, state },
    { name: 'PayBatch', address: PAY_BATCH, state },
  ];
}

async function payerCheck(env: Record<string, string> = {}) {
  const { code, check } = await doctor(env);
  return { code, check: check('payer anvil') };
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

  test('behavior: works before there is a database', async () => {
    const env = { DATABASE_URL: `file:${desk.path}.none` };
    const out = await output(desk.admin(['payer', 'deploy'], { env }));
    expect(out).toContain('deployed now');
  });

  test('error: an empty gas tank is named, with what is missing, and nothing is sent', async () => {
    await clients.test.setBalance({ address: TANK, value: parseEther('0.0001') });
    const err = await failure(desk.admin(['payer', 'deploy']));
    const said =
      /holds 0\.0001 ETH, and deploying may cost (0\.\d+) ETH now: send at least (0\.\d+) ETH on Anvil \(chain id 31337\) to (\w+)\n$/;
    const [, cost = '', missing = '', whom] = said.exec(err) ?? [];
    expect([parseEther(cost) - parseEther(missing), whom]).toEqual([parseEther('0.0001'), TANK]);
    expect(await clients.public.getTransactionCount({ address: TANK })).toBe(0);
    await clients.test.setBalance({ address: TANK, value: parseEther(cost) });
    expect((await desk.admin(['payer', 'deploy'])).code).toBe(0);
  });

  test('error: transactions of the gas tank that are not mined yet', async () => {
    await clients.test.setAutomine(false);
    await clients.wallet.sendTransaction({ account: TANK, to: freshAddress(), value: 1n });
    const err = await failure(desk.admin(['payer', 'deploy']));
    expect(err).toContain(`${TANK} has transactions that are not mined yet`);
  });

  test('error: a chain without the deterministic deployer', async () => {
    await clients.test.setCode({ address: DEPLOYER_ADDRESS, bytecode: '0x' });
    const err = await failure(desk.admin(['payer', 'deploy']));
    expect(err).toContain(`the chain has no deterministic deployer at ${DEPLOYER_ADDRESS}`);
    expect(await clients.public.getTransactionCount({ address: TANK })).toBe(0);
  });

  test('security: other code at the address is never completed nor trusted', async () => {
    await clients.test.setCode({ address: PAYER_CONTRACTS.tipPayer.address, bytecode: '0x6001' });
    const { code, err } = await desk.admin(['payer', 'deploy']);
    expect(code).toBe(1);
    expect(err).toContain('differs from TipPayer');
    expect(await clients.public.getTransactionCount({ address: TANK })).toBe(0);
    const { out } = await desk.admin(['payer', 'status']);
    expect(out).toContain(`  TipPayer  ${TIP_PAYER} OTHER CODE`);
    expect((await payerCheck()).check).toMatchObject({
      ok: false,
      detail: expect.stringContaining('nothing is paid on anvil'),
    });
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
    for (const args of [['payer', 'deploy'], ['reconcile'], ['gig', 'rebuild', '1']])
      expect(await desk.admin(args, { env: { GIG_WALLET_MNEMONIC: '' } })).toMatchObject({
        code: 1,
        err: 'This needs the wallets of gigs: set GIG_WALLET_MNEMONIC, as the service has it, in .env or in the environment.\n',
      });
    await desk.store.transaction((tx) => tx.storeGasTank(freshAddress(), 1));
    expect(await refusal(desk.admin(['payer', 'deploy']))).toEqual(
      expect.stringContaining('is not the one that this database'),
    );
    expect(await refusal(desk.admin(['payer', 'deploy', 'base']))).toBe('base is not enabled: CHAINS names anvil.\n');
    expect((await desk.admin(['payer', 'deploy', 'moon'])).code).toBe(2);
    expect(await clients.public.getTransactionCount({ address: TANK })).toBe(0);
  });
});

describe('payer status', () => {
  test('behavior: needs no words, and changes nothing', async () => {
    const env = { GIG_WALLET_MNEMONIC: '' };
    const { code, out, err } = await desk.admin(['payer', 'status'], { env });
    expect([code, err]).toEqual([1, 'anvil: nothing is paid there without TipPayer and PayBatch.\n']);
    expect(out).toBe(`anvil:\n  TipPayer  ${TIP_PAYER} not deployed\n  PayBatch  ${PAY_BATCH} not deployed\n`);
    expect(await desk.json('payer', 'status')).toMatchObject([{ contracts: contracts('absent'), deployed: [] }]);
    expect(await clients.public.getBlockNumber()).toBe(0n);
  });

  test('behavior: doctor fails without them, unless nothing is paid here', async () => {
    const detail = 'Not deployed, so payments on anvil wait';
    const remedy = 'Run npm run admin -- payer deploy anvil.';
    expect(await payerCheck()).toEqual({
      code: 1,
      check: { name: 'payer anvil', ok: false, mark: 'failed', detail, remedy },
    });
    expect(await payerCheck({ GIG_WALLET_MNEMONIC: '' })).toMatchObject({
      code: 0,
      check: { ok: true, mark: 'warning', detail },
    });
    await desk.admin(['payer', 'deploy']);
    expect(await payerCheck()).toMatchObject({
      code: 0,
      check: { ok: true, detail: expect.stringMatching(/^Deployed with the committed code; /), remedy: '' },
    });
  });
});
