import type { AppClient } from '@farcaster/auth-client';
import { AdapterError, type AdapterReason } from '../domain/errors.ts';
import type { ChannelStatus, FarcasterSignIn, SignInAnswer, SignInChannel } from '../domain/owners/sign-in.ts';
import { limitTime } from '../time-limit.ts';
import type { SignInSite } from './site.ts';

export interface FarcasterSignInOptions {
  readonly site: SignInSite;
  /** The relay's URL, without a slash at its end. */
  readonly relayUrl: string;
  /** The endpoints of chain 10, on which Farcaster's registries are. They may hold keys; no message contains them. */
  readonly rpcUrls: readonly string[];
  /** For one question to the relay or to the chain, milliseconds; 10 s when absent. */
  readonly timeoutMs?: number;
}

/** Nobody has it: the registries answer for it as for every address. */
const NO_ONE = '0x0000000000000000000000000000000000000001';
/** The relay's tokens are short; nothing else is sent to it. */
const CHANNEL = /^[A-Za-z0-9_-]{1,200}$/;

function relayFailure(reason: AdapterReason, message: string, status?: number): AdapterError {
  return new AdapterError({ retry: 'safe', reason, message: `the Farcaster relay ${message}`, status });
}

function chainFailure(cause?: unknown): AdapterError {
  // The cause may hold the endpoint's URL, so it is left out.
  const reason = cause === undefined ? 'timeout' : 'unreachable';
  return new AdapterError({ retry: 'safe', reason, message: 'chain optimism: Farcaster’s registries do not answer' });
}

/** Rejects when the work is not done in time. What it has begun ends by itself. */
async function inTime<T>(work: Promise<T>, ms: number, late: () => AdapterError): Promise<T> {
  using limit = limitTime(ms);
  const { promise, reject } = Promise.withResolvers<never>();
  limit.signal.addEventListener('abort', () => reject(late()));
  return await Promise.race([work, promise]);
}

/** Only links that a browser or a phone opens as such. */
function readLink(url: unknown): string {
  const protocol = typeof url === 'string' ? URL.parse(url)?.protocol : undefined;
  if (typeof url !== 'string' || (protocol !== 'https:' && protocol !== 'http:')) {
    throw relayFailure('bad_response', 'gave no usable link');
  }
  return url;
}

function readAnswer({ state, message, signature }: { state?: unknown; message?: unknown; signature?: unknown }) {
  if (state !== 'completed') return null;
  if (typeof message === 'string' && typeof signature === 'string') return { message, signature };
  throw relayFailure('bad_response', 'gave no usable answer');
}

/** Sign In With Farcaster at this site. The library is loaded at the first use: it brings all of viem's chains. */
export function createFarcasterSignIn(options: FarcasterSignInOptions): FarcasterSignIn {
  const { site, relayUrl, rpcUrls, timeoutMs = 10_000 } = options;
  let made: Promise<AppClient> | undefined;

  function client(): Promise<AppClient> {
    made ??= import('@farcaster/auth-client').then(({ createAppClient, viemConnector }) =>
      createAppClient({ relay: relayUrl, version: 'v1', ethereum: viemConnector({ rpcUrls: [...rpcUrls] }) }),
    );
    return made;
  }

  const lateRelay = () => relayFailure('timeout', `did not answer within ${timeoutMs} ms`);

  return {
    async open(nonce, expiresAt): Promise<SignInChannel> {
      const { createChannel } = await client();
      const request = {
        siweUri: site.uri,
        domain: site.domain,
        nonce,
        expirationTime: new Date(expiresAt).toISOString(),
        acceptAuthAddress: true,
      };
      const { isError, response, data } = await inTime(createChannel(request), timeoutMs, lateRelay);
      if (isError) throw relayFailure('unreachable', 'cannot be reached');
      if (!response.ok) throw relayFailure('server_error', `answered with status ${response.status}`, response.status);
      if (typeof data.channelToken !== 'string' || !CHANNEL.test(data.channelToken)) {
        throw relayFailure('bad_response', 'gave no usable channel');
      }
      return { token: data.channelToken, url: readLink(data.url) };
    },
    async status(token): Promise<ChannelStatus | null> {
      if (!CHANNEL.test(token)) return null;
      const { status } = await client();
      const { isError, response, data } = await inTime(status({ channelToken: token }), timeoutMs, lateRelay);
      if (isError) throw relayFailure('unreachable', 'cannot be reached');
      if (response.status === 401 || response.status === 404) return null;
      if (!response.ok) throw relayFailure('server_error', `answered with status ${response.status}`, response.status);
      return { url: readLink(data.url), answer: readAnswer(data) };
    },
    async verify({ message, signature }: SignInAnswer, nonce): Promise<string | null> {
      if (!/^0x(?:[0-9a-fA-F]{2})+$/.test(signature)) return null;
      const { verifySignInMessage } = await client();
      const { domain } = site;
      const signed = { message, signature: `0x${signature.slice(2)}`, nonce, domain, acceptAuthAddress: true } as const;
      const { isError, error, success, fid } = await inTime(verifySignInMessage(signed), timeoutMs, chainFailure);
      if (isError && (error?.errCode === 'unavailable' || error?.errCode === 'unknown')) throw chainFailure(error);
      return !isError && success && Number.isSafeInteger(fid) && fid > 0 ? String(fid) : null;
    },
    async askRelay() {
      const answer = inTime(fetch(`${relayUrl}/v1/channel/status`), timeoutMs, lateRelay);
      const response = await answer.catch((cause: unknown) => {
        throw cause instanceof AdapterError ? cause : relayFailure('unreachable', 'cannot be reached');
      });
      await response.body?.cancel();
      // Without a channel it refuses; what is no relay does not know the path, or fails.
      if (response.status !== 401 && response.status !== 400) {
        throw relayFailure('server_error', `answered with status ${response.status}`, response.status);
      }
    },
    async askRegistries() {
      const { ethereum } = await client();
      await inTime(ethereum.getFid(NO_ONE), timeoutMs, chainFailure).catch((cause: unknown) => {
        throw cause instanceof AdapterError ? cause : chainFailure(cause);
      });
    },
  };
}
