import { existsSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { createWallets } from '../../../src/chain/wallets.ts';
import { anvilClients } from '../../support/anvil.ts';
import { run } from '../../support/process.ts';
import { seedFee, seedGig, seedToken } from '../../support/store.ts';
import { desk } from '../admin.ts';
import { anvil, checkOf, doctor, MNEMONIC, TANK, useDoctor } from './setup.ts';

useDoctor();

const CONSOLE_REMEDY =
  'To turn it on, set SIGN_IN to farcaster, wallet or both, and OWNER_CREATE to listed or anybody.';

describe('doctor', () => {
  test('behavior: with both platforms off, all is well, and says what is off and how to turn it on', async () => {
    const { code, err, failed, report } = await doctor({ GIG_WALLET_MNEMONIC: '' });
    expect([code, err, failed]).toEqual([0, '', {}]);
    const chain = /^Chain id 31337, newest block [0-9]+; its one endpoint is the only witness$/;
    const payer = 'Deployed with the committed code; the endpoint lists events of 10000 blocks at a time';
    const alerts = { detail: 'Off: ALERT_WEBHOOK_URL is not set', remedy: 'To get alerts, set ALERT_WEBHOOK_URL.' };
    const fees = 'Not set: platform fees stay in the gig wallets';
    expect(report.checks).toMatchObject([
      { name: 'configuration', mark: 'passed' },
      { name: 'store', mark: 'passed', detail: `${desk.path} is up to date and writable` },
      { name: 'engine', mark: 'passed', detail: expect.stringMatching(/^SQLite 3\./) },
      { name: 'gig ids', mark: 'passed', detail: 'The next gig gets 1' },
      { name: 'disk', mark: 'passed', detail: '92160 MB of 102400 MB are free' },
      { name: 'gigs', mark: 'passed', detail: 'No gig is frozen' },
      { name: 'audits', mark: 'passed', detail: 'No audit has failed' },
      { name: 'x402', mark: 'passed', detail: 'No payment by x402 waits' },
      { name: 'webhooks', mark: 'passed' },
      { name: 'watching', mark: 'off' },
      { name: 'payments', mark: 'passed' },
      { name: 'alerts', mark: 'off', ...alerts },
      { name: 'notifications', mark: 'off' },
      { name: 'answers', mark: 'passed' },
      { name: 'refunds', mark: 'passed' },
      { name: 'chain anvil', mark: 'passed', detail: expect.stringMatching(chain) },
      { name: 'gas tank', mark: 'off', remedy: expect.stringContaining('set GIG_WALLET_MNEMONIC') },
      { name: 'payer anvil', mark: 'passed', detail: payer },
      { name: 'treasury', mark: 'off', detail: fees, remedy: 'To collect them, set TREASURY_ADDRESS.' },
      { name: 'events', mark: 'off', remedy: 'To turn webhooks on, set SIGNING_KEY.' },
      { name: 'public url', mark: 'passed' },
      { name: 'console', mark: 'off', detail: 'Off: owners and earners cannot sign in at /my', remedy: CONSOLE_REMEDY },
      { name: 'cards', mark: 'off' },
      { name: 'spam labels', mark: 'off' },
      { name: 'farcaster', mark: 'off', detail: expect.stringMatching(/^Off; to turn it on, set NEYNAR_API_KEY, /) },
      { name: 'x', mark: 'off' },
    ]);
    expect(report.gas_tank).toEqual({ address: null, balances: [] });
  });

  test('behavior: the gas tank has an address and a balance on every chain', async () => {
    const { code, report, check } = await doctor();
    expect(code).toBe(0);
    expect(report.gas_tank).toEqual({
      address: TANK,
      balances: [{ chain: 'anvil', chain_id: 31337, symbol: 'ETH', balance: '1.5', low: false }],
    });
    expect(check('gas tank anvil')?.detail).toBe(`${TANK} holds 1.5 ETH on Anvil`);
  });

  test('error: a gas tank that runs low fails and says what to send where', async () => {
    await anvilClients(anvil.url).test.setBalance({ address: TANK, value: 5n });
    const { code, err, failed, report } = await doctor();
    expect([code, err]).toEqual([1, '1 of 27 checks failed.\n']);
    const held = '0.000000000000000005';
    const low =
      /^The gas tank on Anvil is low: 0x\S+ holds 0\.000000000000000005 ETH, less than the 0\.[0-9]+ ETH that 100 transfers of a token cost now$/;
    expect(failed).toEqual({ 'gas tank anvil': expect.stringMatching(low) });
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
    const { code, failed, report } = await doctor({ RPC_URL_31337: 'http://127.0.0.1:1' });
    expect(code).toBe(1);
    expect(failed).toEqual({
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
    expect(await checkOf('chain base', { CHAINS: 'anvil,base', RPC_URL_8453: anvil.url })).toMatchObject({
      ok: false,
      detail: 'The endpoint of Base gives no valid answer: it serves chain id 31337, expected 8453',
      remedy: 'Set RPC_URL_8453 to a JSON-RPC endpoint of Base that answers, or take base out of CHAINS.',
    });
  });

  test('error: every problem of the configuration is a failed check, and no value is shown', async () => {
    const { code, report } = await doctor({
      PORT: '99999',
      NEYNAR_API_KEY: 'fake-key-that-must-not-show',
      GIG_WALLET_MNEMONIC: 'fake words',
    });
    expect(code).toBe(1);
    expect(report.checks.map(({ name, ok }) => [name, ok])).toEqual(Array(3).fill(['configuration', false]));
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
    const { code, failed, check } = await doctor({ GIG_WALLET_MNEMONIC: '' });
    expect(code).toBe(1);
    expect(failed).toEqual({
      gigs: 'Gig 1 is frozen, because it does not add up. Gig 2 is frozen, because payment 9 moved another amount than planned',
    });
    expect(check('gigs')?.remedy).toContain(
      'See gig show 2 and payment list, fix the cause, then run npm run admin -- reconcile 2: ',
    );
    expect((await desk.admin(['gig', 'show', '1'])).out).toMatch(/^ {2}payments +frozen: it does not add up$/m);
    expect(await desk.json('gig', 'show', '1')).toMatchObject({ frozen: 'it does not add up' });
  });

  test('error: what has to be paid and cannot be is named, with the remedy', async () => {
    const there = await seedToken(desk.store, { chainId: 10 });
    const walletAddress = createWallets(MNEMONIC).gigAddress;
    const gig = await seedGig(desk.store, { live: true, walletAddress });
    await seedFee(desk.store, gig, { chainId: 10, tokenId: there.id });
    const failures = async (env: Record<string, string> = {}) => (await doctor(env)).failed;
    const wordless = { payments: 'payments wait, because there is no GIG_WALLET_MNEMONIC' };
    expect(await failures()).toEqual({ payments: 'payments on optimism wait, because it is not in CHAINS' });
    expect(await failures({ GIG_WALLET_MNEMONIC: '' })).toEqual(wordless);
    await desk.store.transaction((tx) => tx.failPayment(1, { reason: 'paused', now: 1 }));
    const { failed, check } = await doctor({ GIG_WALLET_MNEMONIC: '' });
    expect(failed).toEqual({ payments: 'the fee of gig 1 failed: paused' });
    expect(check('payments')?.remedy).toBe('When that is fixed, run npm run admin -- payment retry 1.');
    await desk.admin(['payment', 'retry', '1']);
    expect(await failures({ GIG_WALLET_MNEMONIC: '', CHAINS: 'anvil' })).toEqual(wordless);
  });

  test('security: other words than the store’s are named, and no wallet of theirs is shown', async () => {
    const tank = '0x00000000000000000000000000000000000000aa';
    await desk.store.transaction((tx) => tx.storeGasTank(tank, 1));
    const { code, failed, report } = await doctor();
    expect(code).toBe(1);
    expect(failed).toEqual({
      mnemonic:
        'GIG_WALLET_MNEMONIC is not the one that this database was made with: its gas tank is ' +
        `0x00000000000000000000000000000000000000AA, and these words derive ${TANK}. ` +
        'Set the words as they were, or begin a new database',
    });
    expect(report.gas_tank).toEqual({ address: null, balances: [] });
    expect(JSON.stringify(report)).not.toContain('test test');
  });

  test('error: a database that is none', async () => {
    const { code, failed } = await doctor({ DATABASE_URL: `file:${process.execPath}` });
    expect(code).toBe(1);
    expect(failed['store']).toContain(process.execPath);
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
    const misspelt = {
      name: 'settings',
      ok: true,
      mark: 'warning',
      remedy: 'Correct the name or remove the variable, in .env or in the environment.',
    };
    expect(report.checks.filter(({ name }) => name === 'settings')).toEqual([
      { ...misspelt, detail: 'RPC_URL_10 is not used, because optimism is not in CHAINS' },
      { ...misspelt, detail: 'RPC_URL_BASE is not a setting; the endpoint of base is RPC_URL_8453' },
    ]);
    expect(JSON.stringify(report)).not.toContain('127.0.0.1:1/key');
  });

  test('error: names them also when the configuration is not valid because of them', async () => {
    const { code, report } = await doctor({ NEYNER_API_KEY: 'fake', NEYNAR_SIGNER_UUID: 'fake' });
    expect(code).toBe(1);
    expect(report.checks.map(({ detail }) => detail)).toContain('NEYNER_API_KEY is not a setting; see .env.example');
  });
});
