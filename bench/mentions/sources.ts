import { BOT, NETWORK_CREDENTIALS } from '../../sandbox/people.ts';
import type { Platform } from '../../src/domain/account.ts';
import { webhookPath } from '../../src/domain/platforms/platforms.ts';
import { createPoster } from '../clients.ts';
import { createHashes, signedEvent } from '../load/requests.ts';
import { startNeynar } from '../neynar.ts';
import { signedPost, startX } from './x.ts';

/** Where the mentions of a platform come from, and where the replies go. */
export interface Source {
  readonly platform: Platform;
  /** What the service has to be told of it. */
  readonly env: Readonly<Record<string, string>>;
  /** Makes what delivers one mention to a service, always by another author, and settles when it is accepted. */
  deliverTo(port: number): () => Promise<void>;
  /** How many replies have come. */
  replies(): number;
  stop(): void;
}

const QUESTION = 'claims';

export async function startFarcasterSource(): Promise<Source> {
  const neynar = await startNeynar(BOT.fid);
  const nextHash = createHashes();
  const [secret] = NETWORK_CREDENTIALS.farcaster.webhookSecrets;
  let author = 1_000_000;
  return {
    platform: 'farcaster',
    env: { NEYNAR_BASE_URL: neynar.url },
    deliverTo(port) {
      const post = createPoster(port, 200);
      return async () => {
        author += 1;
        const cast = { hash: nextHash(), author, botFid: BOT.fid, text: `@${BOT.username} ${QUESTION}` };
        const { body, signature } = signedEvent(cast, secret);
        await post(webhookPath('farcaster'), body, { 'x-neynar-signature': signature });
      };
    },
    replies: () => neynar.repliedAt.size,
    stop: () => neynar.stop(),
  };
}

export async function startXSource(): Promise<Source> {
  const x = await startX();
  let count = 0;
  return {
    platform: 'twitter',
    env: { X_BASE_URL: x.url },
    deliverTo(port) {
      const post = createPoster(port, 200);
      return async () => {
        count += 1;
        const { body, signature } = signedPost(count, QUESTION);
        await post(webhookPath('twitter'), body, { 'x-twitter-webhooks-signature': signature });
      };
    },
    replies: () => x.replies(),
    stop: () => x.stop(),
  };
}
