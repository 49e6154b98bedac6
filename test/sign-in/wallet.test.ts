import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { beforeEach, describe, expect, test } from 'vitest';
import type { SignInMessage } from '../../src/domain/owners/sign-in.ts';
import { siteOf } from '../../src/sign-in/site.ts';
import { type ClaimedSignature, createWalletSignIn } from '../../src/sign-in/wallet.ts';

const NOW = Date.UTC(2026, 0, 1);
const MINUTE = 60_000;
const key = privateKeyToAccount(generatePrivateKey());
const stranger = privateKeyToAccount(generatePrivateKey());

let confirms: boolean;
let asked: { readonly chainId: number; readonly signed: ClaimedSignature }[];
beforeEach(() => {
  confirms = false;
  asked = [];
});

const signIn = createWalletSignIn({
  site: siteOf('https://gigs.example'),
  ask: async (chainId, signed) => {
    asked.push({ chainId, signed });
    return confirms;
  },
});
const of: SignInMessage = {
  address: key.address.toLowerCase() as `0x${string}`,
  chainId: 8453,
  nonce: 'abcdefgh12345678',
  issuedAt: NOW,
  expiresAt: NOW + 10 * MINUTE,
};
const signed = async (message: string, by = key) => ({ message, signature: await by.signMessage({ message }) });

describe('signing in with a wallet', () => {
  test('behavior: the message names the site, the chain, the nonce and its times', async () => {
    expect(await signIn.message(of)).toBe(
      [
        'gigs.example wants you to sign in with your Ethereum account:',
        key.address,
        '',
        'Sign in to gigclaim. This costs nothing and moves nothing.',
        '',
        'URI: https://gigs.example/my/sign-in',
        'Version: 1',
        'Chain ID: 8453',
        'Nonce: abcdefgh12345678',
        'Issued At: 2026-01-01T00:00:00.000Z',
        'Expiration Time: 2026-01-01T00:10:00.000Z',
      ].join('\n'),
    );
  });

  test('behavior: a key signs by itself, and no chain is asked', async () => {
    const answer = await signed(await signIn.message(of));
    expect(await signIn.verify(answer, of, NOW)).toBe('key');
    expect(await signIn.verify({ ...answer, signature: answer.signature.slice(2) }, of, NOW)).toBe('key');
    expect(asked).toEqual([]);
  });

  test('security: a message that has expired is signed by nobody', async () => {
    const answer = await signed(await signIn.message(of));
    expect(await signIn.verify(answer, of, NOW + 10 * MINUTE - 1)).toBe('key');
    expect(await signIn.verify(answer, of, NOW + 10 * MINUTE)).toBeNull();
    expect(asked).toEqual([]);
  });

  test('security: another message, nonce or site is signed by nobody, and no chain is asked', async () => {
    const message = await signIn.message(of);
    for (const other of [
      `${message} `,
      await signIn.message({ ...of, nonce: 'abcdefgh12345679' }),
      await signIn.message({ ...of, chainId: 1 }),
      message.replaceAll('gigs.example', 'evil.example'),
    ])
      expect(await signIn.verify(await signed(other), of, NOW)).toBeNull();
    expect(await signIn.verify({ message, signature: 'none' }, of, NOW)).toBeNull();
    expect(asked).toEqual([]);
  });

  test.each([
    [true, 'contract'],
    [false, null],
  ])('security: what no key of the address signed counts when its chain confirms it (%s)', async (answer, who) => {
    confirms = answer;
    const { message, signature } = await signed(await signIn.message(of), stranger);
    expect(await signIn.verify({ message, signature }, of, NOW)).toBe(who);
    expect(await signIn.verify({ message, signature: '0xab' }, of, NOW)).toBe(who);
    const { address, nonce } = of;
    const claimed = { message, address, domain: 'gigs.example', nonce, time: new Date(NOW) };
    expect(asked).toEqual([
      { chainId: 8453, signed: { ...claimed, signature } },
      { chainId: 8453, signed: { ...claimed, signature: '0xab' } },
    ]);
  });
});
