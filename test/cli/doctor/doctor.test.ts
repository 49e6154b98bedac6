import { existsSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { createWallets } from '../../../src/chain/wallets.ts';
import { anvilClients } from '../../support/anvil.ts';
import { run } from '../../support/process.ts';
import { seedFee, seedGig, seedToken } from '../../support/store.ts';
import { anvil, desk, doctor, failed, MNEMONIC, TANK, useDoctor } from './setup.ts';

useDoctor();

describe('doctor', () => {
  test('behavior: with both platforms off, all is well, and says what is off and how to turn it on', async () => {
    const { code, err, report } = await doctor({ GIG_WALLET_MNEMONIC: '' });
    expect([code, err]).toEqual([0, '']);
    expect(report.checks.map(({ name, ok, mark }) => [name, ok, mark])).toEqual([
      ['configuration', true, 'passed'],
      ['store', true, 'passed'],
      ['engine', true, 'passed'],
      ['gig ids', true, 'passed'],
      ['disk', true, 'passed'],
      ['gigs', true, 'passed'],
      ['audits', true, 'passed'],
      ['webhooks', true, 'passed'],
      ['watching', true, 'off'],
      ['payments', true, 'passed'],
      ['alerts', true, 'off'],
      ['refunds', true, 'passed'],
      ['chain anvil', true, 'passed'],
      ['gas tank', true, 'off'],
      ['payer anvil', true, 'passed'],
      ['treasury', true, 'off'],
      ['events', true, 'off'],
      ['public url', true, 'passed'],
      ['spam labels', true, 'off'],
      ['farcaster', true, 'off'],
      ['x', true, 'off'],
    ]);
    const of = (name: string) => report.checks.find((check) => check.name === name);
    expect(of('store')?.detail).toBe(`${desk.path} is up to date and writable`);
    expect(of('engine')?.detail).toMatch(/^SQLite 3\./);
    expect(of('chain anvil')?.detail).toMatch(
      /^Chain id 31337, newest block [0-9]+; its one endpoint is the only witness$/,
    );
    expect(of('gig ids')?.detail).toBe('The next gig gets 1');
    expect(of('disk')?.detail).toBe('92160 MB of 102400 MB are free');
    expect(of('gigs')?.detail).toBe('No gig is frozen');
    expect(of('audits')?.detail).toBe('No audit has failed');
    expect(of('alerts')?.detail).toBe('Off: ALERT_WEBHOOK_URL is not set');
    expect(of('alerts')?.remedy).toBe('To get alerts, set ALERT_WEBHOOK_URL.');
    expect(of('gas tank')?.remedy).toMatch(/set GIG_WALLET_MNEMONIC/);
    expect(of('payer anvil')?.detail).toBe(
      'Deployed with the committed code; the endpoint lists events of 10000 blocks at a time',
    );
    expect(of('treasury')?.detail).toBe('Not set: platform fees stay in the gig wallets');
    expect(of('treasury')?.remedy).toBe('To collect them, set TREASURY_ADDRESS.');
    expect(of('events')?.remedy).toBe('To turn webhooks on, set SIGNING_KEY.');
    expect(of('farcaster')?.detail).toMatch(/^Off; to turn it on, set NEYNAR_API_KEY, /);
    expect(report.gas_tank).toEqual({ address: null, balances: [] });
  });

  test('behavior: the gas tank has an address and a balance on every chain', async () => {
    const { code, report } = await doctor();
    expect(code).toBe(0);
    expect(report.gas_tank).toEqual({
      address: TANK,
      balances: [{ chain: 'anvil', chain_id: 31337, symbol: 'ETH', balance: '1.5', low: false }],
    });
    expect(report.checks.find(({ name }) => name === 'gas tank anvil')?.detail).toBe(`${TANK} holds 1.5 ETH on Anvil`);
  });

  test('error: a gas tank that runs low fails and says what to send where', async () => {
    await anvilClients(anvil.url).test.setBalance({ address: TANK, value: 5n });
    const { code, err, report } = await doctor();
    expect([code, err]).toEqual([1, '1 of 22 checks failed.\n']);
    const held = '0.000000000000000005';
    const low =
      /^The gas tank on Anvil is low: 0x\S+ holds 0\.000000000000000005 ETH, less than the 0\.[0-9]+ ETH that 100 transfers of a token cost now$/;
    expect(failed(report)).toEqual({ 'gas tank anvil': expect.stringMatching(low) });
    expect(report.gas_tank.balances).toEqual([
      { chain: 'anvil', chain_id: 31337, symbol: 'ETH', balance: held, low: true },
    ]);
    const { out } = await desk.admin(['doctor']);
    const lines = out.split('\n');
    const at = lines.findIndex((line) => line.startsWith('✗'));
    expect(lines.slice(at, at + 2)).toEqual([
      expect.stringContaining(
        `✗ gas tank anvil: The gas tank on Anvil is low: ${TANK} holds ${held} ETH, less than the 0.`,
      ),
      `    Send ETH on Anvil (chain id 31337) to ${TANK}: it pays the gas of all payments.`,
    ]);
  });

  test('error: a chain that does not answer, and what the tank holds there, is named', async () => {
    const { code, report } = await doctor({ RPC_URL_31337: 'http://127.0.0.1:1' });
    expect(code).toBe(1);
    expect(failed(report)).toEqual({
      'chain anvil': 'The endpoint of Anvil gives no valid answer: it could not be reached for eth_chainId',
      'lost gigs': 'Unknown: chain anvil: the endpoint could not be reached for eth_chainId',
      'gas tank anvil': `The balance of ${TANK} on Anvil is unknown, because the chain does not answer`,
      'payer anvil': 'Unknown, because the chain does not answer',
    });
    expect(report.gas_tank.balances).toEqual([
      { chain: 'anvil', chain_id: 31337, symbol: 'ETH', balance: null, low: null },
    ]);
  });

  test('error: an endpoint of another chain', async () => {
    const { report } = await doctor({ CHAINS: 'anvil,base', RPC_URL_8453: anvil.url });
    expect(failed(report)).toMatchObject({
      'chain base': 'The endpoint of Base gives no valid answer: it serves chain id 31337, expected 8453',
    });
    const base = report.checks.find(({ name }) => name === 'chain base');
    expect(base?.remedy).toBe(
      'Set RPC_URL_8453 to a JSON-RPC endpoint of Base that answers, or take base out of CHAINS.',
    );
  });

  test('error: every problem of the configuration is a failed check, and no value is shown', async () => {
    const { code, report } = await doctor({
      PORT: '99999',
      NEYNAR_API_KEY: 'fake-key-that-must-not-show',
      GIG_WALLET_MNEMONIC: 'fake words',
    });
    expect(code).toBe(1);
    expect(report.checks.map(({ name, ok }) => [name, ok])).toEqual([
      ['configuration', false],
      ['configuration', false],
      ['configuration', false],
    ]);
    const details = report.checks.map(({ detail }) => detail).join('\n');
    expect(details).toContain('PORT must be a whole number from 0 to 65535');
    expect(details).toContain('GIG_WALLET_MNEMONIC must be a valid BIP-39 mnemonic');
    expect(details).toContain('Farcaster is only half configured: also set NEYNAR_SIGNER_UUID');
    expect(JSON.stringify(report)).not.toContain('fake');
    expect(report.gas_tank).toEqual({ address: null, balances: [] });
  });

  test('error: gigs that pay nothing are named with the reason', async () => {
    for (const live of [true, true, false]) await seedGig(desk.store, { live });
    await desk.store.transaction(async (tx) => {
      await tx.freezeGig(1, { reason: 'it does not add up', now: 1 });
      await tx.freezeGig(2, { reason: 'payment 9 moved another amount than planned', now: 1 });
    });
    const { code, report } = await doctor({ GIG_WALLET_MNEMONIC: '' });
    expect(code).toBe(1);
    expect(failed(report)).toEqual({
      gigs: 'Gig 1 is frozen, because it does not add up. Gig 2 is frozen, because payment 9 moved another amount than planned',
    });
    expect(report.checks.find(({ name }) => name === 'gigs')?.remedy).toContain(
      'See gig show 2 and payment list, fix the cause, then run npm run admin -- reconcile 2: ',
    );
    expect((await desk.admin(['gig', 'show', '1'])).out).toMatch(/^ {2}payments +frozen: it does not add up$/m);
    expect(JSON.parse((await desk.admin(['gig', 'show', '1', '--json'])).out)).toMatchObject({
      frozen: 'it does not add up',
    });
  });

  test('error: what has to be paid and cannot be is named, with the remedy', async () => {
    const there = await seedToken(desk.store, { chainId: 10 });
    const walletAddress = createWallets(MNEMONIC).gigAddress;
    const gig = await seedGig(desk.store, { live: true, walletAddress });
    await seedFee(desk.store, gig, { chainId: 10, tokenId: there.id });
    const waiting = await doctor();
    expect(failed(waiting.report)).toEqual({ payments: 'payments on optimism wait, because it is not in CHAINS' });
    expect(failed((await doctor({ GIG_WALLET_MNEMONIC: '' })).report)).toEqual({
      payments: 'payments wait, because there is no GIG_WALLET_MNEMONIC',
    });
    await desk.store.transaction((tx) => tx.failPayment(1, { reason: 'paused', now: 1 }));
    const { report } = await doctor({ GIG_WALLET_MNEMONIC: '' });
    expect(failed(report)).toEqual({ payments: 'the fee of gig 1 failed: paused' });
    expect(report.checks.find(({ name }) => name === 'payments')?.remedy).toBe(
      'When that is fixed, run npm run admin -- payment retry 1.',
    );
    await desk.admin(['payment', 'retry', '1']);
    expect(failed((await doctor({ GIG_WALLET_MNEMONIC: '', CHAINS: 'anvil' })).report)).toEqual({
      payments: 'payments wait, because there is no GIG_WALLET_MNEMONIC',
    });
  });

  test('security: other words than the store’s are named, and no wallet of theirs is shown', async () => {
    const tank = '0x00000000000000000000000000000000000000aa';
    await desk.store.transaction((tx) => tx.storeGasTank(tank, 1));
    const { code, report } = await doctor();
    expect(code).toBe(1);
    expect(failed(report)).toEqual({
      mnemonic:
        'GIG_WALLET_MNEMONIC is not the one that this database was made with: its gas tank is ' +
        `0x00000000000000000000000000000000000000AA, and these words derive ${TANK}. ` +
        'Set the words as they were, or begin a new database',
    });
    expect(report.gas_tank).toEqual({ address: null, balances: [] });
    expect(JSON.stringify(report)).not.toContain('test test');
  });

  test('error: a database that is none', async () => {
    const { code, report } = await doctor({ DATABASE_URL: `file:${process.execPath}` });
    expect(code).toBe(1);
    expect(failed(report)['store']).toContain(process.execPath);
  });

  test('behavior: a database that is not there is made, and that is said', async () => {
    const path = `${desk.path}-new`;
    const { code, report } = await doctor({ DATABASE_URL: `file:${path}` });
    expect(code).toBe(0);
    expect(report.checks[1]?.detail).toBe(`${path} is up to date and writable; it did not exist and was created`);
    expect(existsSync(path)).toBe(true);
  });

  test('behavior: as a process it exits with 1 and prints one JSON object', async () => {
    const env = { ...desk.env, CHAINS: 'anvil', RPC_URL_31337: 'http://127.0.0.1:1' };
    const child = run('src/admin.ts', { args: ['doctor', '--json'], env });
    expect(await child.ended).toBe(1);
    expect(JSON.parse(child.output().replace(/[0-9]+ of [0-9]+ checks failed\.\n/, ''))).toHaveProperty('checks');
  });
});

describe('doctor, with misspelt settings', () => {
  test('behavior: names each, with what is right, and does not fail for them', async () => {
    const env = {
      GIG_WALLET_MNEMONIC: '',
      RPC_URL_BASE: 'http://127.0.0.1:1/key',
      RPC_URL_10: 'http://127.0.0.1:1/key',
    };
    const { code, report } = await doctor(env);
    expect(code).toBe(0);
    const remedy = 'Correct the name or remove the variable, in .env or in the environment.';
    expect(report.checks.filter(({ name }) => name === 'settings')).toEqual([
      {
        name: 'settings',
        ok: true,
        mark: 'warning',
        detail: 'RPC_URL_10 is not used, because optimism is not in CHAINS',
        remedy,
      },
      {
        name: 'settings',
        ok: true,
        mark: 'warning',
        detail: 'RPC_URL_BASE is not a setting; the endpoint of base is RPC_URL_8453',
        remedy,
      },
    ]);
    expect(JSON.stringify(report)).not.toContain('127.0.0.1:1/key');
  });

  test('error: names them also when the configuration is not valid because of them', async () => {
    const { code, report } = await doctor({ NEYNER_API_KEY: 'fake', NEYNAR_SIGNER_UUID: 'fake' });
    expect(code).toBe(1);
    expect(report.checks.map(({ detail }) => detail)).toContain('NEYNER_API_KEY is not a setting; see .env.example');
  });
});
