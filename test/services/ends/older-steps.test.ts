import { randomBytes } from 'node:crypto';
import { numberToHex } from 'viem';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createChains } from '../../../src/chain/registry.ts';
import type { Gig } from '../../../src/domain/gigs/gig.ts';
import type { Address } from '../../../src/domain/gigs/token.ts';
import { COMMAND_LINE } from '../../../src/domain/operators/actor.ts';
import { createPaidLearner } from '../../../src/services/audits/learn-paid.ts';
import { cancelUnfunded } from '../../../src/services/ends/cancel-unfunded.ts';
import { prepareEnd } from '../../../src/services/ends/end-gig.ts';
import type { Ending } from '../../../src/services/ends/endings.ts';
import { settleDueGigs } from '../../../src/services/ends/settle-due-gigs.ts';
import { startFundedGigs } from '../../../src/services/gigs/start-funded.ts';
import { stepHeld } from '../../../src/services/operators/conditions/held-steps.ts';
import { carryOut } from '../../../src/services/prepared.ts';
import { anvilClients, freshAddress, fundToken } from '../../support/anvil.ts';
import { firstOf } from '../../support/first-of.ts';
import { createPayer } from '../../support/payer.ts';
import { perCase } from '../../support/per-case.ts';
import { serveRpcProxy } from '../../support/rpc-proxy.ts';
import { type GigSeed, seedGig } from '../../support/store.ts';
import { auditsPerCase, payElsewhere } from '../audits/auditing.ts';
import { ALICE, seedTestToken } from '../cashier.ts';
import { keepSteps } from '../fakes.ts';
import { createSurroundings } from '../operators/looking.ts';
import { noteSkip } from '../skips.ts';

const DAY = 86_400_000;
const REWARD = 1_000_000n;
const FEE = 50_000n;

const { cashier, audits, token } = auditsPerCase();
const steps = perCase(() => keepSteps(cashier.clock));

/** A created gig of the console, older than a week, as an older ledger has one that was funded and started since. */
async function created(seed: GigSeed = {}, funds = REWARD + FEE): Promise<Gig> {
  const { store, wallets, clock } = cashier;
  const { id: tokenId } = await seedTestToken(store, token);
  const money = { tokenId, rewardAmount: REWARD, feeAmount: FEE, walletAddress: wallets.gigAddress };
  const owners = { client: 'owner:farcaster:1003', createdAt: clock() - 8 * DAY };
  const gig = await seedGig(store, { ...money, ...owners, ...seed });
  if (funds > 0n) await fundToken(token, gig.walletAddress, funds);
  return gig;
}

function deps() {
  const { store, clock, payer, url, wallets, paying } = cashier;
  const chains = createChains({ endpoints: [{ chain: payer.chain, rpcUrls: [url] }], clock, retries: 0 });
  const payers = { payer: () => payer };
  const learnPaid = createPaidLearner({ ...paying.deps, payers });
  const chain = { store, clock, chains, payers, wallets, learnPaid, treasury: null, randomBytes };
  return { ...chain, ...steps, newId: () => 'attempt' };
}

const payTip = (gig: Gig, to: Address, amount = 250_000n) => payElsewhere(cashier, gig, { to, amount, numbers: [7n] });
const gigOf = async ({ id }: Gig) => await cashier.store.gig(id);
const endByHand = ({ id: gigId }: Gig, ending: Ending) =>
  carryOut(deps(), prepareEnd({ gigId, ending, actor: COMMAND_LINE, holder: 'hand' }));
/** Of a chain that does not answer. */
const silentPayers = () => {
  const { payer } = createPayer({ url: 'http://127.0.0.1:1', clock: cashier.clock });
  return { payer: () => payer };
};

/** What `/ready`, the alerts and `doctor` say of steps that wait. */
async function told(): Promise<string[]> {
  const { deps } = createSurroundings(cashier.store);
  const found = await stepHeld.find({ ...deps, heldSteps: steps.heldSteps, clock: cashier.clock });
  return found.map((each) => (each && 'text' in each ? `${each.text}. ${each.remedy}` : 'unknown'));
}

describe('an unfunded gig of a ledger that was put back', () => {
  test('security: that has paid is not cancelled, says so, and can be started and cancelled by hand', async () => {
    const [paid, never] = [await created(), await created({}, 10n)];
    await payTip(paid, freshAddress());
    await cancelUnfunded(deps());
    expect((await gigOf(never))?.cancelledAt).not.toBeNull();
    expect(await gigOf(paid)).toMatchObject({ status: 'created', cancelledAt: null });
    expect(await told()).toEqual([
      `The automatic cancellation of gig ${paid.id} waits, because its wallet has paid, so it had started, or had been cancelled, in a ledger that is lost. ` +
        `If gig ${paid.id} had started, start it again; otherwise run npm run admin -- gig cancel ${paid.id}.`,
    ]);
    await endByHand(paid, 'cancel');
    await cancelUnfunded(deps());
    expect(await told()).toEqual([]);
  });

  test('security: of a chain that tells what wallets hold, but not what they have done, none is cancelled', async () => {
    const gig = await created({}, 10n);
    await cancelUnfunded({ ...deps(), payers: null });
    cashier.advance(11 * 60_000);
    expect(await told()).toEqual([expect.stringContaining('GIG_WALLET_MNEMONIC is not set')]);
    expect(await gigOf(gig)).toMatchObject({ cancelledAt: null });
  });

  test('security: that has paid a moment ago is not cancelled where one node tells what it holds, and one that lags what it has done', async () => {
    const gig = await created();
    const before = await anvilClients(cashier.url).public.getBlockNumber();
    await payTip(gig, freshAddress());
    // A balancer sends each question to another node.
    const proxy = await serveRpcProxy(cashier.url, ({ method, params, ask }) =>
      method === 'eth_getBlockByNumber' && Array.isArray(params) && params[0] === 'latest'
        ? ask(method, [numberToHex(before), false])
        : undefined,
    );
    onTestFinished(proxy.close);
    const { payer } = createPayer({ url: proxy.url, clock: cashier.clock });
    const chains = createChains({ endpoints: [{ chain: payer.chain, rpcUrls: [proxy.url] }], clock: cashier.clock });
    await cancelUnfunded({ ...deps(), chains, payers: { payer: () => payer } });
    expect(await gigOf(gig)).toMatchObject({ cancelledAt: null });
    await cancelUnfunded(deps());
    expect(await told()).toEqual([expect.stringContaining('its wallet has paid')]);
  });

  test('security: that the file of ids puts in doubt waits until the ledger is proved', async () => {
    const gig = await created({}, 10n);
    await noteSkip(cashier.store, { first: gig.id + 1, last: gig.id + 1, reason: 'ahead' });
    await cancelUnfunded(deps());
    expect(await gigOf(gig)).toMatchObject({ cancelledAt: null });
    expect(await told()).toEqual([expect.stringContaining('the database may be an older copy')]);
  });
});

describe('a gig that starts when it is funded, of a ledger that was put back', () => {
  const seed = { start: 'when_funded' } as const;

  test.each([
    ['in its time', 8],
    ['after its time', 31],
  ])('security: starts again %s after it has paid, and one that never paid does not', async (_, days) => {
    const paid = await created({ ...seed, createdAt: cashier.clock() - days * DAY });
    const never = await created(seed, 10n);
    await payTip(paid, freshAddress());
    await startFundedGigs(deps());
    expect(await gigOf(paid)).toMatchObject({ status: 'live' });
    expect(await gigOf(never)).toMatchObject({ status: 'created', startRefusal: null });
  });

  test.each([8, 31])('error: that lacks something says so after %i days, and starts when it is there', async (days) => {
    const gig = await created({ ...seed, createdAt: cashier.clock() - days * DAY }, REWARD);
    await payTip(gig, freshAddress());
    await startFundedGigs(deps());
    await startFundedGigs(deps());
    expect(await gigOf(gig)).toMatchObject({ status: 'created', startRefusal: 'gig_not_funded' });
    expect((await gigOf(gig))?.startUntil).not.toBeNull();
    await fundToken(token, gig.walletAddress, FEE);
    cashier.advance(10 * 60_000);
    await startFundedGigs(deps());
    expect(await gigOf(gig)).toMatchObject({ status: 'live', startRefusal: null });
  });

  test('security: is not given up while its chain does not say whether it has paid', async () => {
    const gig = await created({ ...seed, createdAt: cashier.clock() - 31 * DAY }, 0n);
    await startFundedGigs({ ...deps(), payers: silentPayers() });
    expect((await gigOf(gig))?.startUntil).not.toBeNull();
    const msg = 'cannot read whether wallets of created gigs have paid';
    expect(steps.lines).toMatchObject([{ level: 'warn', msg, chainId: 31337 }]);
    const odd = () => {
      throw new TypeError('odd');
    };
    await expect(startFundedGigs({ ...deps(), payers: { payer: odd } })).rejects.toThrow('odd');
    await startFundedGigs(deps());
    expect((await gigOf(gig))?.startUntil).toBeNull();
  });
});

describe('the settlement of a gig of a ledger that was put back', () => {
  /** A live gig whose time for awards is over. */
  async function over(): Promise<Gig> {
    const gig = await audits.gig({ asset: token, tips: [] });
    cashier.advance(100 * DAY);
    return gig;
  }

  test('security: waits for an operator where its wallet has paid tips that are lost', async () => {
    const gig = await over();
    await payTip(gig, freshAddress());
    await settleDueGigs(deps());
    expect(await gigOf(gig)).toMatchObject({ settledAt: null, awardedAmount: 250_000n });
    expect(await told()).toEqual([
      `The automatic settlement of gig ${gig.id} waits, because the ledger has lost tips of that time, and the gig may owe some. ` +
        `Award again what gig ${gig.id} owes, then run npm run admin -- gig settle ${gig.id}.`,
    ]);
    await endByHand(gig, 'settle');
    await settleDueGigs(deps());
    expect(await told()).toEqual([]);
  });

  test('error: waits alone while what its wallet has paid cannot be explained yet: others of its chain are settled', async () => {
    const first = await audits.gig({ asset: token, tips: [{ account: ALICE, amount: 10n }] });
    const tip = firstOf((await cashier.store.pendingTips([ALICE])).tips);
    const second = await over();
    // Its number was paid to another, which a reorganisation may still change.
    await payElsewhere(cashier, first, { to: freshAddress(), amount: 11n, numbers: [BigInt(tip.number)] });
    await settleDueGigs(deps());
    expect([(await gigOf(first))?.settledAt, (await gigOf(second))?.settledAt]).toEqual([null, cashier.clock()]);
  });

  test('security: waits while its chain does not tell all, and settles by itself then', async () => {
    const gig = await over();
    const learnPaid = createPaidLearner({ ...cashier.paying.deps, payers: silentPayers() });
    await settleDueGigs({ ...deps(), learnPaid });
    expect(await gigOf(gig)).toMatchObject({ settledAt: null });
    expect(await told()).toEqual([]);
    cashier.advance(11 * 60_000);
    expect(await told()).toEqual([expect.stringContaining('the chain does not tell all that its wallet has done')]);
    await settleDueGigs(deps());
    expect((await gigOf(gig))?.settledAt).not.toBeNull();
    expect(await told()).toEqual([]);
  });
});
