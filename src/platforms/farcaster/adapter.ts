import type { PostCastReqBodyEmbeds } from '@neynar/nodejs-sdk/build/api/index.js';
import { z } from 'zod';
import type { Account } from '../../domain/account.ts';
import { AdapterError } from '../../domain/errors.ts';
import type { Address } from '../../domain/gigs/token.ts';
import type { OutgoingReply, Post, SocialPlatform } from '../../domain/mentions/mention.ts';
import { parseCastUrl } from '../../domain/mentions/post-urls.ts';
import { FARCASTER } from '../../domain/platforms/platforms.ts';
import { badAnswer } from '../failure.ts';
import { handleText, lenient, parseJson, readBy } from '../payload.ts';
import { verifyNeynarSignature } from '../signature.ts';
import { checkFarcaster, findAppKey } from './check.ts';
import { createNeynarClient, type FarcasterOptions, type NeynarClient } from './client.ts';
import { parseActEvents } from './earning/act-events.ts';
import { createActReader } from './earning/acts.ts';
import { lookUpCast, orMissing } from './look-up.ts';
import { sendNotification } from './notifications.ts';
import { castHash, castToPost, fid, parseCast, parseFarcasterEvents, readFid, verifiedAddresses } from './payload.ts';
import { findCastReply, pollNotifications } from './timeline.ts';
import {
  deleteFarcasterWebhook,
  listFarcasterWebhooks,
  registerFarcasterWebhook,
  updateFarcasterWebhook,
} from './webhook.ts';

/** UTF-8 bytes of an ordinary cast (snapchain, src/core/validations/cast.rs). */
const CAST_LIMIT = 320;

const USERNAME = /^[a-z0-9][a-z0-9._-]{0,63}$/;

const publishAnswer = z.object({ success: z.literal(true), cast: z.object({ hash: castHash }) });
const user = z.object({ fid, username: lenient(handleText.nullish()), verified_addresses: verifiedAddresses });
const userAnswer = z.object({ user });
const shownCast = z.object({ cast: readBy(parseCast) });
const usersAnswer = z.object({ users: z.array(lenient(user)) });

function publish(client: NeynarClient, signerUuid: string, reply: OutgoingReply) {
  const parentAuthorFid = Number(reply.authorId);
  if (!Number.isSafeInteger(parentAuthorFid)) {
    throw new AdapterError({ retry: 'never', reason: 'rejected', message: 'The author to answer has no valid FID' });
  }
  const { notAfter, replyTo: parent, idem, text, embed } = reply;
  // The library's type asks for a cast beside the URL; Neynar takes either.
  const embeds = embed === undefined ? {} : { embeds: [{ url: embed } as PostCastReqBodyEmbeds] };
  return client.call({ what: 'publish a cast', sends: true, notAfter, answer: publishAnswer }, (sdk) =>
    sdk.publishCast({ signerUuid, text, parent, parentAuthorFid, idem, ...embeds }),
  );
}

async function findCast(client: NeynarClient, url: string, now: number): Promise<Post | null> {
  const reference = parseCastUrl(url);
  if (reference === null) return null;
  const prefix = reference.kind === 'hash' ? reference.hash : reference.hashPrefix;
  for (const identifier of reference.kind === 'hash' ? [reference.hash] : reference.urls) {
    const request = { what: 'look up a cast', answer: shownCast };
    const found = await orMissing(
      client.call(request, (sdk) => sdk.lookupCastByHashOrUrl({ identifier, type: reference.kind })),
    );
    if (found === null) continue;
    const { cast } = found;
    const call = { network: 'Neynar', what: request.what, sends: false };
    // Payment goes to the author of this cast, so a different cast is refused.
    if (!cast.hash.startsWith(prefix)) throw badAnswer(call, 'it is another cast');
    return castToPost(cast, now);
  }
  return null;
}

/** A 400 does not prove absence, only that Neynar cannot show this conversation. */
async function findOwnReply(
  client: NeynarClient,
  fid: number,
  query: { replyTo: string; others?: readonly string[] },
): Promise<string | null> {
  try {
    return await orMissing(findCastReply(client, { fid, ...query }), ['not_found']);
  } catch (error) {
    if (!(error instanceof AdapterError) || error.reason !== 'rejected') throw error;
    // A deleted cast has no conversation; the idempotency key of the reply still prevents a second one.
    if ((await lookUpCast(client, query.replyTo)) === null) return null;
    throw error;
  }
}

async function findByFid(client: NeynarClient, id: string): Promise<z.infer<typeof user> | null> {
  const asked = readFid(id);
  if (asked === null) return null;
  const what = 'look up a user';
  const answer = await orMissing(
    client.call({ what, answer: usersAnswer }, (sdk) => sdk.fetchBulkUsers({ fids: [asked] })),
  );
  const found = answer?.users.find((candidate) => candidate?.fid === asked);
  if (found === undefined && answer?.users.includes(undefined)) {
    throw badAnswer({ network: 'Neynar', what, sends: false }, 'it has not the documented shape');
  }
  return found ?? null;
}

const inLowerCase = (address: string): Address => `0x${address.slice(2).toLowerCase()}`;

/** Never the custody address. */
async function findPayoutAddresses(client: NeynarClient, id: string): Promise<readonly Address[]> {
  const verified = (await findByFid(client, id))?.verified_addresses;
  const known = [verified?.primary?.eth_address, ...(verified?.eth_addresses ?? [])];
  return [...new Set(known.flatMap((address) => (address === undefined ? [] : [inLowerCase(address)])))];
}

async function findPrimaryAddress(client: NeynarClient, id: string): Promise<Address | null> {
  const primary = (await findByFid(client, id))?.verified_addresses?.primary?.eth_address;
  return primary === undefined ? null : inLowerCase(primary);
}

async function findUser(client: NeynarClient, who: { id: string } | { username: string }): Promise<Account | null> {
  let found: z.infer<typeof user> | null | undefined;
  if ('id' in who) {
    found = await findByFid(client, who.id);
  } else {
    const username = who.username.replace(/^@/, '').toLowerCase();
    if (!USERNAME.test(username)) return null;
    const answer = await orMissing(
      client.call({ what: 'look up a user', answer: userAnswer }, (sdk) => sdk.lookupUserByUsername({ username })),
    );
    found = answer?.user;
  }
  if (!found) return null;
  return { platform: FARCASTER.id, platformUserId: String(found.fid), username: found.username ?? null };
}

/** Farcaster through Neynar's API. */
export function createFarcaster(options: FarcasterOptions): SocialPlatform {
  const client = createNeynarClient(options);
  const { botFid: fid, botUsername: username } = options;
  return {
    platform: FARCASTER.id,
    bot: { id: String(fid), username },
    idempotent: true,
    replyLimit: CAST_LIMIT,
    // Neynar allows its smallest customers 300 requests a minute, which the reply limits never reach.
    replyBudget: [],
    measure: (text) => Buffer.byteLength(text, 'utf8'),
    verify: (rawBody, signature) => verifyNeynarSignature(rawBody, signature, options.webhookSecrets),
    parse: (rawBody, { acts } = { acts: true }) => {
      const body = parseJson(rawBody);
      const mentions = parseFarcasterEvents(body, { fid, username, now: options.clock() });
      return acts ? [...mentions, ...parseActEvents(body, { fid, username })] : mentions;
    },
    async reply(reply) {
      const published = await publish(client, options.signerUuid, reply);
      return { postId: published.cast.hash };
    },
    notify: (notification) => sendNotification(client, notification),
    findReply: (query) => findOwnReply(client, fid, query),
    pollEvents: (query) => pollNotifications(client, { ...query, fid, username, now: options.clock() }),
    lookUpPost: (url) => findCast(client, url, options.clock()),
    payoutAddresses: (id) => findPayoutAddresses(client, id),
    primaryAddress: (id) => findPrimaryAddress(client, id),
    resolveAccount: (who) => findUser(client, who),
    appKey: () => findAppKey(client, options),
    acts: createActReader(client, { bot: { fid, username }, clock: options.clock }),
    check: (url, watched = []) => checkFarcaster(client, options, { url, watched }),
    registerWebhook: (url, watched = []) => registerFarcasterWebhook(client, options, { url, watched }),
    updateWebhook: (url, watched) => updateFarcasterWebhook(client, options, { url, watched }),
    listWebhooks: () => listFarcasterWebhooks(client, fid),
    deleteWebhook: (id) => deleteFarcasterWebhook(client, id),
  };
}
