import { NATIVE_TOKEN_ADDRESS } from '../../../src/domain/gigs/token.ts';
import { deployToken, fundToken, type TestToken } from '../../support/anvil.ts';
import { sampleClaim, seedClaim, seedConfirmed, seedGig, seedHash, seedTips, seedToken } from '../../support/store.ts';
import { bothPlatforms } from '../platforms.ts';
import { label, NOW, openService, type Service, type ServiceOptions, seedLocalGig } from '../service.ts';

export const ALICE = { platform: 'farcaster', platformUserId: '1001' } as const;
export const BOB_ON_X = { platform: 'twitter', platformUserId: '2002' } as const;

const HOUR = 3_600_000;
const DEGEN = 10n ** 18n;

/** A service with both platforms, reached at `https://gigclaim.test`. */
export async function openPages(options: ServiceOptions = {}): Promise<Service> {
  const config = { publicUrl: 'https://gigclaim.test', ...options.config };
  return await openService({ platforms: await bothPlatforms(), ...options, config });
}

/**
 * Three gigs: 1 is not started, needs 105 TEST on the local chain and holds 60; 2 is live on Base with 100 DEGEN, 3 with
 * 100 ETH. Alice (FID 1001) was paid 12 DEGEN ten minutes ago, and can claim 7.5 DEGEN of two tips and a little ETH of
 * one; bob (X id 2002) can claim 5 DEGEN. `token` is TEST.
 */
export async function openScene(options: ServiceOptions = {}): Promise<Service & { token: TestToken }> {
  const service = await openPages(options);
  const { store } = service;
  const local = await deployToken({ symbol: 'TEST', decimals: 18 });
  const created = await seedLocalGig(store, local);
  await fundToken(local, created.walletAddress, 60n * DEGEN);
  const window = { live: true, startTime: NOW - HOUR };
  const live = await seedGig(store, { ...window, howToEarn: 'Say something kind.\nTag a friend.' });
  const ether = { symbol: 'ETH', name: 'Ether', address: NATIVE_TOKEN_ADDRESS, isNative: true };
  const { id: tokenId } = await seedToken(store, ether);
  const native = await seedGig(store, { ...window, tokenId });
  await label(store, 'farcaster', '1001', 'alice');
  await label(store, 'twitter', '2002', 'Bob');
  await seedTips(store, live, [{ ...ALICE, amount: 12n * DEGEN }]);
  await seedClaim(store, sampleClaim(ALICE, 'paid before'));
  await seedConfirmed(store, 1, { hash: seedHash(1), now: NOW - 600_000 });
  await seedTips(store, live, [
    { ...ALICE, amount: 7n * DEGEN },
    { ...ALICE, amount: DEGEN / 2n },
    { ...BOB_ON_X, amount: 5n * DEGEN },
  ]);
  await seedTips(store, native, [{ ...ALICE, amount: 123_456_789_012_345_678n }]);
  return { ...service, token: local };
}

/** What a person reads of a page: its text, with single spaces, without its head. */
export function textOf(page: string): string {
  const body = page.slice(page.indexOf('<main'), page.indexOf('</main>'));
  const named: Record<string, string> = { lt: '<', gt: '>', quot: '"', amp: '&', '#39': "'" };
  return (
    body
      // Within a line, so they part no words.
      .replace(/<\/?bdi>|<span class="number">/g, '')
      .replace(/<[^>]*>/g, ' ')
      .replace(/&(lt|gt|quot|amp|#39);/g, (whole, name: string) => named[name] ?? whole)
      .replace(/\s+/g, ' ')
      .trim()
  );
}

/** The page at a path, its text, and its answer. */
export async function open({ app }: Pick<Service, 'app'>, path: string, init?: RequestInit) {
  const response = await app.request(path, init);
  const page = await response.text();
  return { response, status: response.status, page, text: textOf(page) };
}
