import { z } from 'zod';
import type { AccountFacts } from '../../../domain/earning/platform.ts';
import type { Address } from '../../../domain/gigs/token.ts';
import { badAnswer } from '../../failure.ts';
import { handleText, lenient, postTime } from '../../payload.ts';
import type { NeynarClient } from '../client.ts';
import { fid, readFid, verifiedAddresses } from '../payload.ts';

const MILLIONTHS = 1_000_000;

/** Everything but the FID is optional: what Neynar does not tell is not known. */
const user = z.object({
  fid,
  username: lenient(handleText),
  score: lenient(z.number()),
  experimental: lenient(z.object({ neynar_user_score: lenient(z.number()) })),
  follower_count: lenient(z.int().nonnegative()),
  registered_at: lenient(z.string()),
  verified_addresses: verifiedAddresses,
  viewer_context: lenient(z.object({ followed_by: z.boolean() })),
});
type User = z.infer<typeof user>;

const usersAnswer = z.object({ users: z.array(lenient(user)) });

/** `score` and, before it was introduced, `experimental.neynar_user_score`: 0 to 1 (docs.neynar.com, neynar-user-quality-score). */
function scoreOf({ score, experimental }: User): number | null {
  const given = score ?? experimental?.neynar_user_score;
  return given === undefined ? null : Math.round(Math.min(Math.max(given, 0), 1) * MILLIONTHS);
}

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
 * models/user-viewer-context.d.ts). Where it is absent it is not known, because no would refuse the account.
 * @throws AdapterError also when no entry of an answer can be understood
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
  const { users } = await client.call({ what, answer: usersAnswer }, (sdk) => sdk.fetchBulkUsers({ fids, ...viewer }));

  function followsOf({ fid: id, viewer_context: context }: User): boolean | null {
    if (following === null) return null;
    return String(id) === following ? false : (context?.followed_by ?? null);
  }
  const read = users.filter((found) => found !== undefined);
  const asked = read.filter((found) => fids.includes(found.fid)).map((found) => toFacts(found, followsOf(found)));
  const call = { network: 'Neynar', what, sends: false };
  if (users.length > 0 && read.length === 0) throw badAnswer(call, 'it has not the documented shape');
  if (following !== null && asked.length > 0 && asked.every(({ follows }) => follows === null)) {
    throw badAnswer(call, 'it does not say who follows the account');
  }
  return new Map(asked.map((facts) => [facts.accountId, facts]));
}
