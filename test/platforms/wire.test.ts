import type { IncomingMessage, ServerResponse } from 'node:http';
import { afterEach, describe, expect, test } from 'vitest';
import type { AdapterError } from '../../src/domain/errors.ts';
import type { SocialPlatform } from '../../src/domain/mentions/mention.ts';
import plainError from '../fixtures/twitter/error.json' with { type: 'json' };
import problemList from '../fixtures/twitter/problem.json' with { type: 'json' };
import { answering, failureOf, openFarcaster, openTwitter, openWire, type Wire } from './setup.ts';

const HASH = `0x${'c2'.repeat(20)}`;
const REPLY = {
  replyTo: HASH,
  authorId: '1001',
  text: 'hello',
  idem: '0123456789abcdef',
  notAfter: Number.MAX_SAFE_INTEGER,
};
/** X's words, longer than what an error shows of them. */
const NOT_ENGAGED = 'Reply not allowed: you have not been mentioned or otherwise engaged by its author.';
const X_REPLY = { ...REPLY, replyTo: '2080765813578191303' };

let wire: Wire | undefined;
afterEach(async () => {
  await wire?.close();
  wire = undefined;
});

type Answer = (response: ServerResponse, request: IncomingMessage) => void;

/** Both platforms, each posting and reading once against a server that answers like this. */
const platforms = [
  ['Neynar', openFarcaster, REPLY],
  ['X', openTwitter, X_REPLY],
] as const;

function outcome(failure: AdapterError) {
  return [failure.reason, failure.retry];
}

async function both(open: typeof openFarcaster | typeof openTwitter, reply: typeof REPLY, answer: Answer, ms = 5_000) {
  wire = await openWire(answer);
  const platform: SocialPlatform = await open(wire.url, ms);
  return {
    sent: outcome(await failureOf(platform.reply(reply))),
    read: outcome(await failureOf(platform.pollEvents({ cursor: null, since: 0 }))),
  };
}

const html = (response: ServerResponse, status: number) =>
  response.writeHead(status, { 'content-type': 'text/html' }).end('<html><body>Bad Gateway</body></html>');

describe.each(platforms)('%s, on a bad wire', (_, open, reply) => {
  const cases: [string, Answer, { sent: [string, string]; read: [string, string] }][] = [
    [
      'the connection is reset',
      (response) => response.socket?.resetAndDestroy(),
      { sent: ['unreachable', 'unknown'], read: ['unreachable', 'safe'] },
    ],
    [
      'the connection is closed without an answer',
      (response) => response.socket?.destroy(),
      { sent: ['unreachable', 'unknown'], read: ['unreachable', 'safe'] },
    ],
    [
      '200 with HTML',
      (response) => html(response, 200),
      { sent: ['bad_response', 'unknown'], read: ['bad_response', 'safe'] },
    ],
    [
      '200 with broken JSON',
      answering(200, '{"success": true, "cast": {'),
      { sent: ['bad_response', 'unknown'], read: ['bad_response', 'safe'] },
    ],
    [
      '200 with an empty body',
      answering(200, ''),
      { sent: ['bad_response', 'unknown'], read: ['bad_response', 'safe'] },
    ],
    ['200 without data', answering(200, '{}'), { sent: ['bad_response', 'unknown'], read: ['bad_response', 'safe'] }],
    [
      '302',
      answering(302, '', { location: 'http://127.0.0.1:9/elsewhere' }),
      { sent: ['bad_response', 'unknown'], read: ['bad_response', 'safe'] },
    ],
    [
      '307',
      answering(307, '', { location: 'http://127.0.0.1:9/elsewhere' }),
      { sent: ['bad_response', 'unknown'], read: ['bad_response', 'safe'] },
    ],
    [
      '502 with HTML',
      (response) => html(response, 502),
      { sent: ['server_error', 'unknown'], read: ['server_error', 'safe'] },
    ],
    [
      '504 with an empty body',
      answering(504, ''),
      { sent: ['server_error', 'unknown'], read: ['server_error', 'safe'] },
    ],
    [
      '500 with broken JSON',
      answering(500, '{"mess'),
      { sent: ['server_error', 'unknown'], read: ['server_error', 'safe'] },
    ],
    [
      '500 with a JSON string',
      answering(500, '"no"'),
      { sent: ['server_error', 'unknown'], read: ['server_error', 'safe'] },
    ],
    ['400', answering(400, '{}'), { sent: ['rejected', 'never'], read: ['rejected', 'never'] }],
    ['401', answering(401, '{}'), { sent: ['unauthorized', 'safe'], read: ['unauthorized', 'safe'] }],
    ['402', answering(402, '{}'), { sent: ['payment_required', 'safe'], read: ['payment_required', 'safe'] }],
    ['403', answering(403, '{}'), { sent: ['forbidden', 'never'], read: ['forbidden', 'never'] }],
    ['404', answering(404, '{}'), { sent: ['not_found', 'never'], read: ['not_found', 'never'] }],
    [
      '429 in plain text',
      answering(429, 'slow down', { 'content-type': 'text/plain' }),
      { sent: ['rate_limited', 'safe'], read: ['rate_limited', 'safe'] },
    ],
    ['429 with broken JSON', answering(429, '{"'), { sent: ['rate_limited', 'safe'], read: ['rate_limited', 'safe'] }],
  ];

  test.each(cases)('error: %s', async (_name, answer, expected) => {
    expect(await both(open, reply, answer)).toEqual(expected);
    // What X refuses as malformed is asked for in its other vocabulary, too.
    const again = open === openTwitter && expected.read[0] === 'rejected' ? ['GET'] : [];
    expect(wire?.requests.map(({ method }) => method)).toEqual(['POST', 'GET', ...again]);
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
    expect(found).toEqual({ sent: ['timeout', 'unknown'], read: ['timeout', 'safe'] });
  });

  test('error: an answer that trickles for ever ends in a timeout', async () => {
    const timers: NodeJS.Timeout[] = [];
    const trickle: Answer = (response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      timers.push(setInterval(() => response.write(' '), 20));
    };
    const found = await both(open, reply, trickle, 200);
    for (const timer of timers) clearInterval(timer);
    expect(found.sent[1]).toBe('unknown');
    expect(found.read[1]).toBe('safe');
  });

  test('behavior: a connection that was refused sent nothing, so it is safe to repeat', async () => {
    const closed = await openWire(answering(200, '{}'));
    await closed.close();
    const platform: SocialPlatform = await open(closed.url);
    expect(outcome(await failureOf(platform.reply(reply)))).toEqual(['unreachable', 'safe']);
  });

  test.each([
    [{ 'retry-after': '7' }, 7_000],
    [{ 'retry-after': 'Sat, 21 Nov 2026 12:00:30 GMT' }, 30_000],
    [{ 'retry-after': 'Sat, 21 Nov 2026 11:00:00 GMT' }, 1_000],
    [{ 'retry-after': '99999999' }, 86_400_000],
    [{ 'retry-after': 'soon' }, undefined],
    [{}, undefined],
    [{ 'x-rate-limit-limit': '100', 'x-rate-limit-remaining': '0', 'x-rate-limit-reset': '1795262460' }, 60_000],
    [
      {
        'x-rate-limit-limit': '100',
        'x-rate-limit-remaining': '99',
        'x-rate-limit-reset': '1795262460',
        'x-user-limit-24hour-limit': '10',
        'x-user-limit-24hour-remaining': '0',
        'x-user-limit-24hour-reset': '1795266000',
      },
      3_600_000,
    ],
    [
      {
        'x-rate-limit-limit': '100',
        'x-rate-limit-remaining': '0',
        'x-rate-limit-reset': '1795262460',
        'x-app-limit-24hour-limit': '10',
        'x-app-limit-24hour-remaining': '0',
        'x-app-limit-24hour-reset': '1795262520',
      },
      120_000,
    ],
  ])('behavior: 429 with %j asks for the delay', async (headers, expected) => {
    wire = await openWire(answering(429, '{}', headers));
    const platform: SocialPlatform = await open(wire.url);
    expect((await failureOf(platform.reply(reply))).retryAfterMs).toBe(expected);
  });

  test('security: no error carries a credential, not even what it was caused by', async () => {
    wire = await openWire((response, request) => {
      answering(
        403,
        JSON.stringify({ message: `${request.headers['x-api-key']}`, detail: 'fake-app-key said no' }),
      )(response);
    });
    const platform: SocialPlatform = await open(wire.url);
    const failure = await failureOf(platform.reply(reply));
    const { inspect } = await import('node:util');
    expect(inspect(failure, { depth: 20, showHidden: true })).not.toMatch(/fake-(neynar|app|access|webhook)/);
  });
});

describe('X, refusing', () => {
  const problem = (detail: string, type = 'about:blank') =>
    JSON.stringify({ title: 'Forbidden', detail, type, status: 403 });

  test.each([
    [
      'Reply to this conversation is not allowed because you have not been mentioned or otherwise engaged by the author of the post you are replying to.',
      'about:blank',
      ['not_engaged', 'never'],
    ],
    ['You are not allowed to create a Tweet with duplicate content.', 'about:blank', ['duplicate', 'unknown']],
    ['no', 'https://api.x.com/2/problems/client-forbidden', ['unauthorized', 'safe']],
    ['no', 'https://api.twitter.com/2/problems/oauth1-permissions', ['unauthorized', 'safe']],
    ['Your account is suspended and is not permitted to access this feature.', 'about:blank', ['unauthorized', 'safe']],
    [
      'To protect our users from spam and other malicious activity, this account is temporarily locked.',
      'about:blank',
      ['unauthorized', 'safe'],
    ],
    [
      'Your client app is not configured with the appropriate oauth1 app permissions for this endpoint.',
      'about:blank',
      ['unauthorized', 'safe'],
    ],
    ['You are not permitted to perform this action.', 'about:blank', ['forbidden', 'never']],
    ['User has been suspended.', 'about:blank', ['forbidden', 'never']],
    ['You have been blocked from replying to this post.', 'about:blank', ['forbidden', 'never']],
    ['The original author restricted who can reply to this post.', 'about:blank', ['forbidden', 'never']],
    ['You attempted to reply to a Tweet that is deleted or not visible to you.', 'about:blank', ['not_found', 'never']],
  ])('error: 403 %s (%s)', async (detail, type, expected) => {
    wire = await openWire(answering(403, problem(detail, type)));
    const twitter = await openTwitter(wire.url);
    const failure = await failureOf(twitter.reply(X_REPLY));
    expect(outcome(failure)).toEqual(expected);
    expect(failure.message).toContain(detail.slice(0, 100));
  });

  test.each([
    [403, plainError, ['duplicate', 'unknown'], plainError.message],
    [403, { code: 403, message: NOT_ENGAGED }, ['not_engaged', 'never'], NOT_ENGAGED],
    [503, { code: 503, message: 'Service Unavailable' }, ['server_error', 'unknown'], 'Service Unavailable'],
    [400, problemList, ['rejected', 'never'], `${problemList.detail} WebhookLimitExceeded:`],
    [403, { title: 'Forbidden', type: 'about:blank', status: 403 }, ['forbidden', 'never'], 'Forbidden'],
  ])('error: %d with %j is read, as a problem document and as JSON', async (status, body, expected, words) => {
    for (const type of ['application/problem+json', 'application/json']) {
      wire = await openWire(answering(status, JSON.stringify(body), { 'content-type': type }));
      const failure = await failureOf((await openTwitter(wire.url)).reply(X_REPLY));
      expect(outcome(failure)).toEqual(expected);
      expect(failure.message).toBe(`X answered ${status} to “post a reply”: ${words}`);
      await wire.close();
    }
  });

  test('behavior: asks for no compression, in which a cut answer would never end', async () => {
    wire = await openWire(answering(201, '{"data":{"id":"5","text":"hello"}}'));
    const twitter = await openTwitter(wire.url);
    expect(await twitter.reply(X_REPLY)).toEqual({ postId: '5' });
    expect(wire.requests[0]?.headers['accept-encoding']).toBeUndefined();
  });

  test('error: an id that came as a number is no id', async () => {
    wire = await openWire(answering(201, '{"data":{"id":2080765813578191303,"text":"hello"}}'));
    const twitter = await openTwitter(wire.url);
    expect(outcome(await failureOf(twitter.reply(X_REPLY)))).toEqual(['bad_response', 'unknown']);
  });
});

describe('what a look-up is answered with', () => {
  const cast = { hash: `0x${'d3'.repeat(20)}`, text: 'claim my rewards', author: { fid: 5 } };

  test('security: another cast than the one asked for is no answer', async () => {
    wire = await openWire(answering(200, JSON.stringify({ cast })));
    const farcaster = await openFarcaster(wire.url);
    const failure = await failureOf(farcaster.lookUpPost('https://farcaster.xyz/alice/0xaaaaaaaa'));
    expect(outcome(failure)).toEqual(['bad_response', 'safe']);
  });

  test('security: another post than the one asked for is no answer', async () => {
    wire = await openWire(answering(200, '{"data":{"id":"7","text":"claim my rewards","author_id":"5"}}'));
    const twitter = await openTwitter(wire.url);
    const failure = await failureOf(twitter.lookUpPost('https://x.com/alice/status/8'));
    expect(outcome(failure)).toEqual(['bad_response', 'safe']);
  });

  test('error: Neynar says success without a hash, or without success', async () => {
    const answers = [
      { success: true, cast: { hash: '0x12' } },
      { success: false, cast: { hash: HASH } },
      { cast: { hash: HASH } },
    ];
    for (const answer of answers) {
      wire = await openWire(answering(200, JSON.stringify(answer)));
      const farcaster = await openFarcaster(wire.url);
      expect(outcome(await failureOf(farcaster.reply(REPLY)))).toEqual(['bad_response', 'unknown']);
      await wire.close();
    }
  });

  test('behavior: a bare 200 about a cast looked up on the first host is asked on the second after 404', async () => {
    let count = 0;
    wire = await openWire((response) => {
      count += 1;
      if (count === 1) answering(404, '{"message":"Cast not found"}')(response);
      else answering(200, JSON.stringify({ cast }))(response);
    });
    const farcaster = await openFarcaster(wire.url);
    const found = await farcaster.lookUpPost('https://warpcast.com/alice/0xd3d3d3d3');
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
  const answer: Answer = (response) => {
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
    wire = await openWire(answer);
    const platform: SocialPlatform = await open(wire.url, 300);
    const failure = await failureOf(platform.pollEvents({ cursor: null, since: 0 }));
    expect(outcome(failure)).toEqual(['timeout', 'safe']);
    await closed;
  });

  test.each(platforms)('security: %s is hung up on when it sends too much', async (_, open) => {
    const { answer, closed } = endless(1_000_000);
    wire = await openWire(answer);
    const platform: SocialPlatform = await open(wire.url, 20_000);
    expect(outcome(await failureOf(platform.pollEvents({ cursor: null, since: 0 })))).toEqual(['bad_response', 'safe']);
    await closed;
  });
});
