import { afterEach, describe, expect, test } from 'vitest';
import { deployToken } from '../../../support/anvil.ts';
import { readDocument } from '../../document.ts';
import { refusal, told } from '../../terms.ts';
import { setTill, till } from '../../till.ts';

const MINUTE = 60_000;
const MISSING = `https://farcaster.xyz/alice/0x${'ab'.repeat(20)}`;
const PUBLISHED = { claimLimits: { client: 10, inAll: 30 }, trustedProxies: 1 };

afterEach(() => till.close());

/** Who asks, behind a proxy that is trusted. */
const from = (address: string) => ({ 'x-forwarded-for': address });

async function statusesOf(count: number, address: string): Promise<Record<number, number>> {
  const statuses: Record<number, number> = {};
  for (let asked = 0; asked < count; asked += 1) {
    const { status } = await till.claim(MISSING, from(address));
    statuses[status] = (statuses[status] ?? 0) + 1;
  }
  return statuses;
}

/** What an answer says of the limit: the policy, the limit, what remains, when it begins anew, and when to try again. */
function limitOf({ headers }: Response): (string | null)[] {
  const names = ['ratelimit-policy', 'ratelimit-limit', 'ratelimit-remaining', 'ratelimit-reset', 'retry-after'];
  return names.map((name) => headers.get(name));
}

describe('the limits of claims by URL', () => {
  test('security: a client sends ten a minute, and is told when it may go on', async () => {
    await setTill({ config: PUBLISHED });
    const first = await till.claim(MISSING, from('192.0.2.1'));
    expect([first.status, limitOf(first)]).toEqual([404, ['10;w=60', '10', '9', '60', null]]);
    expect(await statusesOf(9, '192.0.2.1')).toEqual({ 404: 9 });
    till.service.time.now += 18_000;
    const refused = await till.claim(MISSING, from('192.0.2.1'));
    expect(limitOf(refused)).toEqual(['10;w=60', '10', '0', '42', '42']);
    expect(await told(refused)).toEqual(refusal(429, 'Too many requests: at most 10 a minute are allowed'));
    till.service.time.now += 42_000;
    expect(await statusesOf(11, '192.0.2.1')).toEqual({ 404: 10, 429: 1 });
  });

  test('security: all clients together send thirty a minute, and one above its own limit takes nothing from the others', async () => {
    await setTill({ config: PUBLISHED });
    expect(await statusesOf(100, '192.0.2.1')).toEqual({ 404: 10, 429: 90 });
    expect(await statusesOf(10, '192.0.2.2')).toEqual({ 404: 10 });
    expect(await statusesOf(9, '192.0.2.3')).toEqual({ 404: 9 });
    const last = await till.claim(MISSING, from('192.0.2.4'));
    expect([last.status, limitOf(last)]).toEqual([404, ['30;w=60', expect.any(String), '0', expect.any(String), null]]);
    const refused = await till.claim(MISSING, from('192.0.2.5'));
    expect(limitOf(refused)).toEqual(['30;w=60', '30', '0', '60', '60']);
    expect(await told(refused)).toEqual(refusal(429, 'Too many requests: at most 30 a minute are allowed'));
    till.service.time.now += MINUTE;
    expect(await statusesOf(1, '192.0.2.5')).toEqual({ 404: 1 });
  });

  test('security: the limit of the whole API holds as well, and is told when it leaves less', async () => {
    await setTill({ config: { ...PUBLISHED, rateLimitPerMinute: 5 } });
    const client = from('192.0.2.1');
    for (let asked = 0; asked < 3; asked += 1) await till.service.app.request('/api/gigs/types', { headers: client });
    const fourth = await till.claim(MISSING, client);
    expect([fourth.status, limitOf(fourth)]).toEqual([
      404,
      ['5;w=60', expect.any(String), '1', expect.any(String), null],
    ]);
    expect(await statusesOf(2, '192.0.2.1')).toEqual({ 404: 1, 429: 1 });
  });

  test('behavior: looking up what can be claimed is not held to them', async () => {
    await setTill({ config: PUBLISHED });
    await statusesOf(11, '192.0.2.1');
    const look = await till.service.app.request('/api/claim?identifiers=1001', { headers: from('192.0.2.1') });
    expect([look.status, look.headers.get('ratelimit-limit')]).toEqual([200, '100000']);
  });

  test('behavior: an answer above them fits the document', async () => {
    await setTill({ config: { claimLimits: { client: 1, inAll: 1 } } });
    await till.claim(MISSING);
    await (await readDocument(till.service)).hold('/api/claim', 'post', till.claim(MISSING), 429);
  });
});

describe('look-ups at the platforms', () => {
  let asked: string[];
  let gate: PromiseWithResolvers<void> | null;

  /** A till that notes each look-up at a platform, and holds it while there is a gate. */
  async function openCounting(): Promise<void> {
    asked = [];
    gate = null;
    await setTill({
      wrapPlatform: (platform) => ({
        ...platform,
        async lookUpPost(url) {
          asked.push(url);
          await gate?.promise;
          return await platform.lookUpPost(url);
        },
      }),
    });
  }

  test('security: those who send one post at the same time share one look-up, whichever form its URL has', async () => {
    await openCounting();
    await till.gig(await deployToken({ decimals: 6, symbol: 'USDC' }), [
      { xUserId: '1700000000000001002', amount: 5n },
    ]);
    const address = '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC';
    const { id } = till.x.post({ author: 'bob', text: `claim my rewards ${address}` });
    gate = Promise.withResolvers();
    const urls = [
      `https://x.com/bob/status/${id}`,
      `https://x.com/bob/status/${id}?s=20`,
      `https://twitter.com/alice/status/${id}#top`,
      `https://mobile.x.com/i/status/${id}/photo/1`,
      `https://x.com/i/web/status/${id}/`,
    ];
    const answers = urls.map((url) => till.claim(url));
    await expect.poll(() => asked.length).toBe(1);
    gate.resolve();
    const texts = await Promise.all(
      answers.map(async (answer) => [(await answer).status, await (await answer).text()]),
    );
    expect(new Set(texts.map(String)).size).toBe(1);
    expect(texts[0]).toEqual([
      200,
      expect.stringContaining(`"success_count":1,"pending_count":0,"recipient":"${address}"`),
    ]);
    expect(asked).toEqual([urls[0]]);
    // It is known now, and nobody is asked any more.
    expect((await till.claim(`https://x.com/i/status/${id}`)).status).toBe(200);
    expect(asked).toHaveLength(1);
  });

  test('security: casts share a look-up by as much of the hash as the URL has', async () => {
    await openCounting();
    const { id } = till.farcaster.post({ author: 'alice', text: 'hello' });
    const short = id.slice(0, 10);
    gate = Promise.withResolvers();
    const whole = [
      `https://farcaster.xyz/alice/${id}`,
      `https://farcaster.xyz/~/conversations/${id}`,
      `https://warpcast.com/bob/${id}?x=1`,
    ];
    const shortened = [
      `https://farcaster.xyz/alice/${short}`,
      `https://www.warpcast.com/ALICE/${short.toUpperCase().replace('X', 'x')}/`,
    ];
    const answers = [...whole, ...shortened].map((each) => till.claim(each));
    await expect.poll(() => asked.length).toBe(2);
    gate.resolve();
    expect(new Set((await Promise.all(answers)).map(({ status }) => status))).toEqual(new Set([400]));
    expect(asked).toHaveLength(2);
    // A post that is there and claims nothing is looked at again: its author may edit it.
    await till.claim(`https://farcaster.xyz/alice/${short}`);
    expect(asked).toHaveLength(3);
  });

  test('security: a missing post is not looked for again for a minute', async () => {
    await openCounting();
    const ask = (url: string) => told(till.claim(url));
    const missing = 'https://x.com/bob/status/2124059830049046528';
    for (const url of [missing, `${missing}?s=20`, missing.replace('bob', 'i')]) {
      expect(await ask(url)).toEqual(refusal(404, 'Post not found'));
    }
    expect(await ask(MISSING)).toEqual(refusal(404, 'Cast not found'));
    expect(await ask(MISSING.replace('farcaster.xyz', 'warpcast.com'))).toEqual(refusal(404, 'Cast not found'));
    expect(asked).toEqual([missing, MISSING]);
    till.service.time.now += MINUTE - 1;
    await ask(missing);
    expect(asked).toHaveLength(2);
    till.service.time.now += 1;
    await ask(missing);
    expect(asked).toEqual([missing, MISSING, missing]);
    // A clock that is set back makes the minute no longer.
    till.service.time.now -= 60 * MINUTE;
    await ask(missing);
    expect(asked).toEqual([missing, MISSING, missing, missing]);
  });

  test('behavior: a claim that was made since is found, though its post was missing a moment ago', async () => {
    let isThere = false;
    await setTill({
      wrapPlatform: (platform) => ({
        ...platform,
        lookUpPost: async (url) => (isThere ? await platform.lookUpPost(url) : null),
      }),
    });
    await till.gig(await deployToken({ decimals: 6, symbol: 'USDC' }), [{ fid: '1001', amount: 5n }]);
    const { id } = till.farcaster.post({ author: 'alice', text: 'claim my rewards' });
    const url = `https://farcaster.xyz/alice/${id}`;
    expect((await till.claim(url)).status).toBe(404);
    isThere = true;
    const paid = await till.claim(url.slice(0, -32));
    expect(paid.status).toBe(200);
    const again = await till.claim(url);
    expect([again.status, await again.text()]).toEqual([200, await paid.text()]);
  });

  test('error: a look-up that failed is made again at once', async () => {
    await openCounting();
    const { url } = till.x.post({ author: 'bob', text: 'hello' });
    till.x.faults.api = 'server_error';
    expect((await till.claim(url)).status).toBe(503);
    till.x.faults.api = 'none';
    expect((await till.claim(url)).status).toBe(400);
    expect(asked).toEqual([url, url]);
  });

  test('security: of a thousand missing posts the oldest is forgotten first', async () => {
    await openCounting();
    const url = (post: number) => `https://farcaster.xyz/alice/0x${String(post).padStart(40, '0')}`;
    for (let post = 0; post <= 1_000; post += 1) await till.claim(url(post));
    expect(asked).toHaveLength(1_001);
    await till.claim(url(1));
    await till.claim(url(1_000));
    expect(asked).toHaveLength(1_001);
    await till.claim(url(0));
    expect(asked).toHaveLength(1_002);
  });

  test('security: what is no URL of a post costs no look-up', async () => {
    await openCounting();
    const urls = ['https://example.com/', 'x', 'https://farcaster.xyz/alice', 'https://x.com.evil.example/a'];
    const more = ['https://x.com/bob', 'https://twitter.com/bob/status/0012', 'ftp://x.com/bob/status/1'];
    const error = 'url is not the URL of a post on Farcaster or X, such as https://farcaster.xyz/alice/0x1234abcd';
    for (const url of [...urls, ...more]) {
      expect([url, await told(till.claim(url))]).toEqual([url, refusal(400, error)]);
    }
    expect(asked).toEqual([]);
  });
});
