import { NETWORK_CREDENTIALS } from '../../sandbox/people.ts';
import type { Act } from '../acts.ts';
import { createPoster } from '../clients.ts';
import { createHashes, signedEvent } from '../load/requests.ts';
import type { Neynar } from '../neynar.ts';

const { botFid, webhookSecrets } = NETWORK_CREDENTIALS.farcaster;
const FIRST_AUTHOR = 300_000_000;

function deliverer(port: number, { text, firstAuthor }: { text: string; firstAuthor: number }): Act['run'] {
  const post = createPoster(port, 200);
  const nextHash = createHashes();
  return async (number) => {
    const cast = { hash: nextHash(), author: firstAuthor + number, botFid, text };
    const { body, signature } = signedEvent(cast, webhookSecrets[0]);
    await post('/webhooks/farcaster', body, { 'x-neynar-signature': signature });
  };
}

/** A mention by a new author, from its webhook to the reply. */
export function mention(port: number, neynar: Neynar): Act {
  const before = neynar.repliedAt.size;
  return {
    name: 'a mention, answered',
    run: deliverer(port, { text: '@gigclaim claims', firstAuthor: FIRST_AUTHOR }),
    done: () => neynar.repliedAt.size - before,
  };
}

/** The webhook of a mention alone: whatever claims is held up, because the look-up of its author takes many seconds. */
export function heldMention(port: number, neynar: Neynar): Act {
  neynar.hangs = true;
  return {
    name: 'a webhook, on disk',
    run: deliverer(port, { text: '@gigclaim claim my rewards', firstAuthor: 2 * FIRST_AUTHOR }),
  };
}
