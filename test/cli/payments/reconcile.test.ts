import { describe, expect, inject, test } from 'vitest';
import { transferData } from '../../../sandbox/erc20.ts';
import { checksummed } from '../../../src/domain/gigs/token.ts';
import { payElsewhere } from '../../services/audits/auditing.ts';
import { anvilClients, freshAddress, fundNative, fundToken, mined } from '../../support/anvil.ts';
import { createPayer } from '../../support/payer.ts';
import { createFakeScreen } from '../../support/screen.ts';
import { SEEDED_AT, seedConfirmed, seedFee, seedGig, seedHash } from '../../support/store.ts';
import { desk, output, outputLines, refusal } from '../admin.ts';
import { seedStarted, token, useWallets, wallets } from '../gigs/setup.ts';

useWallets();
const liveGig = () => seedStarted({ startTime: SEEDED_AT });

/** Sends one USDC out of a gig's wallet with its key, without the service. */
async function steal(gigId: number): Promise<void> {
  const account = wallets.gigAccount(gigId);
  await fundNative(wallets.gigAddress(gigId), 10n ** 18n);
  const data = transferData({ to: freshAddress(), amount: 1_000_000n });
  const hash = await anvilClients().wallet.sendTransaction({ account, to: token.address, data });
  await mined(hash);
}

describe('reconcile', () => {
  test('behavior: says of every live gig what it holds, and exits with 0 when all add up', async () => {
    const gig = await liveGig();
    const other = await liveGig();
    await fundToken(token, other.walletAddress, 1n);
    expect(await outputLines(desk.admin(['reconcile']))).toEqual([
      expect.stringMatching(/^✓ gig 1 adds up: 105 USDC in the wallet at block [0-9]+$/),
      expect.stringMatching(/^✓ gig 2 adds up: 105\.000001 USDC in the wallet at block [0-9]+$/),
      '    the wallet holds 0.000001 USDC more than it must; this is harmless',
    ]);
    expect(await desk.json('reconcile', '1')).toEqual([
      {
        gig_id: 1,
        chain: 'anvil',
        wallet_address: checksummed(gig.walletAddress),
        token: { symbol: 'USDC', address: checksummed(token.address), decimals: 6 },
        adds_up: true,
        expected: '105',
        held: '105',
        block_number: expect.any(Number),
        problems: [],
        unproved: [],
        notes: [],
        taken: 0,
        error: null,
        frozen: null,
        change: null,
      },
    ]);
  });

  test('behavior: on a terminal says how many gigs are done, and takes that away before its answer', async () => {
    await liveGig();
    await liveGig();
    const screen = createFakeScreen(80);
    await output(desk.admin(['reconcile'], { screen }));
    expect(screen.lines()[0]).toBe('gigs: 0 of 2');
    expect(screen.line()).toBe('');
  });

  test('security: stops a gig that does not add up, says why, and exits with 1', async () => {
    await liveGig();
    await liveGig();
    await steal(2);
    const { code, out, err } = await desk.admin(['reconcile']);
    expect([code, err]).toEqual([1, '1 of 2 gigs does not add up and pays nothing.\n']);
    expect(out.split('\n').slice(1)).toEqual([
      expect.stringMatching(/^✗ gig 2 does not add up and is frozen now: 104 USDC in the wallet at block [0-9]+$/),
      '    the wallet holds 104 USDC and must hold 105 USDC: 1 USDC are missing',
      '',
    ]);
    const again = await desk.admin(['reconcile', '2', '--json']);
    expect([again.code, again.err]).toEqual([1, '1 of 1 gig does not add up and pays nothing.\n']);
    const frozen = /^it does not add up: the wallet holds 104 USDC .*: 1 USDC are missing$/;
    expect(JSON.parse(again.out)).toMatchObject([
      { adds_up: false, held: '104', expected: '105', change: null, frozen: expect.stringMatching(frozen) },
    ]);
    expect((await desk.admin(['gig', 'show', '2'])).out).toMatch(/^ {2}payments +frozen: it does not add up: /m);
    expect(await desk.store.gigFreeze(1)).toBeNull();
  });

  test('behavior: lets a gig that was frozen and adds up pay again', async () => {
    const gig = await liveGig();
    await seedFee(desk.store, gig, { chainId: 31337, amount: 5_000_000n });
    await desk.store.transaction((tx) => tx.freezeGig(1, { reason: 'the node was confused', now: SEEDED_AT }));
    expect(await output(desk.admin(['reconcile']))).toEqual(
      expect.stringMatching(/^✓ gig 1 adds up: 105 USDC in the wallet at block [0-9]+, and it pays again\n$/),
    );
    expect(await desk.store.gigFreeze(1)).toBeNull();
    await desk.store.transaction((tx) => tx.freezeByOperator(1, 'its key leaked'));
    expect((await desk.admin(['reconcile'])).out).toMatch(
      /; frozen: its key leaked\n {4}1 payment waits, because it is frozen\n$/,
    );
  });

  test('behavior: says how many payments it has taken into the ledger', async () => {
    const gig = await liveGig();
    const url = inject('anvilUrl');
    const { payer } = createPayer({ url, wallets });
    await fundNative(wallets.gasTankAddress(), 10n ** 18n);
    await payElsewhere({ payer, url }, gig, { to: freshAddress(), amount: 1_000_000n, numbers: [0n] });
    expect((await desk.admin(['reconcile'])).out).toMatch(
      /^✓ gig 1 adds up: 104 USDC .*\n {4}1 payment was taken into the ledger, which did not know of it\nGig 1 has made 1 payment for tips that the database has lost\.\n$/,
    );
    expect(await desk.json('reconcile')).toMatchObject([{ taken: 0, notes: [] }]);
  });

  test('error: a chain that does not answer proves nothing, and exits with 1', async () => {
    await liveGig();
    const env = { RPC_URL_31337: 'http://127.0.0.1:1' };
    expect(await desk.admin(['reconcile'], { env })).toEqual({
      code: 1,
      out: '? gig 1 could not be checked: chain anvil: the endpoint could not be reached for eth_chainId\n',
      err:
        '1 of 1 gig could not be checked.\n' +
        'It is not known whether gigs are lost: chain anvil: the endpoint could not be reached for eth_chainId\n',
    });
  });

  test('security: names a gig that the database has lost and whose wallet holds money, until it is rebuilt', async () => {
    await liveGig();
    await fundNative(wallets.gigAddress(2), 5n * 10n ** 17n);
    const { code, out, err } = await desk.admin(['reconcile']);
    expect([code, out]).toEqual([1, expect.stringContaining('✓ gig 1 adds up')]);
    const wallet = checksummed(wallets.gigAddress(2));
    const lost = `Gig 2 is not in the database, and its wallet ${wallet} holds 0.5 ETH on Anvil.`;
    expect(err).toBe(`${lost} Run npm run admin -- gig rebuild 2, or gig rebuild --all.\n`);
    expect((await desk.admin(['gig', 'rebuild', '2'])).code).toBe(0);
    expect((await desk.admin(['reconcile'])).code).toBe(0);
  });

  test('error: a gig of which nothing is proved does not add up, and exits with 1', async () => {
    const gig = await liveGig();
    const { id } = await seedFee(desk.store, gig, { amount: 5_000_000n });
    await seedConfirmed(desk.store, id, { hash: seedHash(1), blockNumber: 1n });
    const { code, out, err } = await desk.admin(['reconcile']);
    expect([code, err]).toEqual([1, 'The audit of 1 of 1 gig is inconclusive; run it again.\n']);
    expect(out.split('\n')[0]).toMatch(
      /^\? the audit of gig 1 is inconclusive: 105 USDC in the wallet at block [0-9]+$/,
    );
    const text = expect.stringMatching(/^the ledger has numbers as paid that the chain does not: /);
    expect(await desk.json('reconcile')).toMatchObject([
      { adds_up: null, error: null, unproved: [text], problems: [] },
    ]);
  });

  test('error: a gig that has not started, and none at all', async () => {
    expect((await desk.admin(['reconcile'])).out).toBe('No gig is live.\n');
    expect(await desk.json('reconcile')).toEqual([]);
    await seedGig(desk.store, { walletAddress: wallets.gigAddress });
    expect(await refusal(desk.admin(['reconcile', '1']))).toBe('Gig 1 has not started, so it owes nothing.\n');
    expect((await desk.admin(['reconcile', '9'])).err).toBe('There is no gig 9; see gig list.\n');
  });
});
