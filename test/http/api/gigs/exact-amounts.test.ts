import { beforeAll, expect, test } from 'vitest';
import { SAMPLE_RULES, seedGigWithRules } from '../../../support/earning.ts';
import { seedToken } from '../../../support/store.ts';
import { NOW, seedLocalGig, service, shareService } from '../../service.ts';
import { create, invalid, knowDegen, refusal, TERMS, told } from '../../terms.ts';

const LOSES = ['0.12345678901234567890123', '1.00000000000000000001', '100000000000000000000.5', '1e400'];

shareService();
beforeAll(async () => {
  await knowDegen(service);
});

/** A body as text, in which the word AMOUNT is this number. */
const withAmount = (body: object, amount: string) => JSON.stringify(body).replace('"AMOUNT"', amount);

const losing = (field: string) => invalid(`${field} has more digits than a JSON number holds: send it as a string`);

async function liveGig(): Promise<number> {
  const token = await seedToken(service.store, { chainId: 31337, symbol: 'WIDE', decimals: 18 });
  return (await seedLocalGig(service.store, token, { live: true, startTime: NOW - 1 })).id;
}

test.each(LOSES)(
  'security: a JSON number that loses digits, %s, is refused wherever an amount is read',
  async (amount) => {
    const before = (await service.store.gigs({ phase: 'all', now: NOW, limit: 100 })).length;
    const send = (method: 'POST' | 'PATCH', path: string, body: object) =>
      told(
        service.send(method, path, withAmount(body, amount), {
          'idempotency-key': `${method}${path}${amount}`.replaceAll(' ', ''),
        }),
      );
    expect(await send('POST', '/api/gigs/create', { ...TERMS, amount: 'AMOUNT' })).toEqual(losing('amount'));
    for (const [name, rule] of [
      ['amount', { type: 'fixed', amount: 'AMOUNT' }],
      ['max_amount', { type: 'split', max_amount: 'AMOUNT' }],
      ['max_amount', { max_amount: 'AMOUNT' }],
    ] as const) {
      const terms = { ...TERMS, earning_criteria: { rule } };
      const path = `earning_criteria.rule.${name}`;
      const { body, status } = await send('POST', '/api/gigs/create', terms);
      expect({ status, body: JSON.stringify(body) }).toEqual({
        status: 400,
        body: expect.stringContaining('send it as a string'),
      });
      expect(JSON.stringify(body)).toContain(path.split('.').at(-1));
    }
    expect((await service.store.gigs({ phase: 'all', now: NOW, limit: 100 })).length).toBe(before);
    const { gig_id: created } = await create(service);
    expect(await send('PATCH', `/api/gigs/${created}`, { amount: 'AMOUNT' })).toEqual(losing('amount'));
    expect(await service.store.gig(created)).toMatchObject({ rewardAmount: 10n * 10n ** 18n });
    const live = await liveGig();
    const tip = { platform: 'farcaster', platform_user_id: 8004, value: 'AMOUNT' };
    expect(await send('POST', `/api/gigs/${live}/tips`, { tips: [tip] })).toEqual(losing('tips[0].value'));
    expect(await service.store.gig(live)).toMatchObject({ awardedAmount: 0n });
    const rules = { ...SAMPLE_RULES, rule: { type: 'verifier', maxAmount: 10n ** 18n } } as const;
    const bounty = await seedGigWithRules(service.store, { rules, gigType: 'custom_bounty' });
    const decided = await send('POST', `/api/gigs/${bounty.id}/decisions`, { decisions: [{ id: 1, award: 'AMOUNT' }] });
    expect({ ...decided, body: JSON.stringify(decided.body) }).toEqual({
      status: 400,
      body: expect.stringContaining('award has more digits than a JSON number holds: send it as a string'),
    });
  },
);

test('behavior: the same decimal in other digits is taken, and as a string every digit counts', async () => {
  const live = await liveGig();
  const award = (id: number, value: string) =>
    told(
      service.send(
        'POST',
        `/api/gigs/${live}/tips`,
        `{"tips":[{"platform":"x","platform_user_id":${id},"value":${value}}]}`,
      ),
    );
  expect((await award(1, '1.50')).status).toBe(201);
  expect((await award(2, '5e-1')).status).toBe(201);
  expect((await award(3, '"0.123456789012345678"')).status).toBe(201);
  expect(await service.store.gig(live)).toMatchObject({ awardedAmount: 2_123_456_789_012_345_678n });
});

test('error: another number that loses digits is refused by its own field', async () => {
  expect(await told(service.send('POST', '/api/gigs/start', '{"gig_id":1.00000000000000000001}'))).toMatchObject({
    status: 400,
  });
  const body = withAmount({ ...TERMS, award_days: 'AMOUNT' }, '7.00000000000000000001');
  expect(await told(service.send('POST', '/api/gigs/create', body))).toEqual(
    invalid(expect.stringMatching(/^award_days must be a whole number/)),
  );
});

test.each(['gzip', 'GZIP', 'br', 'deflate, gzip', 'x-unknown'])(
  'error: a body in the encoding %j is 415',
  async (encoding) => {
    const answers = [
      service.send('POST', '/api/gigs/create', TERMS, { 'content-encoding': encoding }),
      service.send('POST', '/api/claim', { url: 'https://x.com/a/status/1' }, { 'content-encoding': encoding }),
      service.send('PATCH', '/api/gigs/1', { amount: 1 }, { 'content-encoding': encoding }),
    ];
    for (const answer of answers) {
      expect(await told(answer)).toEqual(
        refusal(415, 'Compressed bodies are not supported: send the body without Content-Encoding'),
      );
    }
  },
);

test('behavior: a body in no encoding, which says so, is read', async () => {
  const answer = service.send('POST', '/api/gigs/start', { gig_id: 987_654 }, { 'content-encoding': 'identity' });
  expect((await answer).status).toBe(404);
});
