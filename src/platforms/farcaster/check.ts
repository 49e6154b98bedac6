import { z } from 'zod';
import type { WatchedTarget } from '../../domain/earning/act.ts';
import type { Address } from '../../domain/gigs/token.ts';
import type { PlatformCheck } from '../../domain/mentions/mention.ts';
import { checkResult, guardCheck } from '../check.ts';
import { badAnswer } from '../failure.ts';
import { lenient } from '../payload.ts';
import type { FarcasterOptions, NeynarClient } from './client.ts';
import { fid, publicKey } from './payload.ts';
import { isSameSubscription, toSubscription } from './subscription.ts';
import { CAST_EVENTS, listSubscribed } from './webhook.ts';

const signerAnswer = z.object({ status: z.string(), fid: lenient(fid), public_key: lenient(publicKey) });

function lookUpSigner(client: NeynarClient, { signerUuid }: FarcasterOptions) {
  return client.call({ what: 'look up the signer', answer: signerAnswer }, (sdk) => sdk.lookupSigner({ signerUuid }));
}

/** The key of the bot's signer. */
export async function findAppKey(client: NeynarClient, options: FarcasterOptions): Promise<Address> {
  const { public_key: key } = await lookUpSigner(client, options);
  if (key !== undefined) return `0x${key.slice(2).toLowerCase()}`;
  throw badAnswer({ network: 'Neynar', what: 'look up the signer', sends: false }, 'it has no public key');
}

function checkSigner(client: NeynarClient, options: FarcasterOptions): Promise<PlatformCheck> {
  const name = 'farcaster credentials';
  const remedy = 'Check NEYNAR_API_KEY and NEYNAR_SIGNER_UUID: a signer works only with the API key that created it.';
  return guardCheck(name, remedy, async () => {
    const signer = await lookUpSigner(client, options);
    if (signer.status !== 'approved') {
      const detail = `The signer is ${signer.status}, not approved`;
      return checkResult(name, { detail, remedy: "Approve the signer with the bot's Farcaster account." });
    }
    if (signer.fid !== options.botFid) {
      const detail = `The signer belongs to FID ${signer.fid ?? 'none'}, not to ${options.botFid}`;
      return checkResult(name, { detail, remedy: "Set FARCASTER_BOT_FID to the signer's FID, or use another signer." });
    }
    return checkResult(name, `The signer is approved for FID ${options.botFid}`);
  });
}

interface Wanted {
  readonly url: string;
  readonly watched: readonly WatchedTarget[];
}

function checkWebhook(
  client: NeynarClient,
  options: FarcasterOptions,
  { url: webhookUrl, watched }: Wanted,
): Promise<PlatformCheck> {
  const name = 'farcaster webhook';
  const create = `Run \`npm run admin -- webhooks register\`, or create a webhook at dev.neynar.com for ${webhookUrl}, event cast.created, with ${options.botFid} in mentioned_fids, parent_author_fids and exclude_author_fids.`;
  return guardCheck(name, 'Check NEYNAR_API_KEY.', async () => {
    const webhooks = await listSubscribed(client, options.botFid);
    const ours = webhooks.filter((webhook) => webhook.url === webhookUrl);
    if (ours.length === 0) {
      return checkResult(name, { detail: `No webhook delivers to ${webhookUrl}`, remedy: create });
    }
    const active = ours.filter((webhook) => webhook.active);
    if (active.length === 0) {
      const detail = `The webhook for ${webhookUrl} is not active`;
      return checkResult(name, { detail, remedy: 'Activate it at dev.neynar.com.' });
    }
    const subscribed = active.some(({ events }) => CAST_EVENTS.every((event) => events.includes(event)));
    const detail = `The webhook for ${webhookUrl} does not listen for both mentions of and replies to FID ${options.botFid}`;
    if (!subscribed) return checkResult(name, { detail, remedy: create });
    const isActive = `The webhook for ${webhookUrl} is active`;
    const wanted = toSubscription(options.botFid, watched);
    if (active.some(({ filters }) => isSameSubscription(filters, wanted))) return checkResult(name, isActive);
    // The service mends that itself, and looks find what is not delivered.
    const remedy =
      'The running service replaces it within seconds of a change; so does `npm run admin -- webhooks register`.';
    const differs = `${isActive}, but does not ask for just the acts towards the ${watched.length} watched targets`;
    return { ...checkResult(name, differs), mark: 'warning', remedy };
  });
}

/** Checks that the signer may post as the bot, and that Neynar delivers the bot's mentions and what is watched. */
export async function checkFarcaster(
  client: NeynarClient,
  options: FarcasterOptions,
  wanted: Wanted,
): Promise<PlatformCheck[]> {
  return [await checkSigner(client, options), await checkWebhook(client, options, wanted)];
}
