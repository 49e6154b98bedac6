import { beforeEach, describe, expect, test } from 'vitest';
import { checksummed } from '../../../../src/domain/gigs/token.ts';
import { deployToken, freshAddress, type TestToken } from '../../../support/anvil.ts';
import { deployOdd, setting } from '../../../support/odd-tokens.ts';
import { readDocument } from '../../document.ts';
import { forThisTest, NOW } from '../../service.ts';
import { invalid, published, refusal, told } from '../../terms.ts';
import { openTill, till, useTill } from '../../till.ts';

const ALICE = { fid: '1001', address: '0x70997970C51812dc3A010C7d01b50e0d17dc79C8' };
const BOB_ON_X = '1700000000000001002';
const DAY = 86_400_000;
const HASH = /^0x[0-9a-f]{64}$/;

let token: TestToken;
useTill();
beforeEach(async () => {
  token = await deployToken({ decimals: 6, symbol: 'USDC' });
});

const cast = (text: string, author = 'alice') => till.farcaster.post({ author, text }).url;
const post = (text: string, author = 'bob') => till.x.post({ author, text }).url;

const entry = (asset: TestToken, amount: string) => ({
  token_address: checksummed(asset.address),
  token_symbol: asset.symbol,
  amount,
  chain_name: 'Anvil',
});
const summary = (recipient: string, counts: Partial<Record<'failed' | 'success' | 'pending', number>>) => {
  const { failed = 0, success = 0, pending = 0 } = counts;
  const total_transactions = failed + success + pending;
  return { total_transactions, failed_count: failed, success_count: success, pending_count: pending, recipient };
};

const FROZEN = 'the operator has frozen this gig’s payments for now; nothing is lost';

describe('what is answered', () => {
  test.each([undefined, 'text/plain', 'application/json', 'application/x-www-form-urlencoded'])(
    'behavior: a paid claim, whatever the Content-Type, here %s',
    async (type) => {
      await till.gig(token, [
        { fid: ALICE.fid, amount: 1_500_000n },
        { fid: ALICE.fid, amount: 1n },
      ]);
      const answer = till.claim(cast('Claim my rewards'), type === undefined ? {} : { 'content-type': type });
      expect(await told(answer)).toEqual({
        status: 200,
        body: {
          transactions: {
            successful: [{ ...entry(token, '1.500001'), tx_hash: expect.stringMatching(HASH), status: 'success' }],
            failed: [],
            pending: [],
          },
          summary: summary(ALICE.address, { success: 1 }),
        },
      });
    },
  );

  test('behavior: a claim is written down as its author’s, under the request that brought it', async () => {
    const gigs = [await till.gig(token, [{ fid: ALICE.fid, amount: 5n }])];
    gigs.push(await till.gig(token, [{ fid: ALICE.fid, amount: 6n }]));
    expect((await till.claim(cast('claim my rewards'), { 'x-request-id': 'req-5' })).status).toBe(200);
    const events = await till.service.store.auditEvents({ limit: 1 });
    const detail = { gigs: gigs.map(({ id }) => id), tips: 2, source: 'url' };
    expect(JSON.parse(events[0]?.detail ?? '')).toMatchObject(detail);
    expect(await till.service.store.claims({ limit: 1 })).toMatchObject([{ source: 'url' }]);
    expect(events).toMatchObject([
      {
        action: 'claim.open',
        actor: 'account',
        actorName: `farcaster:${ALICE.fid}`,
        requestId: 'req-5',
        apiKeyId: null,
      },
    ]);
  });

  test('behavior: what is paid and what failed of one claim, and on the next request what was retried', async () => {
    const odd = await deployOdd('BlockingToken');
    await till.gig(odd, [{ fid: ALICE.fid, amount: 10n ** 6n }]);
    await till.gig(token, [{ fid: ALICE.fid, amount: 7n }]);
    await till.gig(token, [{ fid: ALICE.fid, amount: 8n }]);
    const to = freshAddress();
    await odd.change(setting.blocked(to, true));
    const url = cast(`claim my rewards ${to}`);
    const { status, body } = await told(till.claim(url));
    const paid = (amount: string) => ({ ...entry(token, amount), tx_hash: expect.stringMatching(HASH) });
    const successful = [
      { ...paid('0.000007'), status: 'success' },
      { ...paid('0.000008'), status: 'success' },
    ];
    const reason = expect.stringMatching(/^the transfer of token 0x[0-9a-f]{40} would fail: recipient is blocked/);
    const failed = [{ ...entry(odd, '0.000000000001'), status: 'failed', reason }];
    expect([status, body]).toEqual([
      200,
      {
        transactions: { successful, failed, pending: [] },
        summary: summary(checksummed(to), { success: 2, failed: 1 }),
      },
    ]);
    expect(JSON.stringify(body)).not.toMatch(/@|evil/);
    await odd.change(setting.blocked(to, false));
    const { body: again } = await told(till.claim(url));
    expect(again).toMatchObject({ transactions: { failed: [] }, summary: summary(checksummed(to), { success: 3 }) });
  });

  test('behavior: what is not final after twenty seconds is pending, with its hash once there is one', async () => {
    const slow = await forThisTest(openTill({ pays: false }));
    await slow.gig(token, [{ xUserId: BOB_ON_X, amount: 5n }]);
    const to = freshAddress();
    const url = slow.x.post({ author: 'bob', text: `claim my rewards ${to}` }).url;
    const pending = (tx_hash: unknown) => [{ ...entry(token, '0.000005'), tx_hash, status: 'pending', reason: null }];
    const answered = (tx_hash: unknown) => ({
      transactions: { successful: [], failed: [], pending: pending(tx_hash) },
      summary: summary(checksummed(to), { pending: 1 }),
    });
    expect(await told(slow.claim(url))).toEqual({ status: 200, body: answered(null) });
    expect(slow.service.time.now).toBe(NOW + 20_000);
    while ((await slow.service.store.payments({ limit: 1, state: 'sent', kind: 'payout' })).length === 0) {
      await slow.pay();
    }
    expect(await told(slow.claim(url))).toEqual({ status: 200, body: answered(expect.stringMatching(HASH)) });
  });

  test('behavior: what is frozen is answered as pending at once, and nobody learns what the operator wrote', async () => {
    const slow = await forThisTest(openTill({ pays: false }));
    const gig = await slow.gig(token, [{ fid: ALICE.fid, amount: 5n }]);
    const freeze = (reason: string | null) =>
      slow.service.store.transaction((tx) => tx.freezeGig(gig.id, { reason, now: NOW }));
    await freeze('a secret of the operator');
    const url = slow.farcaster.post({ author: 'alice', text: 'claim my rewards' }).url;
    const waiting = (reason: string | null) => ({
      transactions: {
        successful: [],
        failed: [],
        pending: [{ ...entry(token, '0.000005'), tx_hash: null, status: 'pending', reason }],
      },
      summary: summary(ALICE.address, { pending: 1 }),
    });
    expect(await told(slow.claim(url))).toEqual({ status: 200, body: waiting(FROZEN) });
    expect(slow.service.time.now).toBe(NOW);
    // Something of the same claim that can still be paid is waited for.
    await freeze(null);
    expect(await told(slow.claim(url))).toEqual({ status: 200, body: waiting(null) });
    expect(slow.service.time.now).toBe(NOW + 20_000);
  });

  test('behavior: one payment of a claim that is frozen keeps no answer about another back', async () => {
    const gig = await till.gig(token, [{ fid: ALICE.fid, amount: 5n }]);
    await till.gig(token, [{ fid: ALICE.fid, amount: 7n }]);
    await till.service.store.transaction((tx) => tx.freezeGig(gig.id, { reason: 'x', now: NOW }));
    expect(await told(till.claim(cast('claim my rewards')))).toEqual({
      status: 200,
      body: {
        transactions: {
          successful: [{ ...entry(token, '0.000007'), tx_hash: expect.stringMatching(HASH), status: 'success' }],
          failed: [],
          pending: [{ ...entry(token, '0.000005'), tx_hash: null, status: 'pending', reason: FROZEN }],
        },
        summary: summary(ALICE.address, { success: 1, pending: 1 }),
      },
    });
    expect(till.service.time.now).toBeLessThan(NOW + 20_000);
  });

  test('behavior: what waits for gas is answered as pending as soon as the tank is known to be empty', async () => {
    const dry = await forThisTest(openTill({ tank: 0n }));
    await dry.gig(token, [{ fid: ALICE.fid, amount: 5n }]);
    const url = dry.farcaster.post({ author: 'alice', text: 'claim my rewards' }).url;
    const reason = 'until the operator refills the gas tank; nothing is lost';
    const body = { transactions: { pending: [{ reason }] }, summary: summary(ALICE.address, { pending: 1 }) };
    const waits = { status: 200, body };
    expect(await told(dry.claim(url))).toMatchObject(waits);
    expect(dry.service.time.now).toBe(NOW + 250);
    expect(await told(dry.claim(url))).toMatchObject(waits);
    expect(dry.service.time.now).toBe(NOW + 250);
  });

  test('behavior: what waits for a budget or its token is answered at once, with the reason', async () => {
    const slow = await forThisTest(openTill({ pays: false }));
    await slow.gig(token, [{ fid: ALICE.fid, amount: 5n }]);
    const url = slow.farcaster.post({ author: 'alice', text: 'claim my rewards' }).url;
    await slow.claim(url);
    const { now: asked } = slow.service.time;
    for (const [reason, words] of [
      [
        'the client’s daily gas budget is used up',
        'because the gas budget for the client of its gig is used up today; it goes on by itself',
      ],
      [
        'its token failed on the chain 3 times within an hour',
        'because payments of its token have failed within the hour; it goes on by itself',
      ],
    ] as const) {
      await slow.service.store.transaction((tx) => tx.notePayment(1, { reason, dueAt: NOW, now: NOW }));
      expect(await told(slow.claim(url))).toMatchObject({
        status: 200,
        body: { transactions: { pending: [{ reason: words }] } },
      });
    }
    expect(slow.service.time.now).toBe(asked);
  });

  test('behavior: when the service stops, who waits is told how the claim stands', async () => {
    const slow = await forThisTest(openTill({ pays: false }));
    await slow.gig(token, [{ xUserId: BOB_ON_X, amount: 5n }]);
    const to = freshAddress();
    slow.service.stopping.now = true;
    const url = slow.x.post({ author: 'bob', text: `claim my rewards ${to}` }).url;
    const { status, body } = await told(slow.claim(url));
    expect([status, body]).toMatchObject([200, { summary: summary(checksummed(to), { pending: 1 }) }]);
    expect(slow.service.time.now).toBe(NOW + 250);
  });

  test('behavior: while a claim runs its tips say so in the look-up, and not afterwards', async () => {
    const slow = await forThisTest(openTill({ pays: false }));
    await slow.gig(token, [{ fid: ALICE.fid, amount: 5n }]);
    const tip = async () => {
      const response = await slow.service.app.request('/api/claim?identifiers=1001');
      // Other tests hold its shape.
      const { data } = published(response, await response.json()) as { data: Record<string, { tips: object[] }> };
      return Object.values(data).flatMap(({ tips }) => tips);
    };
    expect(await tip()).toMatchObject([
      { claim_nonce: null, claim_started_at: null, lock_timeout: null, user_address: '' },
    ]);
    const url = slow.farcaster.post({ author: 'alice', text: 'claim my rewards' }).url;
    await slow.claim(url);
    expect(await tip()).toMatchObject([
      {
        status: 'pending',
        claim_nonce: expect.stringMatching(/^id-/),
        user_address: ALICE.address,
        claim_started_at: '2026-11-21T09:30:00.000Z',
        lock_timeout: '2026-11-21T10:30:00.000Z',
      },
    ]);
    while ((await slow.service.store.chainsWithPayments()).length > 0) {
      // What was put off, because the node was slow, is due later.
      if (!(await slow.pay())) slow.service.time.now += 1_000;
    }
    expect(await tip()).toEqual([]);
  });

  test('behavior: tips that are earned after a post need another one', async () => {
    const url = cast('claim my rewards');
    expect(await told(till.claim(url))).toEqual(refusal(404, 'No tips found'));
    await till.gig(token, [{ fid: ALICE.fid, amount: 5n }]);
    expect(await told(till.claim(url))).toEqual(refusal(404, 'No tips found'));
    expect((await till.claim(cast('claim my rewards'))).status).toBe(200);
  });
});

describe('what is refused', () => {
  const MESSAGE = 'Message must contain "claim my rewards" with an optional Ethereum address';
  const INVALID = 'Invalid Ethereum address provided';
  const NO_POST = 'url is not the URL of a post on Farcaster or X, such as https://farcaster.xyz/alice/0x1234abcd';
  const SEVERAL = 'Multiple Ethereum addresses found in the cast';
  const NOBODY = 'No verified address found';

  test('error: with the published texts', async () => {
    const gig = await till.gig(token, [
      { fid: ALICE.fid, amount: 5n },
      { fid: '1004', amount: 5n },
      { xUserId: BOB_ON_X, amount: 5n },
    ]);
    const [one, two] = [freshAddress(), freshAddress()];
    const cases: [url: string, status: number, error: string][] = [
      [cast('hello'), 400, MESSAGE],
      [cast('claim my rewards claim my rewards'), 400, MESSAGE],
      [cast('claim my rewards 0x123'), 400, INVALID],
      [cast(`claim my rewards ${ALICE.address.replace('C5', 'c5')}`), 400, INVALID],
      [cast(`claim my rewards 0x${'0'.repeat(40)}`), 400, INVALID],
      [cast(`claim my rewards ${token.address}`), 400, INVALID],
      [cast(`claim my rewards ${gig.walletAddress}`), 400, INVALID],
      [cast(`claim my rewards ${one} ${two}`), 400, SEVERAL],
      [cast('claim my rewards', 'mallory'), 400, NOBODY],
      [post('claim my rewards'), 400, NOBODY],
      [cast('claim my rewards', 'carol'), 404, 'No tips found'],
      [`https://farcaster.xyz/alice/0x${'ab'.repeat(20)}`, 404, 'Cast not found'],
      ['https://x.com/bob/status/1', 404, 'Post not found'],
      [cast('claim my rewards bob-savings.eth'), 400, INVALID],
      [cast(`claim my rewards base:${ALICE.address}`), 400, INVALID],
      [cast('claim my rewards to my vault'), 400, INVALID],
      [cast('please don’t claim my rewards'), 400, MESSAGE],
      ['https://farcaster.xyz.evil.example/alice/0x9288c1e8', 400, NO_POST],
      ['not a url', 400, NO_POST],
      ['https://example.com/', 400, NO_POST],
      ['https://x.com/bob', 400, NO_POST],
    ];
    for (const [url, status, error] of cases) expect(await told(till.claim(url))).toEqual(refusal(status, error));
    expect(await till.service.store.payments({ limit: 1 })).toEqual([]);
  });

  test('error: a post that is older than a day when it is first seen', async () => {
    await till.gig(token, [{ fid: ALICE.fid, amount: 5n }]);
    const url = cast('claim my rewards');
    till.service.time.now += DAY + 1;
    expect(await told(till.claim(url))).toEqual(refusal(400, 'The post is older than 24 hours'));
  });

  test('security: such a post stays refused when the clock is set back', async () => {
    await till.gig(token, [{ fid: ALICE.fid, amount: 5n }]);
    const url = cast('claim my rewards');
    till.service.time.now += DAY + 1;
    expect((await till.claim(url)).status).toBe(400);
    till.service.time.now -= 7_200_000;
    expect(await told(till.claim(url))).toEqual(refusal(400, 'The post is older than 24 hours'));
    expect(await till.service.store.payments({ limit: 1 })).toEqual([]);
  });

  test('error: a post on a platform that is not configured says so, on each of them', async () => {
    const off = await forThisTest(openTill({ platforms: new Map() }));
    const reason = (label: string) => refusal(503, `${label} is turned off: the operator has not configured it`);
    const casts = off.farcaster.post({ author: 'alice', text: 'claim my rewards' });
    expect(await told(off.claim(casts.url))).toEqual(reason('Farcaster'));
    expect(await told(off.claim('https://x.com/bob/status/1'))).toEqual(reason('X'));
    expect(await told(off.claim('https://example.com/'))).toEqual(refusal(400, NO_POST));
  });

  test('error: a body that names no post', async () => {
    const ask = async (body: string) => await told(till.service.app.request('/api/claim', { method: 'POST', body }));
    const details = ['url must be the URL of a post on Farcaster or X, such as https://farcaster.xyz/alice/0x9288c1e8'];
    for (const body of ['{}', '{"url":""}', '{"url":7}', '{"url":null}', '{"URL":"x"}']) {
      expect(await ask(body)).toEqual(invalid(...details));
    }
    expect(await ask('[]')).toEqual(invalid('The body must be a JSON object'));
    expect(await ask('url=x')).toEqual(refusal(400, expect.stringMatching(/^Body is not valid JSON: send /)));
    expect((await ask(`{"url":"${'x'.repeat(70_000)}"}`)).status).toBe(413);
  });

  test('behavior: the URL of a claim that was made answers how it stands, whether or not its platform does', async () => {
    await till.gig(token, [{ fid: ALICE.fid, amount: 5n }]);
    const { id, url } = till.farcaster.post({ author: 'alice', text: 'claim my rewards' });
    const first = await told(till.claim(url));
    till.farcaster.faults.api = 'server_error';
    expect(await told(till.claim(`https://farcaster.xyz/~/conversations/${id}`))).toEqual(first);
    expect(await told(till.claim(`https://farcaster.xyz/alice/${id}`))).toEqual(first);
  });

  test('error: everything while its platform does not answer, and nothing is changed', async () => {
    await till.gig(token, [{ fid: ALICE.fid, amount: 5n }]);
    const url = cast('claim my rewards');
    till.farcaster.faults.api = 'server_error';
    const response = await till.claim(url);
    expect(await told(response)).toEqual(
      refusal(503, 'The service cannot process this request right now; try again later'),
    );
    expect(response.headers.get('retry-after')).toBe('5');
    till.farcaster.faults.api = 'none';
    expect((await till.claim(url)).status).toBe(200);
  });

  test('error: everything without a mnemonic', async () => {
    const off = await forThisTest(openTill({ wallets: null }));
    const url = off.farcaster.post({ author: 'alice', text: 'claim my rewards' }).url;
    expect(await told(off.claim(url))).toEqual(
      refusal(503, 'Gig wallets are turned off: the operator has not set GIG_WALLET_MNEMONIC'),
    );
  });
});

test('behavior: answers fit the document', async () => {
  const odd = await deployOdd('FalseToken');
  const hold = async (url: unknown, status: number, at = till) =>
    (await readDocument(at.service)).hold('/api/claim', 'post', at.claim(url), status);
  await hold(cast('hello'), 400);
  await hold({ url: 7 }, 400);
  await hold('https://example.com/', 400);
  await hold('https://x.com/bob/status/1', 404);
  await hold('x'.repeat(70_000), 413);
  await till.gig(odd, [{ fid: ALICE.fid, amount: 5n }]);
  await till.gig(token, [{ fid: ALICE.fid, amount: 5n }]);
  await odd.change(setting.paused);
  await hold(cast('claim my rewards'), 200);
  till.farcaster.faults.api = 'rate_limited';
  await hold(cast('claim my rewards'), 503);
  const slow = await forThisTest(openTill({ pays: false }));
  await slow.gig(token, [{ fid: ALICE.fid, amount: 5n }]);
  await hold(slow.farcaster.post({ author: 'alice', text: 'claim my rewards' }).url, 200, slow);
});
