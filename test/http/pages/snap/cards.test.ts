import { describe, expect, test } from 'vitest';
import type { Taps } from '../../../../src/domain/claims/tap.ts';
import type { Rule } from '../../../../src/domain/earning/rules/index.ts';
import type { Gig } from '../../../../src/domain/gigs/gig.ts';
import { createTaps } from '../../../../src/sign-in/jfs.ts';
import { CROWD_ACCOUNT } from '../../../services/earning/crowd.ts';
import { type EarnedGig, HOUR, openGig } from '../../../services/earning/gigs.ts';
import { holdRule } from '../../../services/earning/holders.ts';
import {
  awardAs,
  decideAs,
  SAMPLE_FACTS,
  sampleAccount,
  sampleAct,
  seedActs,
  seedGigWithRules,
} from '../../../support/earning.ts';
import { seedGig, seedTips, seedToken } from '../../../support/store.ts';
import { createAppKey, signHeader } from '../../../support/taps.ts';
import { forThisTest, label, NOW } from '../../service.ts';
import { ALICE, openScene } from '../scene.ts';
import { cardOf, castOf, get, MEDIA_TYPE, RULES, readCard, targetOf, textsOf } from './shapes.ts';

const DAY = 86_400_000;
const URL = 'https://gigclaim.test';
const UNIT = 10n ** 18n;
const FIXED: Rule = { type: 'fixed', amount: UNIT };
/** No card of a request without a viewer asks for a key. */
const SILENT = createTaps({ publicUrl: URL, rpcUrls: ['http://127.0.0.1:9'], clock: () => NOW });
const KNOWS_ALL: Taps = {
  ...SILENT,
  verify: async (sent, use) =>
    use === 'header' && sent === 'valid' ? { fid: '1001', postId: 'snap:1' } : SILENT.verify(sent, use),
};

const open = (taps: Taps = SILENT) => forThisTest(openScene({ taps }));

describe('content negotiation', () => {
  const HTML = 'text/html; charset=utf-8';
  test.each([
    [MEDIA_TYPE, MEDIA_TYPE],
    [`${MEDIA_TYPE}, text/html;q=0.9`, MEDIA_TYPE],
    [`text/html;q=0.5, ${MEDIA_TYPE};q=0.8`, MEDIA_TYPE],
    [`${MEDIA_TYPE.toUpperCase()}`, MEDIA_TYPE],
    [`text/html, ${MEDIA_TYPE}`, HTML],
    [`text/html, ${MEDIA_TYPE};q=0.9`, HTML],
    [`${MEDIA_TYPE};q=0`, HTML],
    [`${MEDIA_TYPE};q=x, */*`, HTML],
    ['*/*', HTML],
    ['', HTML],
  ])('behavior: Accept %s gets %s', async (accept, type) => {
    const service = await open();
    for (const path of ['/gigs/2', '/claim/farcaster/1001']) {
      const { response } = await get(service, path, { accept });
      expect(response.headers.get('content-type')).toBe(type);
      expect(response.headers.get('vary')).toBe('Accept');
      expect(response.headers.get('link')).toBe(`<${path}>; rel="alternate"; type="${MEDIA_TYPE}"`);
    }
  });

  test('behavior: a card is kept as long as the page', async () => {
    const service = await open();
    for (const path of ['/gigs/2', '/claim/farcaster/1001']) {
      const [card, page] = [await get(service, path), await get(service, path, { accept: 'text/html' })];
      expect(card.response.headers.get('cache-control')).toBe(page.response.headers.get('cache-control'));
    }
    const before = (await get(service, '/gigs/2')).text;
    const gig = await service.store.gig(2);
    if (gig === null) throw new Error('there is no gig 2');
    await seedTips(service.store, gig, [{ ...ALICE, amount: UNIT }]);
    expect((await get(service, '/gigs/2')).text).toBe(before);
    service.time.now += 3_000;
    expect((await get(service, '/gigs/2')).text).not.toBe(before);
  });

  test('security: a viewer changes nothing, and a header that is malformed, expired or wrong is refused', async () => {
    const service = await open(KNOWS_ALL);
    const anonymous = await get(service, '/gigs/2');
    const seen = await get(service, '/gigs/2', { 'x-snap-payload': 'valid' });
    expect([seen.status, seen.text]).toEqual([200, anonymous.text]);
    const app = createAppKey();
    const said = { fid: 1001, audience: URL, at: NOW };
    const forged = signHeader(createAppKey(), { ...said, header: { key: app.key } });
    for (const [payload, status] of [
      ['no header', 400],
      [signHeader(app, { ...said, at: NOW - 600_000 }), 401],
      [signHeader(app, { ...said, audience: 'https://other.test' }), 401],
      [forged, 401],
    ] as const) {
      for (const accept of [MEDIA_TYPE, 'text/html']) {
        const refused = await get(service, '/gigs/2', { accept, 'x-snap-payload': payload });
        expect([refused.status, refused.response.headers.get('cache-control')]).toEqual([status, 'private, no-store']);
        readCard(refused.text);
      }
    }
  });

  test('security: a path that is written oddly breaks no header, and adds none', async () => {
    const service = await open();
    const names = [
      '%E2%82%AC',
      '%0Ax',
      '%0D%0Ax-more:1',
      '%3E;rel=stylesheet,%3Chttps:%2F%2Fevil.test%2Fa',
      '%FF',
      '%',
    ];
    for (const accept of [MEDIA_TYPE, 'text/html']) {
      for (const name of names) {
        const { response, status } = await get(service, `/claim/farcaster/${name}`, { accept });
        expect([name, status]).toEqual([name, name === '%0Ax' ? 200 : 400]);
        const link = response.headers.get('link') ?? '';
        expect(link).toMatch(/^<\/claim\/farcaster\/[\w%.:;=,-]*>; rel="alternate"; type="[a-z.+/]+"$/);
        expect(response.headers.get('x-more')).toBeNull();
      }
    }
    expect((await get(service, '/claim/farcaster/1001')).status).toBe(200);
  });

  test('error: a gig that is not there is a card with status 404', async () => {
    const { status, text } = await get(await open(), '/gigs/99');
    expect([status, textsOf(readCard(text))]).toEqual([404, ['Gig with id 99 not found']]);
  });
});

describe('the card of a gig', () => {
  test('behavior: says what to do, the reward, when it ends and how many earned, with its buttons', async () => {
    const { card, texts } = await cardOf(await open(), '/gigs/2');
    expect(texts).toEqual([
      'Say something kind. Tag a friend · gig 2',
      '24.5 DEGEN of 100 DEGEN awarded',
      'Ends on 22 Nov 2026, 08:30 UTC. 2 accounts earned.',
      ...['What have I earned?', 'Claim', 'Open the gig', 'Share'],
    ]);
    expect(Object.values(card.ui.elements).find(({ type }) => type === 'progress')?.props).toMatchObject({
      value: 24.5,
      max: 100,
    });
    expect(targetOf(card, 'What have I earned?')).toBe(`${URL}/tap/gigs/2`);
    expect(targetOf(card, 'Claim')).toBe(`${URL}/tap/claim`);
    expect(targetOf(card, 'Open the gig')).toBe(`${URL}/gigs/2`);
    expect(targetOf(card, 'Share')).toBe(`${URL}/gigs/2`);
  });

  test('behavior: says a task once where the heading is the task, and whole where a title or a longer task needs it', async () => {
    const service = await open();
    const said = async (terms: Parameters<typeof seedGigWithRules>[1], isWithRules = false) => {
      const seed = { live: !isWithRules, startTime: NOW, ...terms };
      const gig = await (isWithRules ? seedGigWithRules : seedGig)(service.store, seed);
      const { texts } = await cardOf(service, `/gigs/${gig.id}`);
      return texts.slice(0, 2);
    };
    const task = 'Like the cast.';
    const long = `${'Say it with kind words. '.repeat(4)}Thank you!`;
    expect(await said({ title: null, howToEarn: task })).toEqual([
      expect.stringMatching(/^Like the cast · gig \d+$/),
      expect.stringContaining('awarded'),
    ]);
    expect((await said({ title: 'Likes', howToEarn: task }))[1]).toBe(task);
    expect((await said({ title: null, howToEarn: long }))[1]).toBe(long);
    expect((await said({ title: 'Like', howToEarn: 'Like the cast\nTell a friend' }))[1]).toBe(
      'Like the cast. Tell a friend.',
    );
    const bounty = { title: null, gigType: 'custom_bounty', howToEarn: 'Design a logo' } as const;
    const [logo, submit] = await said({ ...bounty, rules: { rule: { type: 'manual' } } }, true);
    expect(logo).toMatch(/^Design a logo · gig \d+$/);
    expect(submit).toMatch(/^To submit your work, mention the bot with "submit \d+ …"/);
    const [heading, who] = await said({ title: null, howToEarn: task }, true);
    expect(heading).toMatch(/^Like the cast · gig \d+$/);
    expect(who).not.toContain('Like the cast');
  });

  test('behavior: of a gig that accounts enter has a button that begins the cast which enters, while that is open', async () => {
    const service = await open();
    const { store, time } = service;
    const hold = { gigType: 'hold', target: CROWD_ACCOUNT, rule: holdRule(), holdMs: 2 * HOUR } as const;
    const cardOn = async (seed: Partial<EarnedGig> = {}) => {
      const gig = await openGig(store, { ...hold, startTime: NOW, ...seed });
      return { gig, path: `/gigs/${gig.id}`, ...(await cardOf(service, `/gigs/${gig.id}`)) };
    };
    const { gig, path, card, texts } = await cardOn();
    expect(castOf(card, 'Join')).toEqual({ text: `@gigclaim join ${gig.id}`, embeds: [`${URL}${path}`] });
    expect(texts.join(' ')).toContain('Each account that enters and holds 100 DEGEN for 1 hour gets');
    for (const seed of [{ startTime: NOW + DAY }, { platform: 'twitter' }, { gigType: 'like', rule: FIXED }] as const) {
      expect((await cardOn(seed)).texts).not.toContain('Join');
    }
    const again = async () => {
      time.now += 3_000;
      return (await cardOf(service, path)).texts;
    };
    await store.transaction((tx) => tx.freezeGig(gig.id, { reason: 'a secret', now: NOW }));
    expect(await again()).not.toContain('Join');
    await store.transaction((tx) => tx.freezeGig(gig.id, { reason: null, now: NOW }));
    expect(await again()).toContain('Join');
    time.now = gig.endTime;
    expect(await again()).not.toContain('Join');
  });

  test('behavior: of each phase says what comes next', async () => {
    const service = await open();
    const { store, time } = service;
    const said = async (path: string) => {
      time.now += 3_000;
      return (await cardOf(service, path)).texts.join(' ');
    };
    expect(await said('/gigs/1')).toContain('Not started: it waits for its reward.');
    const later = await seedGig(store, { live: true, startTime: NOW + DAY });
    expect(await said(`/gigs/${later.id}`)).toContain('Starts on 22 Nov 2026, 09:30 UTC');
    const gone = await seedGig(store, {});
    await service.sql('update gigs set cancelled_at = ? where id = ?', NOW, gone.id);
    expect(await said(`/gigs/${gone.id}`)).toMatch(/Cancelled on 21 Nov 2026\. .*stays in the wallet/);
    await store.transaction((tx) => tx.freezeGig(2, { reason: 'a secret', now: NOW }));
    expect(await said('/gigs/2')).toContain('The operator has frozen the payments of this gig for now.');
    time.now += 2 * DAY;
    const ended = await said('/gigs/2');
    expect(ended).toMatch(/Ended on 22 Nov 2026, 08:30 UTC\..*Earned by @Bob on X, @alice\./);
  });

  test('behavior: the longest names, symbols and amounts keep the limits', async () => {
    const service = await open();
    const { store } = service;
    const widest = '\u{1f468}‍\u{1f469}‍\u{1f467}'.repeat(400);
    const texts = ['W'.repeat(2_000), widest, '\u202e\u0000 \n', 'x '.repeat(1_500), 'short'];
    for (const [index, text] of texts.entries()) {
      const { id: tokenId } = await seedToken(store, {
        address: `0x${String(index + 1).padStart(40, 'e')}`,
        symbol: 'W'.repeat(20),
        name: 'N'.repeat(64),
        decimals: 0,
      });
      const terms = { live: true, tokenId, title: null, rewardAmount: 2n ** 255n, howToEarn: text, startTime: NOW };
      const gig = await seedGig(store, terms);
      await seedTips(store, gig, [{ ...ALICE, amount: 2n ** 254n - 1n }]);
      await cardOf(service, `/gigs/${gig.id}`);
    }
    await label(store, 'farcaster', '1001', `${'a'.repeat(60)}.eth`);
    const { texts: claim } = await cardOf(service, '/claim/farcaster/1001');
    expect(claim).toContain('And 2 more');
  });
});

describe('the card of a gig with rules', () => {
  const types: readonly Gig['gigType'][] = ['like', 'recast', 'boost', 'reply', 'mention', 'follow', 'custom_bounty'];

  test.each(RULES)(
    'behavior: of the rule $type says who gets what, while it is live, and once it has ended',
    async (rule) => {
      const service = await open();
      for (const gigType of types) {
        const gig = await seedGigWithRules(service.store, { startTime: NOW, gigType, rules: { rule } });
        await seedActs(
          service.store,
          gig,
          [1, 2, 3].map((id) => sampleAct(id)),
          { now: NOW, dueAt: NOW + 3_600_000 },
        );
        const live = await cardOf(service, `/gigs/${gig.id}`);
        expect(live.texts.join(' ')).toContain('3 accounts on hold. Decisions from 21 Nov 2026, 10:30 UTC on.');
        const hasCast = ['like', 'recast', 'boost', 'reply'].includes(gigType);
        if (hasCast) expect(targetOf(live.card, 'View the cast')).toBe('0xab');
        else expect(live.texts).not.toContain('View the cast');
        service.time.now += 2 * DAY;
        const ended = await cardOf(service, `/gigs/${gig.id}`);
        expect(ended.texts.join(' ')).toContain('The winners are not decided yet.');
        expect(ended.texts).not.toContain('View the cast');
        service.time.now = NOW;
      }
    },
  );

  test('behavior: once it is decided says who earned most, and when the rest returns', async () => {
    const service = await open();
    const refundAddress = `0x${'ab'.repeat(20)}` as const;
    const gig = await seedGigWithRules(service.store, {
      startTime: NOW,
      refundAddress,
      rules: { rule: { type: 'split', roundMs: DAY, maxAmount: 1_000n * UNIT } },
    });
    const ids = [11, 12, 13, 14];
    await seedActs(
      service.store,
      gig,
      ids.map((id) => sampleAct(id)),
      { now: NOW, dueAt: NOW },
    );
    await service.store.transaction(async (tx) => {
      for (const id of ids) {
        const facts = { ...SAMPLE_FACTS, username: `liker${id}` };
        await decideAs(tx, gig, sampleAccount(id), { now: NOW, facts });
        await awardAs(tx, gig, sampleAccount(id), { amount: BigInt(id) * UNIT, now: NOW });
      }
    });
    service.time.now += 2 * DAY;
    const said = async () => {
      service.time.now += 3_000;
      return (await cardOf(service, `/gigs/${gig.id}`)).texts.join(' ');
    };
    expect(await said()).toContain(
      '4 accounts earned. Earned by @liker14 (14 DEGEN), @liker13 (13 DEGEN), @liker12 (12 DEGEN) and others.',
    );
    expect(await said()).toContain('What is left returns after the gig is settled.');
    await service.sql('update gigs set settled_at = ? where id = ?', service.time.now, gig.id);
    expect(await said()).toContain('50 DEGEN return after 26 Nov 2026, 09:30 UTC.');
    await service.sql('update gigs set refunded_at = ? where id = ?', service.time.now, gig.id);
    expect(await said()).toContain('The whole reward was awarded.');
  });
});

test('behavior: names accounts of both platforms apart, also those with the same id', async () => {
  const service = await open();
  const { store } = service;
  const gig = await seedGig(store, { live: true, platform: 'twitter', startTime: NOW });
  const platforms = ['farcaster', 'twitter'] as const;
  for (const platform of platforms) {
    await label(store, platform, '4004', 'dave');
    await seedTips(
      store,
      gig,
      [4004, 5005].map((id) => ({ platform, platformUserId: `${id}`, amount: 1n })),
    );
  }
  expect((await cardOf(service, `/gigs/${gig.id}`)).texts.join(' ')).toContain('4 accounts earned.');
  service.time.now += 5 * DAY;
  const ended = (await cardOf(service, `/gigs/${gig.id}`)).texts.join(' ');
  expect(ended).toContain('Earned by X id 5005, @dave, FID 5005 on Farcaster and others.');
});

test('behavior: a gig on X has no taps, because a tap is of an account on Farcaster', async () => {
  const service = await open();
  const gig = await seedGig(service.store, { live: true, platform: 'twitter', startTime: NOW });
  expect((await cardOf(service, `/gigs/${gig.id}`)).texts.slice(-2)).toEqual(['Open the gig', 'Share']);
});

test('behavior: the card of a claim page says what the account can claim, and an unknown account nothing', async () => {
  const service = await open();
  const { texts, card } = await cardOf(service, '/claim/farcaster/1001');
  expect(texts.slice(0, 3)).toEqual(['@alice: to claim', '7.5 DEGEN', '2 tips from 1 gig on Base']);
  expect(targetOf(card, 'Claim mine')).toBe(`${URL}/tap/claim`);
  expect((await cardOf(service, '/claim/farcaster/777')).texts[0]).toBe('FID 777: nothing to claim right now');
  expect((await cardOf(service, '/claim/x/2002')).texts).not.toContain('Claim mine');
});
