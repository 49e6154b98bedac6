import { z } from 'zod';
import type { ActKind, Target } from '../../../domain/earning/act.ts';
import type { ActReader } from '../../../domain/earning/platform.ts';
import { AdapterError } from '../../../domain/errors.ts';
import { entriesOf, lenient, postText } from '../../payload.ts';
import type { NeynarClient } from '../client.ts';
import { isRefusal, lookUpCast, orMissing } from '../look-up.ts';
import { castHash, type FarcasterBot, readFid } from '../payload.ts';
import { readAccountFacts } from './account-facts.ts';
import {
  type PageReader,
  readFollowers,
  readKeyword,
  readMentions,
  readQuotes,
  readReactions,
  readReplies,
} from './act-lists.ts';

/** Neynar's largest number of users in one question (SDK, fetchBulkUsers); for casts it documents none. */
const BULK = 100;
/** How many casts one question looks up alone, and for how long, so that a step ends within its lease. */
const LOOK_UPS = 20;
const LOOK_UPS_MS = 20_000;

// A text that cannot be read is an empty one: the cast exists, and its text is its sender's.
const shownCast = z.object({ hash: castHash, text: lenient(postText) });
const castsAnswer = z.object({ result: z.object({ casts: entriesOf(shownCast) }) });

function readPostActs(kind: ActKind, hash: string): PageReader | null {
  switch (kind) {
    case 'like':
    case 'recast':
      return readReactions(kind, hash);
    case 'quote':
      return readQuotes(hash);
    case 'reply':
    case 'submission':
      return readReplies(kind, hash);
    default:
      return null;
  }
}

function readAccountActs(kind: ActKind, id: string): PageReader | null {
  const fid = readFid(id);
  if (fid === null) return null;
  return kind === 'mention' ? readMentions(fid) : kind === 'follow' ? readFollowers(fid) : null;
}

function readerOf(kind: ActKind, target: Target): PageReader | null {
  switch (target.kind) {
    case 'post':
      return readPostActs(kind, target.postId);
    case 'account':
      return readAccountActs(kind, target.accountId);
    case 'keyword':
      return kind === 'mention' ? readKeyword(target.keyword) : null;
  }
}

/** A list that is refused does not prove that its target is gone: the target itself is looked up. */
async function isGone(client: NeynarClient, target: Target): Promise<boolean> {
  switch (target.kind) {
    case 'post':
      return (await lookUpCast(client, target.postId)) === null;
    case 'account':
      return (await readAccountFacts(client, [target.accountId], { following: null })).size === 0;
    case 'keyword':
      return false;
  }
}

const foundCast = z.object({ cast: shownCast });

async function findText(client: NeynarClient, hash: string): Promise<string | null> {
  const cast = await lookUpCast(client, hash);
  return cast === null ? null : (foundCast.safeParse(cast).data?.cast.text ?? '');
}

const isHash = (id: string) => castHash.safeParse(id).data === id;

async function showTexts(client: NeynarClient, hashes: readonly string[]): Promise<Map<string, string>> {
  if (hashes.length === 0) return new Map();
  const request = { what: 'look up casts', answer: castsAnswer };
  const answer = await orMissing(client.call(request, (sdk) => sdk.fetchBulkCasts({ casts: [...hashes] })));
  return new Map(answer?.result.casts.map((cast) => [cast.hash, cast.text ?? '']));
}

/** These failures may be of one cast alone, and say nothing of the others. */
const isOfOne = ({ reason }: AdapterError) => reason === 'server_error' || reason === 'bad_response';

/**
 * Looks up casts that a bulk answer lacks, one by one within limits, and keeps what is found in `known`.
 * @returns the last failure, or null
 */
async function lookUpSome<Found>(
  hashes: readonly string[],
  {
    clock,
    known,
    lookUp,
  }: { clock: () => number; known: Map<string, Found>; lookUp: (hash: string) => Promise<Found> },
): Promise<AdapterError | null> {
  const begun = clock();
  let failure: AdapterError | null = null;
  for (const hash of hashes.slice(0, LOOK_UPS)) {
    if (clock() - begun >= LOOK_UPS_MS) break;
    try {
      known.set(hash, await lookUp(hash));
    } catch (error) {
      if (!(error instanceof AdapterError)) throw error;
      failure = error;
      if (!isOfOne(error)) break;
    }
  }
  return failure;
}

/**
 * The texts of casts, null for one that does not exist. One that the bulk answer lacks is looked up alone: how many casts one
 * question may name is not documented, nor what is answered when none of them exists. One that cannot be looked up is absent.
 */
async function findTexts(
  client: NeynarClient,
  ids: readonly string[],
  clock: () => number,
): Promise<Map<string, string | null>> {
  const hashes = [...new Set(ids)].filter(isHash);
  const shown = await showTexts(client, hashes);
  const known = new Map<string, string | null>(ids.filter((id) => !isHash(id)).map((id) => [id, null]));
  for (const hash of hashes) if (shown.has(hash)) known.set(hash, shown.get(hash) ?? '');
  const lacking = hashes.filter((hash) => !shown.has(hash));
  const failure = await lookUpSome(lacking, { clock, known, lookUp: (hash) => findText(client, hash) });
  if (failure !== null && !isOfOne(failure) && known.size === 0) throw failure;
  return known;
}

/** Casts that were not answered about are absent, because each look-up costs a call. */
async function findPosts(
  client: NeynarClient,
  ids: readonly string[],
  clock: () => number,
): Promise<Map<string, boolean>> {
  const hashes = [...new Set(ids)].filter(isHash);
  const known = new Map(ids.filter((id) => !isHash(id)).map((id) => [id, false]));
  const shown = await showTexts(client, hashes);
  for (const hash of hashes) if (shown.has(hash)) known.set(hash, true);
  const lacking = hashes.filter((hash) => !shown.has(hash));
  const lookUp = async (hash: string) => (await lookUpCast(client, hash)) !== null;
  const failure = await lookUpSome(lacking, { clock, known, lookUp });
  // What is known is worth more than why the rest is not: that is asked again, and told then.
  if (failure !== null && known.size === 0) throw failure;
  return known;
}

/** Reads what accounts do on Farcaster, through Neynar's API. */
export function createActReader(
  client: NeynarClient,
  { bot, clock }: { readonly bot: FarcasterBot; readonly clock: () => number },
): ActReader {
  return {
    bulk: BULK,
    async readActs({ kind, target, cursor }) {
      const read = readerOf(kind, target);
      if (read === null) {
        const message = `Farcaster has no list of acts of kind ${kind} towards such a target (${target.kind})`;
        throw new AdapterError({ reason: 'rejected', retry: 'never', message });
      }
      try {
        const page = await read(client, cursor, bot);
        // How Neynar lists the acts towards a deleted cast is not documented; it may be as none at all.
        const isDoubtful = page.acts.length === 0 && target.kind === 'post';
        return isDoubtful && (await isGone(client, target)) ? null : page;
      } catch (error) {
        if (isRefusal(error) && (await isGone(client, target))) return null;
        throw error;
      }
    },
    readAccounts: (ids, query) => readAccountFacts(client, ids, query),
    readPosts: (ids) => findPosts(client, ids, clock),
    readTexts: (ids) => findTexts(client, ids, clock),
  };
}
