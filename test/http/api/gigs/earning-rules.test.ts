import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { readStoredRules } from '../../../../src/domain/earning/terms/rules-json.ts';
import { deployToken, fundToken } from '../../../support/anvil.ts';
import type { Service } from '../../service.ts';
import { forThisTest } from '../../service.ts';
import { type Created, create, dataOf, invalid, knowDegen, refusal, TERMS, told } from '../../terms.ts';
import { openWatchedService, type WatchedService } from '../../watched.ts';

const ONE = 10n ** 18n;
const RULES = { rule: { type: 'fixed', amount: 2 }, gates: { min_followers: 5 } };
const MANUAL = { rule: { type: 'manual' } };
const DEFAULT_RULE = { type: 'weighted', by: 'score_reach', roundMs: 86_400_000, maxAmount: ONE };
const UNREACHABLE = 'Farcaster cannot be reached right now; nothing was changed, try again later';

let world: WatchedService;
let service: Service;
let cast: { id: string; url: string };

beforeAll(async () => {
  world = await openWatchedService();
  service = world.service;
  await knowDegen(service);
  cast = world.farcaster.post({ author: 'alice', text: 'Like this' });
});
afterEach(() => {
  world.farcaster.faults.api = 'none';
});
afterAll(() => world.close());

const ask = (terms: object) => told(service.send('POST', '/api/gigs/create', { ...TERMS, ...terms }));
const change = (id: number, terms: object) => told(service.send('PATCH', `/api/gigs/${id}`, terms));
const like = (terms: object = {}) => ({ gig_type: 'like', url: cast.url, earning_criteria: RULES, ...terms });
const count = async () => (await service.store.gigs({ phase: 'all', now: 0, limit: 100 })).length;

/** A gig's rules as they are stored, read; null when it has none. */
async function rulesOf({ gig_id: id }: Pick<Created, 'gig_id'>) {
  const stored = await service.store.earningRules(id);
  return stored && { ...stored, rules: readStoredRules(stored.rules) };
}

describe('creating a gig with rules', () => {
  test.each([
    [{ rule: { type: 'split' } }, { type: 'split', roundMs: 86_400_000, maxAmount: ONE }],
    [{ rule: {} }, { type: 'weighted', by: 'score_reach', roundMs: 86_400_000, maxAmount: ONE }],
    [
      { rule: { type: 'weighted', by: 'score', round_hours: 6, max_amount: 3 } },
      { type: 'weighted', by: 'score', roundMs: 21_600_000, maxAmount: 3n * ONE },
    ],
  ])(
    'behavior: %j is stored with its rounds, of a day and a tenth of the reward by default',
    async (criteria, rule) => {
      const gig = await create(service, like({ earning_criteria: criteria }));
      expect((await rulesOf(gig))?.rules.rule).toEqual(rule);
    },
  );

  test.each([
    ['an object', RULES],
    ['JSON text', JSON.stringify(RULES)],
  ])('behavior: rules as %s are filled in and stored with the cast', async (_, criteria) => {
    const gig = await create(service, like({ earning_criteria: criteria }));
    expect(await rulesOf(gig)).toEqual({
      gigId: gig.gig_id,
      given: '{"rule":{"type":"fixed","amount":"2"},"gates":{"min_followers":5}}',
      target: { kind: 'post', postId: cast.id, authorId: '1001' },
      rules: {
        rule: { type: 'fixed', amount: 2n * ONE },
        gates: {
          minScore: 550_000,
          minAccountAgeDays: 7,
          minFollowers: 5,
          verifiedAddress: true,
          spamLabel: 'not_spam',
          minLetters: 10,
        },
        holdMs: 43_200_000,
        tipsByRequest: true,
      },
    });
    expect((await service.store.gig(gig.gig_id))?.earningCriteria).toBe(
      'Each account that likes the cast gets 2 DEGEN, first come, until the reward is used up; it needs a score of at least 0.55, ' +
        'an account older than the gig and at least 7 days old, at least 5 followers, its own verified address and no spam label. ' +
        'Likes are held for 12 hours.',
    );
  });

  test('behavior: words for people and a manual rule store no rules, and ask no platform', async () => {
    world.farcaster.faults.api = 'server_error';
    for (const criteria of ['The first ten.', MANUAL]) {
      const gig = await create(service, like({ earning_criteria: criteria }));
      expect(await rulesOf(gig)).toBeNull();
    }
  });

  test('error: a cast that Farcaster does not know', async () => {
    const before = await count();
    const url = 'https://farcaster.xyz/alice/0x99999999';
    expect(await ask(like({ url }))).toEqual(invalid('url names no cast that Farcaster knows'));
    expect(await count()).toBe(before);
  });

  test.each(['server_error', 'rate_limited', 'html', 'unauthorized'] as const)(
    'error: Farcaster that answers %s is named, and nothing is created',
    async (api) => {
      const before = await count();
      world.farcaster.faults.api = api;
      expect(await ask(like())).toEqual(refusal(503, UNREACHABLE));
      expect(await count()).toBe(before);
    },
  );

  test('error: rules for X, where nothing is watched', async () => {
    const url = 'https://x.com/alice/status/1541815603606036480';
    expect(await ask(like({ platform: 'x', url }))).toEqual(
      invalid('earning_criteria: this service watches no gigs on X, so describe in words who earns'),
    );
  });

  test('error: rules of a service that watches nothing', async () => {
    const other = await forThisTest(openWatchedService({ config: { earningLookSeconds: 0 } }));
    await knowDegen(other.service);
    const response = other.service.send('POST', '/api/gigs/create', { ...TERMS, ...like() });
    expect(await told(response)).toEqual(
      invalid('earning_criteria: this service watches no gigs on Farcaster, so describe in words who earns'),
    );
  });

  test('behavior: trusted accounts can be asked for where there is a file of spam labels, and only there', async () => {
    const rules = { ...RULES, gates: { spam_label: 'trusted' } };
    expect(await ask(like({ earning_criteria: rules }))).toEqual(
      invalid('earning_criteria.gates.spam_label trusted needs a file of spam labels, which is not set up here'),
    );
    const other = await forThisTest(openWatchedService({ config: { spamLabelsFile: 'labels.jsonl' } }));
    await knowDegen(other.service);
    const { url } = other.farcaster.post({ author: 'alice', text: 'Like this' });
    const gig = await create(other.service, like({ url, earning_criteria: rules }));
    const stored = await other.service.store.earningRules(gig.gig_id);
    expect(stored && readStoredRules(stored.rules).gates.spamLabel).toBe('trusted');
  });

  test('error: rule types and fields that do not exist and what does not fit the gig', async () => {
    expect(await ask(like({ earning_criteria: { rule: { type: 'lottery' } } }))).toMatchObject({ status: 400 });
    expect(await ask(like({ earning_criteria: { rules: {} } }))).toEqual(
      invalid('earning_criteria has unknown fields: "rules"; it may have rule, gates, hold_hours, tips_by_request'),
    );
    expect(await ask(like({ earning_criteria: { rule: { type: 'fixed', amount: 11 } } }))).toEqual(
      invalid('earning_criteria.rule.amount must be at most the reward'),
    );
    expect(await ask(like({ earning_criteria: '{"rule"' }))).toEqual(
      invalid('earning_criteria begins with { but is not valid JSON'),
    );
  });
});

describe('creating a gig without criteria', () => {
  test.each([undefined, null, ''])('behavior: with %j it has the default rules', async (criteria) => {
    const gig = await create(service, like({ earning_criteria: criteria }));
    expect(await rulesOf(gig)).toMatchObject({
      given: null,
      target: { kind: 'post', postId: cast.id },
      rules: { rule: DEFAULT_RULE, gates: { minScore: 550_000 }, holdMs: 43_200_000, tipsByRequest: true },
    });
    expect((await service.store.gig(gig.gig_id))?.earningCriteria).toMatch(
      /^Every 24 hours the accounts that like the cast share a part of the reward by score and reach/,
    );
  });

  test('behavior: a mention gig is about its keyword, a follow gig about its profile', async () => {
    expect((await rulesOf(await create(service)))?.target).toEqual({ kind: 'keyword', keyword: '$degen' });
    const gig = await create(service, { gig_type: 'follow', url: 'https://farcaster.xyz/bob' });
    expect(await rulesOf(gig)).toMatchObject({ target: { accountId: '1002' }, rules: { rule: DEFAULT_RULE } });
  });

  test('behavior: a bounty takes submissions, whoever decides, said to the bot or as replies to its cast', async () => {
    const bounty = { gig_type: 'custom_bounty', how_to_earn: 'Draw.' };
    const notAsked = 'The verifier is not asked: the operator of this service does not allow https://verifier.example.';
    for (const [verifier, hint] of [
      ['me', null],
      ['https://verifier.example/decide', notAsked],
    ] as const) {
      const [bare, replied] = [
        { ...bounty, verifier },
        { ...bounty, verifier, url: cast.url },
      ];
      const rules = { rule: { type: 'verifier', maxAmount: ONE } };
      const made = await create(service, bare);
      expect(await rulesOf(made)).toMatchObject({ target: { kind: 'account' }, rules });
      const shown = await told(service.app.request(`/api/gigs/${made.gig_id}`));
      expect(shown.body).toMatchObject({ data: { earning: { decided_by: 'hand', decided_by_hint: hint } } });
      expect(await rulesOf(await create(service, replied))).toMatchObject({ target: { kind: 'post' }, rules });
    }
  });

  test('error: a target that Farcaster does not know, and Farcaster that does not answer', async () => {
    const before = await count();
    const unset = { earning_criteria: undefined };
    expect(await ask(like({ ...unset, url: 'https://farcaster.xyz/alice/0x99999999' }))).toEqual(
      invalid('url names no cast that Farcaster knows'),
    );
    world.farcaster.faults.api = 'server_error';
    expect(await ask(like(unset))).toEqual(refusal(503, UNREACHABLE));
    expect(await count()).toBe(before);
  });

  test('behavior: on X and about nothing that can be watched it is manual, and no platform is asked', async () => {
    world.farcaster.faults.api = 'server_error';
    const token = await deployToken({ decimals: 6, symbol: 'A-B' });
    const manual = [
      { gig_type: 'like', platform: 'x', url: 'https://x.com/alice/status/1541815603606036480' },
      { gig_type: 'follow' },
      { gig_type: 'follow', url: cast.url },
      { gig_type: 'mention', url: cast.url },
      { gig_type: 'mention', token_address: token.address },
    ];
    for (const terms of manual) expect(await rulesOf(await create(service, terms))).toBeNull();
  });

  test('behavior: a service that watches nothing makes it manual', async () => {
    const other = await forThisTest(openWatchedService({ config: { earningLookSeconds: 0 } }));
    await knowDegen(other.service);
    const gig = await create(other.service, { gig_type: 'like', url: 'https://farcaster.xyz/alice/0x99999999' });
    expect(await other.service.store.earningRules(gig.gig_id)).toBeNull();
  });
});

describe('targets', () => {
  test.each(['follow', 'mention'])('behavior: a %s gig with rules is about the account of a profile', async (type) => {
    for (const url of [
      'https://farcaster.xyz/bob',
      'https://farcaster.xyz/~/profiles/1002',
      'https://farcaster.xyz/!1002',
    ]) {
      const gig = await create(service, { gig_type: type, url, earning_criteria: RULES });
      expect((await rulesOf(gig))?.target).toEqual({ kind: 'account', accountId: '1002' });
    }
  });

  test('error: a profile that Farcaster does not know, a post, and nothing', async () => {
    const follow = (terms: object) => ask({ gig_type: 'follow', earning_criteria: RULES, ...terms });
    expect(await follow({ url: 'https://farcaster.xyz/mallory' })).toEqual(
      invalid('url names no account that Farcaster knows'),
    );
    expect(await follow({ url: cast.url })).toEqual(
      invalid(
        'url must be the URL of a profile, such as https://farcaster.xyz/alice: rules watch the account that is followed or mentioned',
      ),
    );
    expect(await follow({})).toEqual(invalid('url is required for rules of follow gigs'));
  });

  test('behavior: a mention gig without url is about its keyword, by default the symbol of its token', async () => {
    const keywords = [
      [undefined, '$degen'],
      ['$GM', '$gm'],
      ['Zürich', 'zürich'],
    ] as const;
    for (const [keyword, expected] of keywords) {
      const gig = await create(service, { keyword, earning_criteria: RULES });
      expect((await rulesOf(gig))?.target).toEqual({ kind: 'keyword', keyword: expected });
    }
  });

  test('behavior: the record says what counts where the client does not, and has the keyword', async () => {
    const record = async (terms: Record<string, unknown>) => {
      const { gig_id: id } = await create(service, terms);
      const answer = await service.app.request(`/api/gigs/${id}`);
      return ((await answer.json()) as { data: object }).data;
    };
    const boost = { gig_type: 'boost', url: cast.url };
    expect(await record({ keyword: '$GM', earning_criteria: RULES })).toMatchObject({
      how_to_earn: 'Write "$gm" in a cast.',
      keyword: '$gm',
      earning_criteria: expect.stringContaining('Each account that mentions "$gm" in a cast gets 2 DEGEN'),
    });
    expect(await record(boost)).toMatchObject({ how_to_earn: 'Recast or quote the cast.', keyword: null });
    expect(await record({ ...boost, earning_criteria: MANUAL })).toMatchObject({
      how_to_earn: 'Recast or quote the cast.',
      keyword: null,
    });
    expect(await record({ ...boost, how_to_earn: 'Tell all.' })).toMatchObject({ how_to_earn: 'Tell all.' });
  });

  test('error: a keyword that is none, and one beside a url', async () => {
    const malformed = 'keyword must be a word of 2 to 32 letters or digits, with or without a $ before it';
    for (const keyword of ['a', 'two words', '#tag', '$']) {
      expect(await ask({ keyword, earning_criteria: RULES })).toEqual(invalid(malformed));
    }
    const beside = 'keyword is for mention gigs without url';
    expect(await ask({ keyword: 'degen', url: 'https://farcaster.xyz/bob' })).toEqual(invalid(beside));
    expect(await ask(like({ keyword: 'degen' }))).toEqual(invalid(beside));
  });
});

describe('changing a gig with rules', () => {
  test('behavior: another amount checks the rules that were given anew, and keeps them', async () => {
    const given = { gates: { min_score: 0.7 }, rule: { type: 'fixed', amount: '0.5' } };
    const gig = await create(service, like({ earning_criteria: given }));
    const before = await rulesOf(gig);
    expect(await change(gig.gig_id, { amount: 20 })).toMatchObject({ status: 200 });
    expect(await rulesOf(gig)).toEqual(before);
    expect(await change(gig.gig_id, { amount: '0.4' })).toEqual(
      invalid('earning_criteria.rule.amount must be at most the reward'),
    );
    expect(await rulesOf(gig)).toEqual(before);
  });

  test('behavior: words in their place remove the rules, and rules in theirs come back', async () => {
    const gig = await create(service, like());
    const before = await rulesOf(gig);
    expect(await dataOf(change(gig.gig_id, { earning_criteria: 'Ask me.' }))).toMatchObject({
      earning_criteria: 'Ask me.',
      earning_rules: null,
    });
    expect(await rulesOf(gig)).toBeNull();
    expect(await change(gig.gig_id, { earning_criteria: RULES })).toMatchObject({ status: 200 });
    expect(await rulesOf(gig)).toEqual(before);
    expect(await change(gig.gig_id, { earning_criteria: null })).toMatchObject({ status: 200 });
    expect(await rulesOf(gig)).toMatchObject({ given: null, rules: { rule: DEFAULT_RULE } });
  });

  test('behavior: default rules go with the terms: another amount fills them in anew, X ends them', async () => {
    const gig = await create(service, like({ earning_criteria: undefined }));
    expect(await change(gig.gig_id, { amount: 20 })).toMatchObject({ status: 200 });
    expect((await rulesOf(gig))?.rules.rule).toEqual({ ...DEFAULT_RULE, maxAmount: 2n * ONE });
    const url = 'https://x.com/alice/status/1541815603606036480';
    expect(await change(gig.gig_id, { platform: 'x', url })).toMatchObject({ status: 200 });
    expect(await rulesOf(gig)).toBeNull();
  });

  test('behavior: a manual gig stays so until its criteria are changed, also one without words', async () => {
    const gig = await create(service, like({ earning_criteria: MANUAL }));
    for (const changes of [{ amount: 20 }, { url: cast.url }]) {
      expect(await change(gig.gig_id, changes)).toMatchObject({ body: { data: { earning_rules: null } } });
    }
    expect(await change(gig.gig_id, { earning_criteria: null })).toMatchObject({ status: 200 });
    expect((await rulesOf(gig))?.rules.rule).toMatchObject({ type: 'weighted' });
    expect(await change(gig.gig_id, { earning_criteria: MANUAL })).toMatchObject({ status: 200 });
    expect(await rulesOf(gig)).toBeNull();
  });

  test('behavior: another target is looked up, and one that is not known changes nothing', async () => {
    const gig = await create(service, like());
    const other = world.farcaster.post({ author: 'bob', text: 'Or this' });
    expect(await change(gig.gig_id, { url: other.url })).toMatchObject({ status: 200 });
    const target = { kind: 'post', postId: other.id, authorId: '1002' };
    expect(await rulesOf(gig)).toMatchObject({ target });
    expect(await change(gig.gig_id, { url: 'https://farcaster.xyz/bob/0x77777777' })).toEqual(
      invalid('url names no cast that Farcaster knows'),
    );
    world.farcaster.faults.api = 'server_error';
    expect(await change(gig.gig_id, { amount: 20 })).toEqual(refusal(503, UNREACHABLE));
    expect(await rulesOf(gig)).toMatchObject({ target });
  });

  test('behavior: the default keyword goes with the token, a given one stays', async () => {
    const token = await deployToken({ decimals: 6, symbol: 'USDC' });
    const byDefault = await create(service, { earning_criteria: RULES });
    // In other forms of the same letters.
    const byName = await create(service, { earning_criteria: RULES, keyword: 'ＧＭ' });
    for (const { gig_id: id } of [byDefault, byName]) {
      expect(await change(id, { token_address: token.address })).toMatchObject({ status: 200 });
    }
    expect(await rulesOf(byDefault)).toMatchObject({ target: { keyword: '$usdc' } });
    expect(await rulesOf(byName)).toMatchObject({ target: { keyword: 'gm' } });
  });

  test('security: rules of a live gig are frozen, and the gig is watched from its start', async () => {
    const token = await deployToken({ decimals: 18, symbol: 'DEGEN' });
    const gig = await create(service, like({ token_address: token.address }));
    const before = await rulesOf(gig);
    expect(await service.store.watch(gig.gig_id)).toBeNull();
    await fundToken(token, gig.gig_wallet_address, 10n * ONE + ONE / 2n);
    expect((await service.start(gig.gig_id)).status).toBe(200);
    for (const criteria of ['Ask me.', null, { rule: { type: 'fixed', amount: 1 } }]) {
      expect(await change(gig.gig_id, { earning_criteria: criteria })).toEqual(refusal(400, 'Gig is already live'));
    }
    await expect(service.store.transaction((tx) => tx.storeEarningRules(gig.gig_id, null))).rejects.toThrow();
    expect(await rulesOf(gig)).toEqual(before);
    expect(await service.store.watch(gig.gig_id)).toMatchObject({
      target: before?.target,
      nextAt: Date.parse(TERMS.start_time),
      sweptAt: null,
    });
  });
});
