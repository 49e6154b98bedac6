import { afterEach, beforeEach, expect, inject, test } from 'vitest';
import { NATIVE_TOKEN_ADDRESS } from '../../../src/domain/gigs/token.ts';
import type { SocialPlatform } from '../../../src/domain/mentions/mention.ts';
import { createGasTank } from '../../../src/services/payments/gas-tank.ts';
import { keepLog } from '../../services/fakes.ts';
import { deployToken, freshAddress, type TestToken } from '../../support/anvil.ts';
import { ANVIL, createPayer } from '../../support/payer.ts';
import { seedTips } from '../../support/store.ts';
import { seedLocalGig } from '../service.ts';
import { setTill, till } from '../till.ts';
import { type Answered, browserOf, hidden, walletOn } from './browser.ts';

const ALICE = {
  fid: '1001',
  address: '0x70997970c51812dc3a010c7d01b50e0d17dc79c8',
  path: '/my/rewards/farcaster/1001',
} as const;
const MINUTE = 60_000;

let token: TestToken;
beforeEach(async () => {
  token = await deployToken({ decimals: 6, symbol: 'USDC' });
});
afterEach(() => till.close());

const alice = () => browserOf(till.service, `farcaster:${ALICE.fid}`);

/** What the form of a page would send. */
function formOf(page: Answered) {
  return { token: hidden(page, 'token'), key: hidden(page, 'key') };
}

test('security: a look at the page asks the platform seldom, and a claim asks it anew', async () => {
  let asked = 0;
  const wrapPlatform = (platform: SocialPlatform): SocialPlatform => ({
    ...platform,
    payoutAddresses: (id) => {
      asked += 1;
      return platform.payoutAddresses(id);
    },
  });
  await setTill({ signIn: walletOn(inject('anvilUrl')), wrapPlatform });
  await till.gig(token, [{ fid: ALICE.fid, amount: 5n }]);
  const [browser, other] = [await alice(), await alice()];
  const look = () => Promise.all([browser, other, browser].map((each) => each.get('/my/rewards')));
  const asksFor = async (verified: readonly string[], passes: number) => {
    till.farcaster.addUser({ id: ALICE.fid, username: 'alice', verifiedAddresses: [...verified] });
    till.service.time.now += passes;
    const before = asked;
    const [page] = await look();
    await look();
    return [asked - before, /name="recipient" value="([^"]*)"/.exec(page?.text ?? '')?.[1] ?? null];
  };
  const moved = freshAddress();
  expect(await asksFor([ALICE.address], 0)).toEqual([1, ALICE.address]);
  expect(await asksFor([moved], 9 * MINUTE)).toEqual([0, ALICE.address]);
  const form = formOf(await browser.get('/my/rewards'));
  const refused = await browser.post(ALICE.path, { ...form, recipient: ALICE.address });
  expect([refused.status, hidden(refused, 'recipient')]).toEqual([409, moved]);
  expect(await asksFor([], 9 * MINUTE)).toEqual([0, moved]);
  // A new address is looked for sooner where there was none.
  expect(await asksFor([], MINUTE + 1)).toEqual([1, null]);
  expect(await asksFor([moved], MINUTE + 1)).toEqual([1, moved]);
  const paid = await browser.post(ALICE.path, { ...formOf(await browser.get(ALICE.path)), recipient: moved });
  expect([paid.status, (await till.service.store.claims({ limit: 1 }))[0]?.recipient]).toEqual([303, moved]);
});

test('behavior: what is worth less than the gas of its payments is named beside the button, where its worth is known', async () => {
  const { payer, tank } = createPayer();
  const gasTank = createGasTank({ address: tank, chains: [ANVIL], payers: { payer: () => payer }, log: keepLog().log });
  await setTill({ signIn: walletOn(inject('anvilUrl')), gasTank });
  const ether = { address: NATIVE_TOKEN_ADDRESS, decimals: 18, symbol: 'ETH', name: 'Ether', isNative: true };
  const gig = await seedLocalGig(till.service.store, ether, { live: true });
  const award = (amount: bigint) =>
    seedTips(till.service.store, gig, [{ platform: 'farcaster', platformUserId: ALICE.fid, amount }]);
  await award(1_000n);
  await till.gig(token, [{ fid: ALICE.fid, amount: 1n }]);
  const browser = await alice();
  const shown = async () => /<p id="dust"[\s\S]*?<\/p>/.exec((await browser.get('/my/rewards')).text)?.[0] ?? null;
  expect(await shown()).toBeNull();
  await gasTank.look();
  expect(await shown()).toContain('0.000000000000001 <bdi>ETH</bdi>');
  expect(await shown()).not.toContain('USDC');
  await award(10n ** 16n);
  expect(await shown()).toBeNull();
});
