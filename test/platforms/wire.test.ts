import { describe, expect, test } from 'vitest';
import type { AdapterError } from '../../src/domain/errors.ts';
import type { SocialPlatform } from '../../src/domain/mentions/mention.ts';
import plainError from '../fixtures/twitter/error.json' with { type: 'json' };
import problemList from '../fixtures/twitter/problem.json' with { type: 'json' };
import { answering, failureOf, json, openFarcaster, openTwitter, openWire, type Reaction, replyTo } from './setup.ts';

const HASH = `0x${'c2'.repeat(20)}`;
const REPLY = replyTo(HASH);
const X_REPLY = replyTo('2080765813578191303');
/** X's words, longer than what an error shows of them. */
const NO_REPLY =
  'Reply to this conversation is not allowed because you have not been mentioned or otherwise engaged by the author of the post you are replying to.';
const LOCKED = 'To protect our users from spam and other malicious activity, this account is temporarily locked.';
const NOT_CONFIGURED =
  'Your client app is not configured with the appropriate oauth1 app permissions for this endpoint.';
const NOT_ENGAGED = 'Reply not allowed: you have not been mentioned or otherwise engaged by its author.';

/** Both platforms, each posting and reading once against a server that answers like this. */
const platforms = [
  ['Neynar', openFarcaster, REPLY],
  ['X', openTwitter, X_REPLY],
] as const;

/** X before a server that reacts so. */
async function facing(reaction: Reaction) {
  return await openTwitter((await openWire(reaction)).url);
}

/** Why a call failed, and whether it may be made again. */
async function outcome(work: Promise<unknown>): Promise<[AdapterError['reason'], AdapterError['retry']]> {
  const { reason, retry } = await failureOf(work);
  return [reason, retry];
}

async function both(open: (typeof platforms)[number][1], reply: typeof REPLY, reaction: Reaction, ms = 5_000) {
  const { url, requests } = await openWire(reaction);
  const platform: SocialPlatform = await open(url, ms);
  const sent = await outcome(platform.reply(reply));
  return { sent, read: await outcome(platform.pollEvents({ cursor: null, since: 0 })), requests };
}

const html = (status: number) =>
  answering(status, '<html><body>Bad Gateway</body></html>', { 'content-type': 'text/html' });
const elsewhere = (status: number) => answering(status, '', { location: 'http://127.0.0.1:9/elsewhere' });

describe.each(platforms)('%s, on a bad wire', (_, open, reply) => {
  const cases: [name: string, reaction: Reaction, reason: string, sent: string, read: string][] = [
    ['the connection is reset', (response) => response.socket?.resetAndDestroy(), 'unreachable', 'unknown', 'safe'],
    ['the connection is closed', (response) => response.socket?.destroy(), 'unreachable', 'unknown', 'safe'],
    ['200 with HTML', html(200), 'bad_response', 'unknown', 'safe'],
    ['200 with broken JSON', answering(200, '{"success": true, "cast": {'), 'bad_response', 'unknown', 'safe'],
    ['200 with an empty body', answering(200, ''), 'bad_response', 'unknown', 'safe'],
    ['200 without data', json({}), 'bad_response', 'unknown', 'safe'],
    ['302', elsewhere(302), 'bad_response', 'unknown', 'safe'],
    ['307', elsewhere(307), 'bad_response', 'unknown', 'safe'],
    ['502 with HTML', html(502), 'server_error', 'unknown', 'safe'],
    ['504 with an empty body', answering(504, ''), 'server_error', 'unknown', 'safe'],
    ['500 with broken JSON', answering(500, '{"mess'), 'server_error', 'unknown', 'safe'],
    ['500 with a JSON string', json('no', 500), 'server_error', 'unknown', 'safe'],
    ['400', json({}, 400), 'rejected', 'never', 'never'],
    ['401', json({}, 401), 'unauthorized', 'safe', 'safe'],
    ['402', json({}, 402), 'payment_required', 'safe', 'safe'],
    ['403', json({}, 403), 'forbidden', 'never', 'never'],
    ['403 with HTML', html(403), 'bad_response', 'unknown', 'safe'],
    ['404', json({}, 404), 'not_found', 'never', 'never'],
    ['404 with HTML', html(404), 'bad_response', 'unknown', 'safe'],
    [
      '429 in plain text',
      answering(429, 'slow down', { 'content-type': 'text/plain' }),
      'rate_limited',
      'safe',
      'safe',
    ],
    ['429 with broken JSON', answering(429, '{"'), 'rate_limited', 'safe', 'safe'],
  ];

  test.each(cases)('error: %s', async (_name, reaction, reason, sent, read) => {
    const { requests, ...found } = await both(open, reply, reaction);
    expect(found).toEqual({ sent: [reason, sent], read: [reason, read] });
    // What X refuses as malformed is asked for in its other vocabulary, too.
    const again = open === openTwitter && reason === 'rejected' ? ['GET'] : [];
    expect(requests.map(({ method }) => method)).toEqual(['POST', 'GET', ...again]);
  });

  test('error: an answer that breaks off leaves the outcome open', async () => {
    const found = await both(open, reply, (response) => {
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': '500' });
      response.write('{"success": true,', () => response.socket?.destroy());
    });
    expect([found.sent[1], found.read[1]]).toEqual(['unknown', 'safe']);
  });

  test('error: no answer at all ends in a timeout', async () => {
    const found = await both(open, reply, () => undefined, 150);
    expect(found).toMatchObject({ sent: ['timeout', 'unknown'], read: ['timeout', 'safe'] });
  });

  test('error: an answer that trickles for ever ends in a timeout', async () => {
    const trickle: Reaction = (response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      const timer = setInterval(() => response.write(' '), 20);
      response.on('close', () => clearInterval(timer));
    };
    const found = await both(open, reply, trickle, 200);
    expect([found.sent[1], found.read[1]]).toEqual(['unknown', 'safe']);
  });

  test('behavior: a connection that was refused sent nothing, so it is safe to repeat', async () => {
    const closed = await openWire(json({}));
    await closed.close();
    const platform: SocialPlatform = await open(closed.url);
    expect(await outcome(platform.reply(reply))).toEqual(['unreachable', 'safe']);
  });

  /** X's headers about one of its limits. */
  const limit = (name: string, remaining: string, reset: string) => ({
    [`x-${name}-limit`]: '100',
    [`x-${name}-remaining`]: remaining,
    [`x-${name}-reset`]: reset,
  });

  test.each([
    [{ 'retry-after': '7' }, 7_000],
    [{ 'retry-after': 'Sat, 21 Nov 2026 12:00:30 GMT' }, 30_000],
    [{ 'retry-after': 'Sat, 21 Nov 2026 11:00:00 GMT' }, 1_000],
    [{ 'retry-after': '99999999' }, 86_400_000],
    [{ 'retry-after': 'soon' }, undefined],
    [{}, undefined],
    [limit('rate-limit', '0', '1795262460'), 60_000],
    [{ ...limit('rate-limit', '99', '1795262460'), ...limit('user-limit-24hour', '0', '1795266000') }, 3_600_000],
    [{ ...limit('rate-limit', '0', '1795262460'), ...limit('app-limit-24hour', '0', '1795262520') }, 120_000],
  ])('behavior: 429 with %j asks for the delay', async (headers, expected) => {
    const platform: SocialPlatform = await open((await openWire(answering(429, '{}', headers))).url);
    expect((await failureOf(platform.reply(reply))).retryAfterMs).toBe(expected);
  });

  test('security: no error carries a credential, not even what it was caused by', async () => {
    const wire = await openWire((response, { headers }) =>
      json({ message: `${headers['x-api-key']}`, detail: 'fake-app-key said no' }, 403)(response),
    );
    const platform: SocialPlatform = await open(wire.url);
    const failure = await failureOf(platform.reply(reply));
    const { inspect } = await import('node:util');
    expect(inspect(failure, { depth: 20, showHidden: true })).not.toMatch(/fake-(neynar|app|access|webhook)/);
  });
});

describe('X, refusing', () => {
  test.each([
    [NO_REPLY, 'about:blank', ['not_engaged', 'never']],
    ['You are not allowed to create a Tweet with duplicate content.', 'about:blank', ['duplicate', 'unknown']],
    ['no', 'https://api.x.com/2/problems/client-forbidden', ['unauthorized', 'safe']],
    ['no', 'https://api.twitter.com/2/problems/oauth1-permissions', ['unauthorized', 'safe']],
    ['Your account is suspended and is not permitted to access this feature.', 'about:blank', ['unauthorized', 'safe']],
    [LOCKED, 'about:blank', ['unauthorized', 'safe']],
    [NOT_CONFIGURED, 'about:blank', ['unauthorized', 'safe']],
    ['You are not permitted to perform this action.', 'about:blank', ['forbidden', 'never']],
    ['User has been suspended.', 'about:blank', ['forbidden', 'never']],
    ['You have been blocked from replying to this post.', 'about:blank', ['forbidden', 'never']],
    ['The original author restricted who can reply to this post.', 'about:blank', ['forbidden', 'never']],
    ['You attempted to reply to a Tweet that is deleted or not visible to you.', 'about:blank', ['not_found', 'never']],
  ])('error: 403 %s (%s)', async (detail, type, expected) => {
    const twitter = await facing(json({ title: 'Forbidden', detail, type, status: 403 }, 403));
    const { reason, retry, message } = await failureOf(twitter.reply(X_REPLY));
    expect([reason, retry]).toEqual(expected);
    expect(message).toContain(detail.slice(0, 100));
  });

  test.each([
    [403, plainError, ['duplicate', 'unknown'], plainError.message],
    [403, { code: 403, message: NOT_ENGAGED }, ['not_engaged', 'never'], NOT_ENGAGED],
    [503, { code: 503, message: 'Service Unavailable' }, ['server_error', 'unknown'], 'Service Unavailable'],
    [400, problemList, ['rejected', 'never'], `${problemList.detail} WebhookLimitExceeded:`],
    [403, { title: 'Forbidden', type: 'about:blank', status: 403 }, ['forbidden', 'never'], 'Forbidden'],
  ])('error: %d with %j is read, as a problem document and as JSON', async (status, body, expected, words) => {
    for (const type of ['application/problem+json', 'application/json']) {
      const twitter = await facing(answering(status, JSON.stringify(body), { 'content-type': type }));
      const { reason, retry, message } = await failureOf(twitter.reply(X_REPLY));
      expect([reason, retry]).toEqual(expected);
      expect(message).toBe(`X answered ${status} to “post a reply”: ${words}`);
    }
  });

  test('behavior: asks for no compression, in which a cut answer would never end', async () => {
    const { url, requests } = await openWire(json({ data: { id: '5', text: 'hello' } }, 201));
    expect(await (await openTwitter(url)).reply(X_REPLY)).toEqual({ postId: '5' });
    expect(requests[0]?.headers['accept-encoding']).toBeUndefined();
  });

  test('error: an id that came as a number is no id', async () => {
    const twitter = await facing(answering(201, '{"data":{"id":2080765813578191303,"text":"hello"}}'));
    expect(await outcome(twitter.reply(X_REPLY))).toEqual(['bad_response', 'unknown']);
  });
});

describe('what a look-up is answered with', () => {
  const cast = { hash: `0x${'d3'.repeat(20)}`, text: 'claim my rewards', author: { fid: 5 } };

  test('security: another cast than the one asked for is no answer', async () => {
    const farcaster = openFarcaster((await openWire(json({ cast }))).url);
    const found = outcome(farcaster.lookUpPost('https://farcaster.xyz/alice/0xaaaaaaaa'));
    expect(await found).toEqual(['bad_response', 'safe']);
  });

  test('security: another post than the one asked for is no answer', async () => {
    const twitter = await facing(json({ data: { id: '7', text: 'claim my rewards', author_id: '5' } }));
    expect(await outcome(twitter.lookUpPost('https://x.com/alice/status/8'))).toEqual(['bad_response', 'safe']);
  });

  test('error: Neynar says success without a hash, or without success', async () => {
    const answers = [
      { success: true, cast: { hash: '0x12' } },
      { success: false, cast: { hash: HASH } },
      { cast: { hash: HASH } },
    ];
    for (const answer of answers) {
      const farcaster = openFarcaster((await openWire(json(answer))).url);
      expect(await outcome(farcaster.reply(REPLY))).toEqual(['bad_response', 'unknown']);
    }
  });

  test('behavior: a bare 200 about a cast looked up on the first host is asked on the second after 404', async () => {
    const missing = json({ message: 'Cast not found' }, 404);
    const wire = await openWire((response) => (wire.requests.length === 1 ? missing : json({ cast }))(response));
    const found = await openFarcaster(wire.url).lookUpPost('https://warpcast.com/alice/0xd3d3d3d3');
    expect(found?.authorId).toBe('5');
    expect(wire.requests.map(({ path }) => new URL(path, 'http://x').searchParams.get('identifier'))).toEqual([
      'https://warpcast.com/alice/0xd3d3d3d3',
      'https://farcaster.xyz/alice/0xd3d3d3d3',
    ]);
  });
});

/** Sends an answer that never ends, so much each few milliseconds. @returns when its connection is closed */
function endless(bytes: number) {
  const closed = Promise.withResolvers<void>();
  const answer: Reaction = (response) => {
    response.writeHead(200, { 'content-type': 'application/json' }).write('{"more":"');
    const timer = setInterval(() => response.writableNeedDrain || response.write('x'.repeat(bytes)), 2);
    response.on('close', () => {
      clearInterval(timer);
      closed.resolve();
    });
  };
  return { answer, closed: closed.promise };
}

describe('an answer that does not end', () => {
  test.each(platforms)('security: %s is hung up on when its time is over', async (_, open) => {
    const { answer, closed } = endless(10);
    const platform: SocialPlatform = await open((await openWire(answer)).url, 300);
    expect(await outcome(platform.pollEvents({ cursor: null, since: 0 }))).toEqual(['timeout', 'safe']);
    await closed;
  });

  test.each(platforms)('security: %s is hung up on when it sends too much', async (_, open) => {
    const { answer, closed } = endless(1_000_000);
    const platform: SocialPlatform = await open((await openWire(answer)).url, 20_000);
    expect(await outcome(platform.pollEvents({ cursor: null, since: 0 }))).toEqual(['bad_response', 'safe']);
    await closed;
  });
});
