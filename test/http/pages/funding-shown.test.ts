import { afterEach, expect, test } from 'vitest';
import { checksummed, NATIVE_TOKEN_ADDRESS } from '../../../src/domain/gigs/token.ts';
import { deployToken, fundNative, fundToken, type TestToken } from '../../support/anvil.ts';
import { type ServiceOptions, seedLocalGig, service, setUp } from '../service.ts';
import { readQrCode } from './read-qr.ts';
import { open, openPages } from './scene.ts';

let token: TestToken;
afterEach(() => service.close());

/** A gig for 100 USDC and a fee of 5 whose wallet holds so many millionths. */
async function openHolding(held: bigint, terms = {}, options: ServiceOptions = {}): Promise<void> {
  await setUp(() => openPages(options));
  token = await deployToken({ symbol: 'USDC', decimals: 6 });
  const { walletAddress } = await seedLocalGig(service.store, token, terms);
  await fundToken(token, walletAddress, held);
}

const look = () => open(service, '/gigs/1');
const ASKING = [
  'id="missing"',
  'id="wallet"',
  'data-copies="missing"',
  'QR code',
  'ethereum:',
  '<dt>Send</dt>',
  '<dt>To</dt>',
];

async function expectNothingAsked(): Promise<void> {
  const { page } = await look();
  for (const part of ASKING) expect([part, page.includes(part)]).toEqual([part, false]);
}

test('behavior: only a wallet that lacks something is shown with where to send it, and how much is still missing', async () => {
  await openHolding(104_999_999n);
  const { page, text } = await look();
  for (const part of ASKING) expect([part, page.includes(part)]).toEqual([part, true]);
  expect(page).toContain('<code id="missing">0.000001</code>');
  expect(text).toContain(
    'Expected 105 USDC (100 USDC reward, 5 USDC fee) In the wallet 104.999999 USDC Send 0.000001 USDC',
  );
  await fundToken(token, (await service.store.gig(1))?.walletAddress ?? '0x', 1n);
  service.time.now += 3_000;
  expect((await look()).text).toContain('holds exactly what the gig needs: it can be started.');
  expect((await look()).page).toContain('<code id="start-text">@gigclaim start gig 1</code>');
  await expectNothingAsked();
});

/** The request to wallets, as the page's link has it. */
function linked(page: string): string | undefined {
  return /<a href="(ethereum:[^"]*)">Pay with a wallet<\/a>/.exec(page)?.[1]?.replaceAll('&amp;', '&');
}

test('behavior: wallets read what is missing, with its token and chain, from a link and from the QR code', async () => {
  await openHolding(104_999_958n);
  const { page } = await look();
  const wallet = checksummed((await service.store.gig(1))?.walletAddress ?? '0x');
  const uri = `ethereum:${checksummed(token.address)}@31337/transfer?address=${wallet}&uint256=42`;
  expect(linked(page)).toBe(uri);
  expect(readQrCode(page)).toBe(uri);
});

test('behavior: of a native asset they read its amount in wei', async () => {
  await setUp(openPages);
  const ether = { address: NATIVE_TOKEN_ADDRESS, decimals: 18, symbol: 'ETH', name: 'Ether', isNative: true };
  const { walletAddress } = await seedLocalGig(service.store, ether);
  await fundNative(walletAddress, 10n ** 18n);
  const { page } = await look();
  const uri = `ethereum:${checksummed(walletAddress)}@31337?value=104000000000000000000`;
  expect(linked(page)).toBe(uri);
  expect(readQrCode(page)).toBe(uri);
});

test('behavior: a wallet that holds too much is shown with the reward that needs it all, which is so', async () => {
  await openHolding(106_000_001n);
  const { text } = await look();
  expect(text).toContain(
    'The wallet holds 1.000001 USDC too much. The gig can be started when its reward is raised to',
  );
  // Its fee of 5 in a hundred is 5.0476191, which rounds down to 5.047619.
  expect(text).toContain('raised to 100.952382 USDC : PATCH /api/gigs/1 with {"amount":"100.952382"} .');
  await expectNothingAsked();
  expect((await service.send('PATCH', '/api/gigs/1', { amount: '100.952382' })).status).toBe(200);
  expect((await look()).text).toContain('holds exactly what the gig needs: it can be started.');
  expect((await service.start(1)).status).toBe(200);
});

test('behavior: an owner of the console, who has no key, is sent to no call of the API', async () => {
  await openHolding(106_000_001n, { client: 'owner:farcaster:1003' });
  const { text } = await look();
  expect(text).toContain('raised to 100.952382 USDC : its owner does that in the console.');
  expect(text).not.toContain('PATCH');
});

test('behavior: no reward is named when rounding leaves none that needs exactly what is held', async () => {
  // 100.000019 needs 105.000019, and a millionth more needs 105.000021.
  await openHolding(105_000_020n);
  expect((await look()).text).toContain('The wallet holds 0.00002 USDC too much. Expected');
  await expectNothingAsked();
});

test('behavior: no change is named that would be refused', async () => {
  const onX = { platform: 'twitter' };
  await openHolding(106_000_001n, onX, { config: { earningOnX: false } });
  expect((await look()).text).toContain('The wallet holds 1.000001 USDC too much. Expected');
  expect((await service.send('PATCH', '/api/gigs/1', { amount: '100.952382' })).status).toBe(400);
});

test('behavior: a reward that would not rise, because the fee has risen since, is not called a raise', async () => {
  await openHolding(106_000_000n, {}, { config: { platformFeeBps: 1_000 } });
  // 96.363637 and a tenth of it, rounded down to 9.636363.
  expect((await look()).text).toContain('when its reward is set to 96.363637 USDC');
});

test('behavior: nothing is asked for while nobody knows what the wallet holds', async () => {
  await setUp(() => openPages({ rpcUrl: 'http://127.0.0.1:9' }));
  const local = { address: '0x0000000000000000000000000000000000000007', decimals: 6 } as const;
  await seedLocalGig(service.store, { ...local, symbol: 'USDC', name: 'USD Coin' });
  expect((await look()).text).toContain('In the wallet could not be read just now; reload the page to try again');
  await expectNothingAsked();
});
