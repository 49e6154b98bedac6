import { describe, expect, onTestFinished, test } from 'vitest';
import { COMMAND_LINE } from '../../../src/domain/actor.ts';
import { acknowledgeActivity } from '../../../src/services/audits/acknowledge-activity.ts';
import { acknowledgeTankNonces, keepFirstTankNonces } from '../../../src/services/audits/acknowledge-gas-tank.ts';
import { anvilClients, deployToken, freshAddress, fundNative, mined, startAnvil } from '../../support/anvil.ts';
import { stepPayments } from '../../support/steps.ts';
import { SEEDED_AT } from '../../support/store.ts';
import { createAudits } from '../audits/auditing.ts';
import { ALICE, BOB, type Cashier, openCashier, REBROADCAST_MS } from '../cashier.ts';

const ETHER = 10n ** 18n;
const TANK_IS_AHEAD =
  'the chain knows more transactions of the gas tank than this database; when you know them, run npm run admin -- gas-tank accept anvil';
const TIPS = [
  { account: ALICE, amount: 5n },
  { account: BOB, amount: 7n },
];

async function open(options: Parameters<typeof openCashier>[0] = {}) {
  const cashier = await openCashier(options);
  onTestFinished(cashier.close);
  await cashier.fundTank(ETHER);
  return { cashier, audits: createAudits(cashier), asset: await deployToken({ decimals: 6 }, cashier.url) };
}

const claim = (cashier: Cashier, account = ALICE, recipient = freshAddress()) =>
  cashier.claim(cashier.post(account, `claim my rewards ${recipient}`));

describe('a gig’s wallet', () => {
  test('security: signs nothing over nonces that the ledger does not know, until they are accepted', async () => {
    const { cashier, audits, asset } = await open();
    const gig = await audits.gig({ asset, tips: TIPS });
    await fundNative(gig.walletAddress, ETHER);
    for (let count = 0; count < 3; count += 1) await audits.stealNative(gig, 1n);
    const claimed = await claim(cashier);
    await cashier.look();
    const reason =
      'the chain knows transactions of its wallet that this database does not (nonces 0 to 2); it may be an older backup';
    expect(await cashier.store.gigFreeze(gig.id)).toBe(reason);
    expect((await cashier.status(claimed)).transfers).toMatchObject([
      { state: 'planned', attempts: [], reason: `the gig is frozen: ${reason}` },
    ]);
    expect(cashier.lines).toContainEqual(expect.objectContaining({ level: 'error', msg: 'gig frozen', reason }));
    expect(await audits.only()).toMatchObject({
      frozen: expect.stringContaining('nonce 0 was spent by a transaction that is not in the ledger'),
    });
    expect((await acknowledgeActivity(audits.deps, { gigId: gig.id })).accepted).toHaveLength(3);
    await cashier.settle();
    expect((await cashier.status(claimed)).transfers).toMatchObject([{ state: 'confirmed', nonce: 3 }]);
    await audits.stealNative(gig, 1n);
    await claim(cashier, BOB);
    await cashier.look();
    expect(await cashier.store.gigFreeze(gig.id)).toContain('(nonce 4)');
  });

  test.each([{ kept: 1 }, { kept: null }])(
    'behavior: pays over nonces from before its start, kept: $kept',
    async ({ kept }) => {
      const { cashier, audits, asset } = await open();
      const gig = await cashier.gig({ asset, tips: TIPS });
      await fundNative(gig.walletAddress, ETHER);
      await audits.stealNative(gig, 1n);
      const blockNumber = await anvilClients().public.getBlockNumber({ cacheTime: 0 });
      const start = { gigId: gig.id, tokenId: gig.token.id, chainId: 31337, amount: 1_000_000n, commissionAmount: 0n };
      await cashier.store.transaction((tx) =>
        tx.recordGigTransaction({ ...start, blockNumber, spentNonces: kept, checkBlock: null }, SEEDED_AT),
      );
      const claimed = await claim(cashier);
      await cashier.settle();
      expect((await cashier.status(claimed)).transfers).toMatchObject([{ state: 'confirmed', nonce: 1 }]);
    },
  );

  test('security: signs nothing while a transaction that the ledger does not know waits in the pool', async () => {
    const anvil = await startAnvil();
    onTestFinished(() => anvil.stop());
    const { cashier, audits, asset } = await open({ url: anvil.url });
    const gig = await audits.gig({ asset, tips: TIPS });
    await fundNative(gig.walletAddress, ETHER, anvil.url);
    await cashier.node.setAutomine(false);
    const account = cashier.wallets.gigAccount(gig.id);
    const hash = await anvilClients(anvil.url).wallet.sendTransaction({ account, to: freshAddress(), value: 1n });
    const claimed = await claim(cashier);
    await cashier.look();
    expect((await cashier.status(claimed)).transfers).toMatchObject([
      { state: 'planned', attempts: [], reason: 'another transaction of its wallet waits to land' },
    ]);
    await cashier.node.mine({ blocks: 1 });
    await mined(hash, anvil.url);
    await cashier.look();
    expect(await cashier.store.gigFreeze(gig.id)).toContain('(nonce 0)');
  });

  test('security: a payment that landed in an attempt which an older ledger does not have is not made again', async () => {
    const anvil = await startAnvil();
    onTestFinished(() => anvil.stop());
    const { cashier, audits, asset } = await open({ url: anvil.url });
    const gig = await audits.gig({ asset, tips: TIPS });
    await fundNative(gig.walletAddress, ETHER, anvil.url);
    await cashier.node.setAutomine(false);
    const recipient = freshAddress();
    const claimed = await claim(cashier, ALICE, recipient);
    await cashier.look();
    const [transfer] = (await cashier.status(claimed)).transfers;
    for (const { hash } of transfer?.attempts ?? []) await cashier.node.dropTransaction({ hash });
    const data = `0xa9059cbb${recipient.slice(2).padStart(64, '0')}${'5'.padStart(64, '0')}` as const;
    const account = cashier.wallets.gigAccount(gig.id);
    const hash = await anvilClients(anvil.url).wallet.sendTransaction({ account, to: asset.address, data });
    await cashier.node.mine({ blocks: 1 });
    await mined(hash, anvil.url);
    for (let looks = 0; looks < 3; looks += 1) {
      cashier.advance(REBROADCAST_MS);
      await stepPayments(cashier.paying);
    }
    expect(await cashier.store.gigFreeze(gig.id)).toBe(
      `nonce 0 of its wallet was spent by transaction ${hash}, which this database does not know`,
    );
    expect((await audits.only()).frozen).toContain('0.000005 TEST are missing');
    await cashier.node.setAutomine(true);
    await cashier.look();
    expect(await cashier.held(asset, recipient)).toBe(5n);
  });
});

describe('the gas tank', () => {
  async function useTank({ wallets, url }: Cashier) {
    const hash = await anvilClients(url).wallet.sendTransaction({
      account: wallets.gasTankAccount(),
      to: freshAddress(),
      value: 1n,
    });
    await mined(hash, url);
  }

  test('behavior: may be older than the service', async () => {
    const { cashier, asset } = await open();
    await useTank(cashier);
    await cashier.gig({ asset, tips: TIPS });
    const claimed = await claim(cashier);
    await cashier.settle();
    expect((await cashier.status(claimed)).transfers).toMatchObject([{ state: 'confirmed' }]);
    expect(await cashier.transfers('gas')).toMatchObject([{ state: 'confirmed', nonce: 1 }]);
  });

  test('security: tops nothing up over a nonce that the ledger does not know, until it is accepted', async () => {
    const { cashier, asset } = await open();
    const { store, clock, wallets, writer, paying } = cashier;
    const deps = { store, clock, wallets, writers: paying.writers };
    await keepFirstTankNonces(deps, 31337);
    expect(await store.gasTankNonces(31337)).toBe(0);
    await useTank(cashier);
    await keepFirstTankNonces(deps, 31337);
    expect(await store.gasTankNonces(31337)).toBe(0);
    await cashier.gig({ asset, tips: TIPS });
    const claimed = await claim(cashier);
    await cashier.look();
    await cashier.look();
    expect(await cashier.transfers('gas')).toMatchObject([{ state: 'planned', attempts: [], reason: TANK_IS_AHEAD }]);
    expect(cashier.lines).toContainEqual(
      expect.objectContaining({ level: 'warn', msg: 'transfer waits', kind: 'gas', reason: TANK_IS_AHEAD }),
    );
    expect((await cashier.status(claimed)).transfers).toMatchObject([{ reason: 'its wallet waits for gas' }]);
    expect(await acknowledgeTankNonces(deps, { chainId: 31337, actor: COMMAND_LINE })).toMatchObject({
      spent: 1,
      known: 0,
    });
    expect(await acknowledgeTankNonces(deps, { chainId: 31337, actor: COMMAND_LINE })).toMatchObject({
      spent: 1,
      known: 1,
    });
    await cashier.settle();
    expect((await cashier.status(claimed)).transfers).toMatchObject([{ state: 'confirmed' }]);
    expect(await writer.spentNonces(wallets.gasTankAddress())).toEqual({ latest: 2, final: 2 });
    await useTank(cashier);
    await cashier.gig({ asset, tips: TIPS });
    await claim(cashier, BOB);
    await cashier.look();
    await cashier.look();
    const [, next] = await cashier.transfers('gas');
    expect(next).toMatchObject({ state: 'planned', reason: TANK_IS_AHEAD });
  });
});
