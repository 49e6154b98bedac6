import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { createChains } from '../../../../src/chain/registry.ts';
import type { Wallets } from '../../../../src/chain/wallets.ts';
import type { Gig } from '../../../../src/domain/gigs/gig.ts';
import { floorByClock } from '../../../../src/domain/gigs/tip.ts';
import { type Address, checksummed, NATIVE_TOKEN_ADDRESS } from '../../../../src/domain/gigs/token.ts';
import { COMMAND_LINE } from '../../../../src/domain/operators/actor.ts';
import type { PayerChain } from '../../../../src/domain/payments/payer-chain.ts';
import { FEE_NUMBER } from '../../../../src/domain/payments/payment.ts';
import { type RebuildRequest, type RebuiltGig, rebuildGigs } from '../../../../src/services/audits/rebuild-gigs.ts';
import type { NamedToken } from '../../../../src/services/audits/rebuild-token.ts';
import { unfreezeByHand } from '../../../../src/services/gigs/freezes.ts';
import { type Audits, createAudits } from '../../../services/audits/auditing.ts';
import { ALICE, BOB, type Cashier, openCashier, pendingTips } from '../../../services/cashier.ts';
import {
  anvilClients,
  deployToken,
  freshAddress,
  fundNative,
  fundToken,
  placeCode,
  type TestToken,
} from '../../../support/anvil.ts';
import type { Answer } from '../../../support/json-rpc.ts';
import { ANVIL, createPayer } from '../../../support/payer.ts';
import { type PassingCall, serveRpcProxy } from '../../../support/rpc-proxy.ts';
import { seedGig, seedTips } from '../../../support/store.ts';
import { LYING_AT_TIMES, REVERTING, SILENT } from '../../../support/token.ts';

const ETHER = 10n ** 18n;
const actor = COMMAND_LINE;

let wallets: Wallets;
let cashier: Cashier;
let audits: Audits;
let token: TestToken;
beforeEach(async () => {
  ({ wallets } = createPayer());
  token = await deployToken({ decimals: 6, symbol: 'USDC' });
  await openAgain();
  await cashier.fundTank(ETHER);
});
afterEach(() => cashier.close());

/** A new database for the same wallets. */
async function openAgain(): Promise<void> {
  cashier = await openCashier({ wallets });
  audits = createAudits(cashier);
}

async function loseDatabase(): Promise<void> {
  await cashier.close();
  await openAgain();
}

function rebuildAll(request: Partial<RebuildRequest> = {}, payer: PayerChain = cashier.payer) {
  const { store, clock, url } = cashier;
  const chains = createChains({ endpoints: [{ chain: ANVIL, rpcUrls: [url] }], clock, retries: 0 });
  const deps = { store, clock, wallets, chains, payers: { payer: () => payer }, actor };
  return rebuildGigs(deps, {
    only: null,
    to: null,
    gap: 100,
    steps: 5,
    tokens: [],
    gigTokens: new Map(),
    since: null,
    ...request,
  });
}

/** The token, as an operator names it. */
const byToken = (): NamedToken => ({ chain: ANVIL, address: token.address });
const idsOf = (gigs: readonly RebuiltGig[]) => gigs.map(({ gig }) => gig.id);
const reserveId = () => cashier.store.transaction((tx) => tx.reserveGigId());

async function rebuild(...asked: Parameters<typeof rebuildAll>) {
  const { gigs, leftOut, unproved } = await rebuildAll(...asked);
  expect([leftOut, unproved]).toEqual([[], []]);
  return gigs;
}

/** A gig whose tips have numbers as a service that starts now gives them; Alice and Bob are paid one after the other. */
async function payTwo(): Promise<Gig> {
  const gig = await audits.gig({ asset: token, tips: [] });
  await cashier.store.transaction((tx) => tx.skipTipNumbers(gig.id, floorByClock({ clock: Date.now })));
  for (const account of [ALICE, BOB]) {
    await seedTips(cashier.store, gig, [{ ...account, amount: 7n }]);
    await claimFor(account);
  }
  return gig;
}

/** The chain behind an endpoint that answers some calls otherwise. */
async function behind(intercept: (call: PassingCall) => Promise<Answer | undefined> | undefined): Promise<PayerChain> {
  const proxy = await serveRpcProxy(cashier.url, intercept);
  onTestFinished(proxy.close);
  return createPayer({ url: proxy.url, wallets, retries: 0 }).payer;
}

async function claimFor(account = ALICE, to: Address = freshAddress()): Promise<Address> {
  await cashier.claim(cashier.post(account, `claim my rewards ${to}`));
  await cashier.settle();
  return to;
}

describe('gigs of a lost database', () => {
  test('behavior: come back with what they have paid and what is left, and nobody is paid twice', async () => {
    const both = [
      { account: ALICE, amount: 250_000n },
      { account: BOB, amount: 1_000n },
    ];
    const first = await audits.gig({ asset: token, fee: 50_000n, tips: both });
    await audits.planFee(first);
    await audits.gig({ asset: 'native', reward: ETHER, tips: [{ account: ALICE, amount: ETHER / 4n }] });
    // Never funded, so that no chain knows it.
    await audits.gig({ asset: token, tips: [], funds: 0n });
    const fourth = await audits.gig({ asset: token, tips: [{ account: ALICE, amount: 7n }] });
    const alice = await claimFor();
    await loseDatabase();

    const rebuilt = await rebuild();
    expect(rebuilt.map(({ gig, payments, moved, held }) => [gig.id, gig.token.symbol, payments, moved, held])).toEqual([
      [1, 'USDC', 2, 300_000n, 750_000n],
      [2, 'ETH', 1, ETHER / 4n, (ETHER * 3n) / 4n],
      [4, 'USDC', 1, 7n, 999_993n],
    ]);
    expect(rebuilt[0]?.gig).toMatchObject({ feeAmount: 50_000n, rewardAmount: 1_000_000n, status: 'live' });
    for (const { gig } of rebuilt) expect(gig.walletAddress).toBe(wallets.gigAddress(gig.id));
    // What was paid can be awarded to nobody else.
    expect((await cashier.store.gig(1))?.awardedAmount).toBe(250_000n);
    const paid = (await cashier.payments('payout')).map(({ gigId, recipient, amount }) => [gigId, recipient, amount]);
    expect(paid).toEqual([
      [1, alice, 250_000n],
      [2, alice, ETHER / 4n],
      [4, alice, 7n],
    ]);
    const found = await audits.reconcile();
    expect(found.map(({ audit }) => [audit?.problems, audit?.unproved, audit?.notes])).toEqual(
      found.map(() => [[], [], []]),
    );
    expect(found.every(({ frozen }) => frozen?.startsWith('it was rebuilt from its chain') === true)).toBe(true);

    // Bob was not paid. His tip gets a number that nobody was paid under, and waits for the operator.
    const [gig] = rebuilt.map((each) => each.gig);
    await seedTips(cashier.store, gig as Gig, [{ ...BOB, amount: 1_000n }]);
    expect((await pendingTips(cashier, BOB)).map(({ number }) => number)).toEqual([1]);
    const bob = freshAddress();
    await cashier.claim(cashier.post(BOB, `claim my rewards ${bob}`));
    await cashier.look();
    expect(await cashier.held(token, bob)).toBe(0n);
    await unfreezeByHand(cashier, { gigId: 1, actor });
    cashier.advance(10_000);
    await cashier.settle();
    expect([await cashier.held(token, bob), await cashier.held(token, alice)]).toEqual([1_000n, 250_007n]);
    expect((await audits.reconcile()).map(({ audit }) => audit?.problems)).toEqual([[], [], []]);

    // What was paid before the loss stays paid, whoever asks for it.
    for (const numbers of [[0n], [FEE_NUMBER]]) {
      const payment = { token: token.address, to: freshAddress(), amount: 1n, numbers };
      const call = { gigId: 1, wallet: first.walletAddress, payments: [payment] };
      await expect(cashier.payer.simulate(call)).rejects.toThrow('the wallet has paid these numbers before');
    }
    expect(await cashier.held(token, fourth.walletAddress)).toBe(999_993n);
  });

  test('behavior: that have paid nothing yet are found by a token that the operator names', async () => {
    await audits.gig({ asset: token, tips: [{ account: ALICE, amount: 7n }] });
    await loseDatabase();
    expect(await rebuild()).toEqual([]);
    const rebuilt = await rebuild({ tokens: [byToken()] });
    expect(rebuilt).toMatchObject([{ gig: { id: 1, rewardAmount: 1_000_000n }, payments: 0, held: 1_000_000n }]);
    expect((await audits.only()).audit).toMatchObject({ problems: [], unproved: [], notes: [] });
  });

  test('behavior: are looked for until so many wallets in a row are unused', async () => {
    await fundToken(token, wallets.gigAddress(3), 5n);
    await fundToken(token, wallets.gigAddress(230), 5n);
    const tokens = [byToken()];
    expect(idsOf(await rebuild({ tokens, gap: 90 }))).toEqual([3]);
    await loseDatabase();
    expect(idsOf(await rebuild({ tokens, gap: 200 }))).toEqual([3, 230]);
    // Others after it may be lost, too.
    expect(await reserveId()).toBe(2_001);
  });

  test.each([1, 3, 10])('security: are found after %i jumps of the ids', async (jumps) => {
    const ids = [1, ...Array.from({ length: jumps }, (_, jump) => 2_001 + 2_000 * jump)];
    for (const id of ids) await fundNative(wallets.gigAddress(id), 5n);
    expect(idsOf(await rebuild({ gap: 100, steps: 3 }))).toEqual(ids);
    expect(await reserveId()).toBe((ids.at(-1) ?? 0) + 1_999 + 1);
  });

  test('behavior: are looked for up to the id that the operator names, wherever they are', async () => {
    const ids = [1, 730, 1_950];
    for (const id of [...ids, 1_951]) await fundNative(wallets.gigAddress(id), 5n);
    const { gigs, looked } = await rebuildAll({ to: 1_950 });
    expect(idsOf(gigs)).toEqual(ids);
    expect(looked).toEqual({ lookedTo: 1_950, stepsTo: null });
    expect(await reserveId()).toBe(3_001);
  });

  test('behavior: how far was looked is told, where that was not named', async () => {
    await fundNative(wallets.gigAddress(3), 5n);
    expect((await rebuildAll({ gap: 100, steps: 3 })).looked).toEqual({ lookedTo: 200, stepsTo: 3_020 });
  });

  test('behavior: come into a ledger that has others, which stay as they are, and are found by its tokens', async () => {
    const { id } = await audits.gig({ asset: token, tips: [] });
    const kept = await cashier.store.gig(id);
    await fundToken(token, wallets.gigAddress(2), 5n);
    await fundToken(token, wallets.gigAddress(3), 6n);
    const one = await rebuild({ only: 3 });
    expect(one.map(({ gig, held }) => [gig.id, held])).toEqual([[3, 6n]]);
    const all = await rebuild();
    expect(all.map(({ gig, held }) => [gig.id, held])).toEqual([[2, 5n]]);
    expect(await cashier.store.gig(id)).toEqual(kept);
    expect(await rebuild()).toEqual([]);
  });

  test('behavior: are asked for in few questions: two for a hundred wallets, where none was used', async () => {
    const asked = { delegated: 0, balances: 0, marks: 0 };
    const counted = (name: keyof typeof asked) => {
      const answer = cashier.payer[name];
      return {
        [name]: (...args: never[]) => {
          asked[name] += 1;
          return Reflect.apply(answer, cashier.payer, args);
        },
      };
    };
    const counting = { ...cashier.payer, ...counted('delegated'), ...counted('balances'), ...counted('marks') };
    await rebuild({ gap: 500, steps: 20 }, counting);
    // Five times a hundred in a row, and four times the beginnings of five thousands; one more question finds tokens that lie.
    expect(asked).toEqual({ delegated: 9, balances: 10, marks: 0 });
  });

  test.each([
    ['any balance', '0x600160005260206000f3'],
    ['one for some addresses', LYING_AT_TIMES],
  ] as const)('security: cannot be looked for by a token that answers %s', async (_, code) => {
    const address = await placeCode(code, cashier.url);
    const error = `${ANVIL.name} answer a balance for a wallet that was never used`;
    await expect(rebuild({ tokens: [{ chain: ANVIL, address }] })).rejects.toThrow(error);
    expect(await cashier.store.gigs({ phase: 'all', now: 0, limit: 1 })).toEqual([]);
    // That of a client's gig is left out, and the search ends.
    await audits.gig({ asset: { ...token, address }, tips: [] });
    await fundToken(token, wallets.gigAddress(3), 5n);
    const found = await rebuild({ tokens: [byToken()] });
    expect(idsOf(found)).toEqual([3]);
  });

  test('behavior: events before the service began are not asked for', async () => {
    const gig = await audits.gig({ asset: token, tips: [{ account: ALICE, amount: 7n }] });
    const { timestamp, number } = await anvilClients().public.getBlock({ blockTag: 'latest' });
    await claimFor();
    await loseDatabase();
    const asked: bigint[] = [];
    const payer = await behind(({ method, params }) => {
      if (method === 'eth_getLogs') asked.push(BigInt((params as [{ fromBlock: string }])[0].fromBlock));
      return undefined;
    });
    expect(await rebuild({ since: Number(timestamp) * 1000 }, payer)).toMatchObject([{ gig: { id: gig.id } }]);
    expect(asked).toHaveLength(1);
    expect(asked[0]).toBeLessThanOrEqual(number);
    expect(asked[0]).toBeGreaterThan(0n);
  });
});

describe('a gig of a lost database that has paid nothing', () => {
  const reward = ETHER / 2n;
  const held = (gigs: readonly RebuiltGig[]) => gigs.map((each) => [each.gig.token.symbol, each.held, each.notes]);
  beforeEach(async () => {
    const { walletAddress } = await audits.gig({ asset: 'native', reward, tips: [] });
    await fundToken(token, walletAddress, 1n);
    await loseDatabase();
  });

  test('security: is taken for one in what it holds most of, in whole tokens, and the choice is told', async () => {
    const [found, ...more] = held(await rebuild({ tokens: [byToken()] }));
    const note =
      'its wallet holds 0.5 ETH on Anvil, and also 0.000001 USDC on Anvil: the first is taken for its token. If that is wrong, rebuild into an empty database with --gig-token 1:chain:address';
    expect([found, more]).toEqual([['ETH', reward, [note]], []]);
  });

  test('behavior: is one in the token that the operator names', async () => {
    expect(held(await rebuild({ gigTokens: new Map([[1, byToken()]]) }))).toEqual([['USDC', 1n, []]]);
    await loseDatabase();
    const native = new Map([[1, { chain: ANVIL, address: NATIVE_TOKEN_ADDRESS }]]);
    expect(held(await rebuild({ tokens: [byToken()], gigTokens: native }))).toEqual([['ETH', reward, []]]);
  });

  test('error: cannot be one in a token that it does not hold', async () => {
    const gigTokens = new Map([[1, { chain: ANVIL, address: freshAddress() }]]);
    await expect(rebuild({ gigTokens })).rejects.toThrow('The wallet of gig 1 has paid in another token than 0x');
  });
});

describe('a gig of a lost database that has paid', () => {
  test('security: is in the token that it has paid, whatever else it holds', async () => {
    const tips = [{ account: ALICE, amount: 7n }];
    const { walletAddress } = await audits.gig({ asset: token, tips });
    await claimFor();
    await fundNative(walletAddress, ETHER);
    await loseDatabase();
    const [found] = await rebuild({ tokens: [byToken()] });
    expect(found).toMatchObject({ gig: { token: { symbol: 'USDC' } }, held: 999_993n, notes: [] });
  });

  test.each([
    ['reverts', REVERTING],
    ['answers nothing', SILENT],
  ])('security: in a token that %s by now is left out and told, and the others come back', async (_how, bytecode) => {
    const odd = await deployToken({ decimals: 6, symbol: 'ODD' });
    const tips = [{ account: ALICE, amount: 7n }];
    const left = await audits.gig({ asset: odd, tips });
    const good = await audits.gig({ asset: token, tips });
    await claimFor();
    await loseDatabase();
    await anvilClients().test.setCode({ address: odd.address, bytecode });
    const { gigs, leftOut } = await rebuildAll();
    expect(idsOf(gigs)).toEqual([good.id]);
    const reason = `its token ${checksummed(odd.address)} does not answer with its name, symbol and decimals`;
    expect(leftOut).toEqual([{ gigId: left.id, wallet: left.walletAddress, chain: ANVIL, reason }]);
  });

  test('security: by numbers of the service is left out and told where the endpoint has lost its events', async () => {
    const left = await payTwo();
    const good = await audits.gig({ asset: token, tips: [] });
    await loseDatabase();
    const payer = await behind(({ method }) =>
      method === 'eth_getLogs' ? Promise.resolve({ result: [] }) : undefined,
    );
    const { gigs, leftOut } = await rebuildAll({ tokens: [byToken()] }, payer);
    expect(idsOf(gigs)).toEqual([good.id]);
    expect(leftOut).toMatchObject([{ gigId: left.id, reason: expect.stringContaining('has no event of a payment') }]);
  });

  test('security: since when is told to be not proved where the endpoint keeps no old states', async () => {
    const { timestamp } = await anvilClients().public.getBlock({ blockTag: 'latest' });
    const gig = await payTwo();
    await loseDatabase();
    const { latest } = await cashier.payer.head();
    const payer = await behind(({ method, params }) => {
      if (method !== 'eth_getCode' || BigInt((params as [string, string])[1]) >= latest.number) return undefined;
      return Promise.resolve({ error: { code: -32000, message: 'missing trie node' } });
    });
    const { gigs, leftOut, unproved } = await rebuildAll({ since: Number(timestamp) * 1000 }, payer);
    expect([idsOf(gigs), leftOut, unproved]).toEqual([[gig.id], [], [ANVIL]]);
  });
});

describe('nothing is rebuilt', () => {
  test('error: of a gig that the database has', async () => {
    const { id } = await seedGig(cashier.store, { walletAddress: wallets.gigAddress });
    await expect(rebuild({ only: id })).rejects.toThrow('Gig 1 is in the database already.');
  });

  test('security: while an event is missing, because its number and amount would be guessed', async () => {
    await audits.gig({ asset: token, tips: [{ account: ALICE, amount: 7n }] });
    await claimFor();
    await loseDatabase();
    await cashier.node.mine({ blocks: 1 });
    const since = 4_000_000_000_000;
    await expect(rebuild({ since })).rejects.toThrow('The wallet of gig 1 has paid the numbers 0 on Anvil');
    expect(await cashier.store.gigs({ phase: 'all', now: 0, limit: 1 })).toEqual([]);
  });

  test('security: while a wallet may have paid before the events that are asked for', async () => {
    await payTwo();
    await loseDatabase();
    await cashier.node.mine({ blocks: 1 });
    const tokens = [byToken()];
    await expect(rebuild({ since: 4_000_000_000_000, tokens })).rejects.toThrow('gig 1 may have paid before block');
    expect(await cashier.store.gigs({ phase: 'all', now: 0, limit: 1 })).toEqual([]);
  });

  test('security: while some of a wallet’s events are missing, by the marks next to those that are there', async () => {
    await payTwo();
    await loseDatabase();
    const payer = await behind(async ({ method, forward }) => {
      if (method !== 'eth_getLogs') return undefined;
      const answer = await forward();
      return 'result' in answer && Array.isArray(answer.result) ? { result: answer.result.slice(1) } : answer;
    });
    await expect(rebuild({}, payer)).rejects.toThrow('The wallet of gig 1 has paid the numbers');
  });

  test('error: while a chain does not answer', async () => {
    const { payer } = createPayer({ url: 'http://127.0.0.1:1', wallets, retries: 0 });
    await expect(rebuild({}, payer)).rejects.toMatchObject({ name: 'AdapterError', reason: 'unreachable' });
  });
});
