import { describe, expect, test } from 'vitest';
import { openActs } from '../acts.ts';
import { failureOf, json, openWire, type Reaction } from '../setup.ts';

const HASH = `0x${'c2'.repeat(20)}`;
const OTHER = `0x${'d3'.repeat(20)}`;

const GONE = `0x${'ee'.repeat(20)}`;

async function open(reaction: Reaction) {
  return openActs((await openWire(reaction)).url);
}

/** A Neynar that answers a question about many casts so, and one about a single cast otherwise. */
function openCasts(bulk: ReturnType<typeof json>, single: (path: string) => ReturnType<typeof json>) {
  return open((response, { url = '' }) => (url.startsWith('/v2/farcaster/casts/') ? bulk : single(url))(response));
}

describe('Neynar’s accounts, when they are odd', () => {
  const facts = async (user: object, following: string | null = null) => {
    const acts = await open(json({ users: [{ fid: 7, ...user }] }));
    return (await acts.readAccounts(['7'], { following })).get('7');
  };

  test.each([
    [{ score: 0.5556 }, 555_600],
    [{ score: 1.7 }, 1_000_000],
    [{ score: -3 }, 0],
    [{ score: 0, experimental: { neynar_user_score: 0.9 } }, 0],
    [{ experimental: { neynar_user_score: 0.9 } }, 900_000],
    [{ score: null, experimental: { neynar_user_score: 0.2 } }, 200_000],
    [{ score: '0.9' }, null],
    [{ experimental: null }, null],
    [{}, null],
  ])('behavior: the score in %j is %j millionths', async (user, score) => {
    expect((await facts(user))?.score).toBe(score);
  });

  test('behavior: what is absent or odd is not known', async () => {
    const texts = { accountId: '7', username: null, addresses: [] };
    const unknown = { ...texts, score: null, followers: null, registeredAt: null, follows: null };
    expect(await facts({})).toEqual(unknown);
    const odd = { username: 4, follower_count: -1, registered_at: 'once', verified_addresses: null, viewer_context: 1 };
    expect(await facts(odd)).toEqual(unknown);
  });

  test('behavior: addresses are the valid ones, the preferred one first, each once', async () => {
    const [one, two] = [`0x${'A1'.repeat(20)}`, `0x${'b2'.repeat(20)}`];
    const primary = { eth_address: two, sol_address: null };
    const verified = { eth_addresses: [one, 'vitalik.eth', two, null], primary };
    expect((await facts({ verified_addresses: verified }))?.addresses).toEqual([two, one.toLowerCase()]);
  });

  test('behavior: who follows is told by `followed_by`, not by `following`', async () => {
    expect((await facts({ viewer_context: { followed_by: false, following: true } }, '1001'))?.follows).toBe(false);
    const viewer_context = { followed_by: true, following: false };
    const { url, requests } = await openWire(json({ users: [{ fid: 7, viewer_context }] }));
    expect((await openActs(url).readAccounts(['7'], { following: '1001' })).get('7')?.follows).toBe(true);
    expect(requests[0]?.path).toBe('/v2/farcaster/user/bulk/?fids=7&viewer_fid=1001');
  });

  test('security: an answer that leaves out who follows refuses no follower; nobody follows itself', async () => {
    expect((await failureOf(facts({}, '1001'))).reason).toBe('bad_response');
    expect((await facts({}, '7'))?.follows).toBe(false);
  });

  test('security: accounts that were not asked about are left out', async () => {
    const acts = await open(json({ users: [{ fid: 8 }, { fid: 7 }] }));
    expect([...(await acts.readAccounts(['7'], { following: null })).keys()]).toEqual(['7']);
  });

  test('error: a bulk question that is refused says nothing about its accounts', async () => {
    for (const status of [400, 404]) {
      const acts = await open(json({ message: 'no' }, status));
      expect((await failureOf(acts.readAccounts(['7'], { following: null }))).retry).toBe('never');
    }
  });
});

describe('Neynar’s casts in bulk', () => {
  test('security: a cast that the answer leaves out, or a refused question, is looked up before it counts as gone', async () => {
    for (const bulk of [json({ result: { casts: [{ hash: OTHER }, null] } }), json({}, 404)]) {
      const acts = await openCasts(bulk, (path) =>
        path.includes(HASH) ? json({ cast: { hash: HASH } }) : json({}, 400),
      );
      const found = await acts.readPosts([HASH, OTHER, GONE]);
      expect([found.get(HASH), found.get(GONE)]).toEqual([true, false]);
    }
  });

  test('security: so many casts are looked up alone, and what was answered is kept when the rest is refused', async () => {
    const hashes = Array.from({ length: 60 }, (_, index) => `0x${String(index).padStart(40, '0')}`);
    let allowed = 60;
    const acts = await openCasts(json({ result: { casts: [{ hash: OTHER }] } }), (path) => {
      allowed -= 1;
      // One cast cannot be looked up at all.
      if (path.includes(String(hashes[3]))) return json({}, 500);
      return json({}, allowed < 0 ? 429 : 404);
    });
    const first = await acts.readPosts([...hashes, OTHER]);
    expect([first.size, first.get(OTHER), first.has(hashes[3] ?? '')]).toEqual([20, true, false]);
    allowed = 5;
    const second = await acts.readPosts(hashes);
    expect([...second].every(([, exists]) => !exists)).toBe(true);
    expect(second.size).toBe(4);
    expect((await failureOf(acts.readPosts(hashes))).reason).toBe('rate_limited');
  });

  test('security: the text of a cast that cannot be looked up is not known, and costs no other its own', async () => {
    let status = 500;
    const shown = json({ result: { casts: [{ hash: OTHER, text: 'shown' }] } });
    const acts = await openCasts(shown, (path) => json({}, path.includes(HASH) ? status : 404));
    const texts = await acts.readTexts([HASH, GONE, OTHER, 'none']);
    expect(Object.fromEntries(texts)).toEqual({ none: null, [OTHER]: 'shown', [GONE]: null });
    expect(await acts.readTexts([HASH])).toEqual(new Map());
    status = 429;
    expect((await failureOf(acts.readTexts([HASH]))).reason).toBe('rate_limited');
  });

  test('behavior: what is no hash is not asked about', async () => {
    const { url, requests } = await openWire(json({ result: { casts: [] } }));
    expect([...(await openActs(url).readPosts(['', 'gone', '0x1'])).values()]).toEqual([false, false, false]);
    expect(requests).toEqual([]);
  });
});
