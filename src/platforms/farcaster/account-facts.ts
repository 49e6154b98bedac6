import { z } from 'zod';
import type { AccountFacts } from '../../domain/earning/platform.ts';
import type { Address } from '../../domain/token.ts';
import { badAnswer } from '../failure.ts';
import { lenient } from '../lenient.ts';
import { handleText } from '../text.ts';
import { postTime } from '../time.ts';
import type { NeynarClient } from './client.ts';
import { ethAddress, fid, readFid } from './payload.ts';

const MILLIONTHS = 1_000_000;

/** Everything but the FID is optional: what Neynar does not tell is not known. */
const user = z.object({
  fid,
  username: lenient(handleText),
  score: lenient(z.number()),
  experimental: lenient(z.object({ neynar_user_score: lenient(z.number()) })),
  follower_count: lenient(z.int().nonnegative()),
  registered_at: lenient(z.string()),
  verified_addresses: lenient(
    z.object({
      eth_addresses: lenient(z.array(lenient(ethAddress))),
      primary: lenient(z.object({ eth_address: lenient(ethAddress) })),
    }),
  ),
  viewer_context: lenient(z.object({ followed_by: z.boolean() })),
});
type User = z.infer<typeof user>;

const usersAnswer = z.object({ users: z.array(user) });

/** `score` and, before it was introduced, `experimental.neynar_user_score`: 0 to 1 (docs.neynar.com, neynar-user-quality-score). */
function scoreOf({ score, experimental }: User): number | null {
  const given = score ?? experimental?.neynar_user_score;
  return given === undefined ? null : Math.round(Math.min(Math.max(given, 0), 1) * MILLIONTHS);
}

/** The preferred address first, each once. */
function addressesOf({ verified_addresses: verified }: User): Address[] {
  const given = [verified?.primary?.eth_address, ...(verified?.eth_addresses ?? [])];
  const addresses = given.flatMap((address): Address[] =>
    address === undefined ? [] : [`0x${address.slice(2).toLowerCase()}`],
  );
  return [...new Set(addresses)];
}

function toFacts(from: User, follows: boolean | null): AccountFacts {
  return {
    accountId: String(from.fid),
    username: from.username ?? null,
    score: scoreOf(from),
    followers: from.follower_count ?? null,
    registeredAt: postTime(Date.parse(from.registered_at ?? '')) ?? null,
    addresses: addressesOf(from),
    follows,
  };
}

/**
 * The accounts with these ids that Neynar shows. With a viewer, `followed_by` says that the user follows the viewer (SDK,
 * models/user-viewer-context.d.ts); an answer without it decides nothing, because no would refuse the account.
 */
export async function readAccountFacts(
  client: NeynarClient,
  ids: readonly string[],
  { following }: { following: string | null },
): Promise<Map<string, AccountFacts>> {
  const what = 'look up users';
  const fids = [...new Set(ids)].flatMap((id) => readFid(id) ?? []);
  if (fids.length === 0) return new Map();
  const viewer = following === null ? {} : { viewerFid: Number(following) };
  const answer = await client.call({ what, answer: usersAnswer }, (sdk) => sdk.fetchBulkUsers({ fids, ...viewer }));

  function followsOf(from: User): boolean | null {
    if (following === null) return null;
    if (String(from.fid) === following) return false;
    if (from.viewer_context !== undefined) return from.viewer_context.followed_by;
    throw badAnswer({ network: 'Neynar', what, sends: false }, 'it does not say who follows the account');
  }
  const asked = answer.users.filter((found) => fids.includes(found.fid));
  return new Map(asked.map((found) => [String(found.fid), toFacts(found, followsOf(found))]));
}
