import { generateMnemonic } from '@scure/bip39';
import { wordlist } from '@scure/bip39/wordlists/english.js';
import { expect } from 'vitest';
import { createWallets } from '../../src/chain/wallets.ts';
import type { Address } from '../../src/domain/gigs/token.ts';
import { deployToken, freshAddress, fundNative, fundToken } from './anvil.ts';
import { createApiClient, newApiKey } from './clients.ts';
import { openWorld } from './world.ts';

const UNIT = 1_000_000n;

/** A gig as its creation answers it. */
export interface MadeGig {
  readonly gig_id: number;
  readonly gig_wallet_address: Address;
}

/**
 * A service on a chain whose gas tank is filled, and a client of it with a key, a token of six decimals and an address for
 * refunds. `ahead` moves the service's time on, in milliseconds.
 */
export async function openGigClient() {
  const time = { ahead: 0 };
  const mnemonic = generateMnemonic(wordlist);
  const world = await openWorld({
    env: { GIG_WALLET_MNEMONIC: mnemonic, TREASURY_ADDRESS: freshAddress(), RATE_LIMIT_PER_MINUTE: '10000' },
    clock: () => Date.now() + time.ahead,
  });
  await fundNative(createWallets(mnemonic).gasTankAddress(), 10n ** 18n);
  const token = await deployToken({ decimals: 6, symbol: 'USDC' });
  const refundTo = freshAddress();
  const scopes = ['gigs:write', 'tips:write', 'gigs:read'] as const;
  const key = await newApiKey(world.runtime.store, { name: 'shop', scopes });
  const call = createApiClient(() => world.url, key);

  /** A manual gig for 100 USDC and a fee of 5, of which alice is an owner. */
  async function create(terms: object = {}): Promise<MadeGig> {
    const { status, body } = await call<MadeGig>('POST', '/api/gigs/create', {
      chain: 'anvil',
      token_address: token.address,
      amount: 100,
      start_time: new Date(Date.now() - 1_000).toISOString(),
      duration: '1day',
      gig_type: 'like',
      url: 'https://farcaster.xyz/alice/0x947a76f1',
      earning_criteria: 'The jury decides.',
      refund_address: refundTo,
      owners: [{ platform: 'farcaster', platform_user_id: '1001' }],
      ...terms,
    });
    expect(status, JSON.stringify(body)).toBe(201);
    return body;
  }

  async function startFunded(terms: object = {}): Promise<MadeGig> {
    const made = await create(terms);
    await fundToken(token, made.gig_wallet_address, 105n * UNIT);
    expect((await call('POST', '/api/gigs/start', { gig_id: made.gig_id })).status).toBe(200);
    return made;
  }

  const award = (gigId: number, id: string, value: number) =>
    call<{ error: string }>('POST', `/api/gigs/${gigId}/tips`, {
      tips: [{ platform: 'farcaster', platform_user_id: id, value }],
    });

  return { world, time, token, refundTo, call, create, startFunded, award, close: world.close };
}

export type GigClient = Awaited<ReturnType<typeof openGigClient>>;
