import { generateMnemonic } from '@scure/bip39';
import { wordlist } from '@scure/bip39/wordlists/english.js';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { type AnvilProcess, startAnvil } from '../../sandbox/anvil.ts';
import { placeRegistries } from '../../sandbox/owners/registries.ts';
import { person } from '../../sandbox/people.ts';
import { createWallets } from '../../src/chain/wallets.ts';
import { castOf, MEDIA_TYPE, readCard, targetOf, textsOf } from '../http/pages/snap/shapes.ts';
import { CROWD_ACCOUNT } from '../services/earning/crowd.ts';
import { HOUR, openGig } from '../services/earning/gigs.ts';
import { HELD, holdRule } from '../services/earning/holders.ts';
import { anvilClients, deployToken, fundNative, fundToken } from '../support/anvil.ts';
import { seedGig, seedTips } from '../support/store.ts';
import { createAppKey, signTap } from '../support/taps.ts';
import { openWorld, type World } from '../support/world.ts';
import { answerTo, seedUsdc } from './posts.ts';

const ALICE = person('alice');
const UNIT = 1_000_000n;
const app = createAppKey();
let anvil: AnvilProcess;
let world: World;

beforeAll(async () => {
  anvil = await startAnvil({ chainId: 10 });
  await (await placeRegistries(anvil.url)).addKey(app.key, ALICE.fid);
});
afterAll(() => anvil.stop());
beforeEach(async () => {
  const mnemonic = generateMnemonic(wordlist);
  world = await openWorld({
    env: { SNAPS: 'true', RPC_URL_10: anvil.url, RATE_LIMIT_PER_MINUTE: '100000', GIG_WALLET_MNEMONIC: mnemonic },
  });
  await fundNative(createWallets(mnemonic).gasTankAddress(), 10n ** 18n);
});
afterEach(() => world.close());

test('behavior: a reply shows a card, and a tap on it is paid by the running service', async () => {
  const token = await deployToken({ decimals: 6, symbol: 'USDC' });
  const { store } = world.runtime;
  const { tokenId } = await seedUsdc(store, token);
  const walletAddress = createWallets(world.config.gigWalletMnemonic ?? '').gigAddress;
  const terms = { tokenId, rewardAmount: 100n * UNIT, feeAmount: 0n, startTime: Date.now() - 60_000, live: true };
  const gig = await seedGig(store, { ...terms, walletAddress });
  await fundToken(token, gig.walletAddress, 100n * UNIT);
  await seedTips(store, gig, [{ platform: 'farcaster', platformUserId: String(ALICE.fid), amount: 2n * UNIT }]);

  await answerTo(world.farcaster, world.farcaster.post({ author: 'alice', text: `@gigclaim gig ${gig.id}` }));
  await answerTo(world.farcaster, world.farcaster.post({ author: 'alice', text: '@gigclaim claims' }));
  const shown = world.farcaster.posts().flatMap(({ embeds = [] }) => embeds);
  expect(shown).toEqual([`${world.url}/gigs/${gig.id}`, `${world.url}/claim/farcaster/${ALICE.fid}`]);

  const first = await fetch(shown[0] ?? '', { headers: { accept: MEDIA_TYPE } });
  const card = readCard(await first.text());
  const tap = (target: string) =>
    fetch(target, { method: 'POST', body: signTap(app, { fid: ALICE.fid, audience: world.url, at: Date.now() }) });
  const claimed = readCard(await (await tap(targetOf(card, 'Claim'))).text());
  expect(['Paid', 'On its way']).toContain(textsOf(claimed)[0]);
  await expect
    .poll(async () => textsOf(readCard(await (await tap(`${world.url}/tap`)).text())))
    .toContain('Paid: 2 USDC');
  const data = `0x70a08231${ALICE.address.slice(2).toLowerCase().padStart(64, '0')}` as const;
  expect(BigInt((await anvilClients().public.call({ to: token.address, data })).data ?? '0x0')).toBe(2n * UNIT);
});

test('behavior: the button of a gig for holders begins the cast that enters, and no signed tap enters', async () => {
  const { store } = world.runtime;
  const { tokenId } = await seedUsdc(store);
  const terms = { gigType: 'hold', target: CROWD_ACCOUNT, rule: holdRule(), holdMs: 2 * HOUR, tokenId } as const;
  const { id } = await openGig(store, { ...terms, startTime: Date.now() - 60_000 });
  const url = `${world.url}/gigs/${id}`;
  const shown = await fetch(url, { headers: { accept: MEDIA_TYPE } });
  const card = readCard(await shown.text());
  const account = { platform: 'farcaster', platformUserId: String(ALICE.fid) } as const;
  for (const label of ['What have I earned?', 'Claim']) {
    const body = signTap(app, { fid: ALICE.fid, audience: world.url, at: Date.now() });
    readCard(await (await fetch(targetOf(card, label), { method: 'POST', body })).text());
  }
  expect(await store.entry(id, account)).toBeNull();

  const { text, embeds } = castOf(card, 'Join');
  const cast = { author: 'alice', text, embeds: [...embeds] };
  const told = `You entered gig ${id}. Hold 100 ${HELD.symbol} now and for 1 hour.`;
  expect(await answerTo(world.farcaster, world.farcaster.post(cast))).toContain(told);
  expect(await store.entry(id, account)).not.toBeNull();
  // Who casts again is told how it stands, and enters once.
  expect(await answerTo(world.farcaster, world.farcaster.post(cast))).toContain(`You entered gig ${id} before.`);
  expect(await store.earnings({ gigId: id, limit: 9 })).toHaveLength(1);
});
