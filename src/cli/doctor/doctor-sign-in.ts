import type { Config } from '../../config.ts';
import { AdapterError, faultText } from '../../domain/errors.ts';
import { createFarcasterSignIn } from '../../sign-in/farcaster.ts';
import { siteOf } from '../../sign-in/site.ts';
import type { Check } from './doctor-checks.ts';

async function ask(
  name: string,
  question: () => Promise<void>,
  told: { detail: string; remedy: string },
): Promise<Check> {
  try {
    await question();
    return { name, ok: true, detail: told.detail, remedy: '' };
  } catch (error) {
    if (!(error instanceof AdapterError)) throw error;
    return { name, ok: false, detail: `No owner can sign in with Farcaster: ${faultText(error)}`, remedy: told.remedy };
  }
}

/** Whether what owners sign in with answers, for each way that is on. */
export async function checkSignIn({
  signIn,
  publicUrl,
  farcasterRelayUrl,
  farcasterRpcUrls,
}: Config): Promise<Check[]> {
  const wallet: Check = { name: 'sign in wallet', ok: true, detail: 'Owners can sign in with a wallet', remedy: '' };
  const wallets = signIn.includes('wallet') ? [wallet] : [];
  if (!signIn.includes('farcaster')) return wallets;
  const way = createFarcasterSignIn({
    site: siteOf(publicUrl),
    relayUrl: farcasterRelayUrl,
    rpcUrls: farcasterRpcUrls,
  });
  return [
    await ask('sign in relay', way.askRelay, {
      detail: 'The Farcaster relay answers',
      remedy: 'Check FARCASTER_RELAY_URL, and whether this machine reaches it.',
    }),
    await ask('sign in registries', way.askRegistries, {
      detail: 'Farcaster’s registries on chain 10 answer',
      remedy: 'Check RPC_URL_10: it must be an endpoint of Optimism, also when optimism is not in CHAINS.',
    }),
    ...wallets,
  ];
}
