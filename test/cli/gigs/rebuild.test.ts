import { existsSync, globSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { checksummed } from '../../../src/domain/gigs/token.ts';
import { ALICE, openCashier } from '../../services/cashier.ts';
import { anvilClients, deployToken, freshAddress, fundNative, fundToken, type TestToken } from '../../support/anvil.ts';
import { createFakeScreen } from '../../support/screen.ts';
import { seedGig } from '../../support/store.ts';
import { REVERTING } from '../../support/token.ts';
import { desk, output, refusal } from '../admin.ts';
import { token, useWallets, wallets } from './setup.ts';

useWallets();

/** A gig in each of these tokens that has paid 0.25 of 1, in a database that is lost. */
async function payAndLose(tokens: readonly TestToken[] = [token]): Promise<void> {
  const cashier = await openCashier({ wallets });
  await cashier.fundTank(10n ** 18n);
  for (const asset of tokens) await cashier.gig({ asset, tips: [{ account: ALICE, amount: 250_000n }] });
  await cashier.claim(cashier.post(ALICE, `claim my rewards ${freshAddress()}`));
  await cashier.settle();
  await cashier.close();
}

describe('gig rebuild', () => {
  test('behavior: says what came back, and the books agree', async () => {
    await payAndLose();
    await fundNative(wallets.gigAddress(2), 5n * 10n ** 17n);
    const screen = createFakeScreen(80);
    const command = ['gig', 'rebuild', '--all', '--to', '50', '--since', '2026-01-01'];
    const out = await output(desk.admin(command, { screen }));
    expect([screen.lines()[0], screen.line()]).toEqual(['wallets: 0 of 50', '']);
    expect(out.split('\n')).toEqual([
      'gig 1 on anvil: 1 payment of 0.25 USDC, 0.75 USDC in the wallet; frozen until gig unfreeze 1',
      'gig 2 on anvil: 0 payments of 0 ETH, 0.5 ETH in the wallet; frozen until gig unfreeze 2',
      expect.stringContaining('No chain holds these, so they stay unknown: unpaid tips'),
      '',
    ]);
    const audit = await desk.admin(['reconcile']);
    expect([audit.code, audit.out.split('\n').filter((line) => line.startsWith('✓'))]).toEqual([
      0,
      [expect.stringContaining('✓ gig 1 adds up: 0.75 USDC'), expect.stringContaining('✓ gig 2 adds up: 0.5 ETH')],
    ]);
    expect((await desk.admin(['audit', 'list', '--gig', '1'])).out).toContain('gig.rebuild');
    expect(await output(desk.admin(['gig', 'rebuild', '--all', '--to', '50']))).toBe(
      'No wallet of an unknown gig was used on an enabled chain.\n',
    );
    expect(await refusal(desk.admin(['gig', 'rebuild', '2']))).toBe('Gig 2 is in the database already.\n');
  });

  test('error: without the highest id, says up to where it has looked, and exits with 1', async () => {
    await fundNative(wallets.gigAddress(2_001), 5n);
    const { code, out, err } = await desk.admin(['gig', 'rebuild', '--all', '--gap', '100', '--thousands', '3']);
    expect([code, out]).toEqual([1, expect.stringContaining('gig 2001 on anvil: 0 payments')]);
    expect(err).toBe(
      'The search covered every id up to 2200, and the first 20 of each thousand up to 5020. To find gigs with other ids, name the highest id that logs or clients know with --to.\n',
    );
  });

  test('behavior: finds what has paid nothing by a named token, and answers as JSON', async () => {
    await fundToken(token, wallets.gigAddress(1), 7n);
    expect((await desk.admin(['gig', 'rebuild', '--all', '--to', '50'])).out).toBe(
      'No wallet of an unknown gig was used on an enabled chain.\n',
    );
    const { out } = await desk.admin([
      'gig',
      'rebuild',
      '--all',
      '--to',
      '50',
      '--token',
      `anvil:${token.address}`,
      '--json',
    ]);
    expect(JSON.parse(out)).toEqual([
      {
        gig_id: 1,
        chain: 'anvil',
        token: { symbol: 'USDC', address: checksummed(token.address), decimals: 6 },
        wallet_address: checksummed(wallets.gigAddress(1)),
        payments: 0,
        paid: '0',
        held: '0.000007',
        notes: [],
      },
    ]);
  });

  test('behavior: says what it is not sure of and what it leaves out, and takes a gig’s token from the operator', async () => {
    const odd = await deployToken({ decimals: 6, symbol: 'ODD' });
    await payAndLose([token, odd]);
    await anvilClients().test.setCode({ address: odd.address, bytecode: REVERTING });
    for (const gigId of [3, 4]) {
      await fundNative(wallets.gigAddress(gigId), 5n * 10n ** 17n);
      await fundToken(token, wallets.gigAddress(gigId), 7n);
    }
    const named = ['--token', `anvil:${token.address}`, '--gig-token', `4:anvil:${token.address}`];
    const { code, out, err } = await desk.admin(['gig', 'rebuild', '--all', '--to', '50', ...named]);
    expect([code, out.split('\n')]).toEqual([
      1,
      [
        'gig 1 on anvil: 1 payment of 0.25 USDC, 0.75 USDC in the wallet; frozen until gig unfreeze 1',
        'gig 3 on anvil: 0 payments of 0 ETH, 0.5 ETH in the wallet; frozen until gig unfreeze 3',
        expect.stringContaining(
          '    its wallet holds 0.5 ETH on Anvil, and also 0.000007 USDC on Anvil: the first is taken',
        ),
        'gig 4 on anvil: 0 payments of 0 USDC, 0.000007 USDC in the wallet; frozen until gig unfreeze 4',
        expect.stringContaining('No chain holds these, so they stay unknown: unpaid tips'),
        '',
      ],
    ]);
    const wallet = checksummed(wallets.gigAddress(2));
    const reason = `its token ${checksummed(odd.address)} does not answer with its name, symbol and decimals`;
    expect(err).toBe(`gig 2 on anvil is left out, with its wallet ${wallet}: ${reason}.\n`);
  });

  test('behavior: creates the database, and leaves none behind when it fails', async () => {
    await payAndLose();
    const path = `${desk.path}.new`;
    const env = { DATABASE_URL: `file:${path}` };
    const failed = await desk.admin(['gig', 'rebuild', '--all', '--to', '50'], {
      env: { ...env, RPC_URL_31337: 'http://127.0.0.1:1' },
    });
    expect([failed.code, globSync(`${path}*`)]).toEqual([1, []]);
    expect(await output(desk.admin(['gig', 'rebuild', '--all', '--to', '50'], { env }))).toEqual(
      expect.stringContaining('gig 1 on anvil: 1 payment'),
    );
    expect(existsSync(path)).toBe(true);
    const again = await desk.admin(['gig', 'rebuild', '--all', '--to', '50'], { env });
    expect([again.code, existsSync(path)]).toEqual([0, true]);
  });

  test('error: a token that is named by its symbol, has no contract, or is on another chain', async () => {
    const rebuild = async (named: string) =>
      (await desk.admin(['gig', 'rebuild', '--all', '--to', '50', '--token', named])).err;
    expect(await rebuild('DEGEN')).toContain('It must be <chain>:<address>, such as base:0x');
    const nobody = checksummed(freshAddress());
    expect(await rebuild(`anvil:${nobody}`)).toBe(
      `--token: there is no contract at ${nobody} on anvil; check the address and the chain.\n`,
    );
    expect(await rebuild(`base:${nobody}`)).toBe('--token: base is not enabled: CHAINS names anvil.\n');
  });

  test('error: without --all, without a mnemonic, and with another one than the database’s', async () => {
    const which = 'Name one gig, such as gig rebuild 42, or --all.\n';
    expect((await desk.admin(['gig', 'rebuild'])).err).toBe(which);
    expect((await desk.admin(['gig', 'rebuild', '42', '--all'])).err).toBe(which);
    expect((await desk.admin(['gig', 'rebuild', '42', '--to', '50'])).err).toBe('--to goes with --all.\n');
    const odd = await desk.admin(['gig', 'rebuild', '--all', '--to', '50', '--gig-token', 'anvil:0x00']);
    expect(odd.err).toContain('It must be a gig, a chain and an address');
    expect(
      await refusal(desk.admin(['gig', 'rebuild', '--all', '--to', '50'], { env: { GIG_WALLET_MNEMONIC: '' } })),
    ).toEqual(expect.stringContaining('GIG_WALLET_MNEMONIC'));
    await seedGig(desk.store);
    expect(await refusal(desk.admin(['gig', 'rebuild', '--all', '--to', '50']))).toEqual(
      expect.stringContaining('is not the one that this database was made with'),
    );
  });
});
