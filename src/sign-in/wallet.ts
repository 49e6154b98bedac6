import type { Hex } from 'viem';
import { readSignature, type SignInAnswer, type SignInMessage, type WalletSignIn } from '../domain/owners/sign-in.ts';
import type { SignInSite } from './site.ts';

/** A message of EIP-4361 with its signature, and what it must say. */
export interface ClaimedSignature {
  readonly message: string;
  readonly signature: Hex;
  readonly address: `0x${string}`;
  readonly domain: string;
  readonly nonce: string;
  readonly time: Date;
}

/**
 * Whether a chain confirms a signature, as the contract at the address does.
 * @throws AdapterError when the chain does not answer
 */
export type AskChain = (chainId: number, signed: ClaimedSignature) => Promise<boolean>;

async function signerOf({ message, signature }: ClaimedSignature): Promise<string | null> {
  const { recoverMessageAddress } = await import('viem/utils');
  try {
    return (await recoverMessageAddress({ message, signature })).toLowerCase();
  } catch {
    // No key makes such a signature; a contract may take it.
    return null;
  }
}

/** A key's signature is the same on every chain, so none is asked. */
async function confirmsAlone(signed: ClaimedSignature): Promise<boolean> {
  const [{ createClient, custom }, { verifySiweMessage }] = await Promise.all([import('viem'), import('viem/siwe')]);
  const request = () => Promise.reject(new TypeError('a key’s signature was to be checked on a chain'));
  const client = createClient({ transport: custom({ request }, { retryCount: 0 }), ccipRead: false });
  return await verifySiweMessage(client, { ...signed });
}

/** Signing in with a wallet at this site. */
export function createWalletSignIn({ site, ask }: { site: SignInSite; ask: AskChain }): WalletSignIn {
  const { domain, uri, name } = site;

  async function message({ address, chainId, nonce, issuedAt, expiresAt }: SignInMessage): Promise<string> {
    const { createSiweMessage } = await import('viem/siwe');
    return createSiweMessage({
      address,
      chainId,
      domain,
      uri,
      nonce,
      version: '1',
      statement: `Sign in to ${name}. This costs nothing and moves nothing.`,
      issuedAt: new Date(issuedAt),
      expirationTime: new Date(expiresAt),
    });
  }

  return {
    message,
    async verify(signed: SignInAnswer, of: SignInMessage, now: number) {
      const signature = readSignature(signed.signature);
      if (signature === null || signed.message !== (await message(of))) return null;
      const { address, nonce } = of;
      const claimed = { message: signed.message, signature, address, domain, nonce, time: new Date(now) };
      if ((await signerOf(claimed)) === address) return (await confirmsAlone(claimed)) ? 'key' : null;
      return (await ask(of.chainId, claimed)) ? 'contract' : null;
    },
  };
}
