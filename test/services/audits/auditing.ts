import { transferData } from '../../../sandbox/erc20.ts';
import type { Gig } from '../../../src/domain/gigs/gig.ts';
import type { Address } from '../../../src/domain/gigs/token.ts';
import { COMMAND_LINE } from '../../../src/domain/operators/actor.ts';
import type { PayerChain, WalletPayment } from '../../../src/domain/payments/payer-chain.ts';
import type { AuditContext } from '../../../src/services/audits/context.ts';
import { type Reconciled, reconcileGigs, reconcileOpenGigs } from '../../../src/services/audits/reconcile.ts';
import { anvilClients, deployToken, freshAddress, mined, type TestToken } from '../../support/anvil.ts';
import { partsOf, perCase } from '../../support/per-case.ts';
import { SEEDED_AT, seedFee } from '../../support/store.ts';
import { type Cashier, openCashier } from '../cashier.ts';

/** A cashier's gigs with their starts recorded, and the means to audit them. */
export function createAudits(cashier: Cashier, options: { payer?: PayerChain } = {}) {
  const { store, wallets, url } = cashier;
  const { public: chain, wallet } = anvilClients(url);
  const payer = options.payer ?? cashier.payer;
  const deps: AuditContext = { ...cashier.paying.deps, payers: { payer: () => payer }, actor: COMMAND_LINE };

  async function send(gig: Gig, transaction: { to: Address; data?: `0x${string}`; value?: bigint }) {
    const hash = await wallet.sendTransaction({ account: wallets.gigAccount(gig.id), ...transaction });
    await mined(hash, url);
    return hash;
  }

  return {
    deps,
    /** Seeds a live gig and records that its start found the wallet funded in the newest block. */
    async gig(terms: Parameters<Cashier['gig']>[0]): Promise<Gig> {
      const gig = await cashier.gig(terms);
      const { id: gigId, token, rewardAmount: amount, feeAmount: commissionAmount } = gig;
      const blockNumber = await chain.getBlockNumber({ cacheTime: 0 });
      const start = { gigId, tokenId: token.id, chainId: token.chainId, amount, commissionAmount, blockNumber };
      await store.transaction((tx) => tx.recordGigTransaction({ ...start, checkBlock: null }, SEEDED_AT));
      return gig;
    },
    /** Plans the fee of a gig, as its start does. */
    planFee: (gig: Gig) => seedFee(store, gig, { amount: gig.feeAmount, recipient: freshAddress() }),
    /** Sends tokens out of a gig's wallet behind the ledger's back; the gig's key is used elsewhere. */
    steal: (gig: Gig, token: TestToken, amount: bigint) =>
      send(gig, { to: token.address, data: transferData({ to: freshAddress(), amount }) }),
    /** Sends wei out of a gig's wallet behind the ledger's back. */
    stealNative: (gig: Gig, value: bigint) => send(gig, { to: freshAddress(), value }),
    reconcile: (query?: { gigId?: number }) => reconcileGigs(deps, query),
    reconcileOpen: () => reconcileOpenGigs(deps),
    /** Audits everything; there must be one gig. */
    async only(): Promise<Reconciled & { audit: NonNullable<Reconciled['audit']> }> {
      const [result, ...more] = await reconcileGigs(deps);
      if (result === undefined || result.audit === null || more.length > 0) throw new Error('not one audit');
      return { ...result, audit: result.audit };
    },
  };
}

export type Audits = ReturnType<typeof createAudits>;

/** Pays from a gig's wallet as another instance does that shares the mnemonic and not the ledger. */
export async function payElsewhere(
  { payer, url }: Pick<Cashier, 'payer' | 'url'>,
  gig: Gig,
  payment: Omit<WalletPayment, 'token'>,
) {
  const payments = [{ token: gig.token.address, ...payment }];
  const call = { gigId: gig.id, wallet: gig.walletAddress, payments };
  const [{ gas }, fees, { spentNonces: nonce }] = await Promise.all([payer.simulate(call), payer.fees(), payer.tank()]);
  const { raw, hash } = await payer.sign({ calls: [{ ...call, gas }], nonce, fees });
  await payer.broadcast(raw);
  await mined(hash, url);
  return hash;
}

/** A cashier with a filled gas tank, the audits of its gigs, and a token for them. */
export async function openAudits() {
  const cashier = await openCashier();
  await cashier.fundTank(10n ** 18n);
  return { cashier, audits: createAudits(cashier), token: await deployToken({ decimals: 6, symbol: 'USDC' }) };
}

/** What {@link openAudits} makes, for each test of a file. */
export function auditsPerCase() {
  const opened = perCase(async () => {
    const { cashier, ...rest } = await openAudits();
    return { cashier, ...rest, close: cashier.close };
  });
  return partsOf(opened, ['cashier', 'audits', 'token']);
}
