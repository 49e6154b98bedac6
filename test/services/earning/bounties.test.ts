import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Target } from '../../../src/domain/earning/act.ts';
import type { Rule } from '../../../src/domain/earning/rules/index.ts';
import type { Gig } from '../../../src/domain/gigs/gig.ts';
import { COMMAND_LINE } from '../../../src/domain/operators/actor.ts';
import { advanceNextWatch } from '../../../src/services/earning/advance-watch.ts';
import { voidTips } from '../../../src/services/gigs/tips/void-tip.ts';
import { createVerifiers } from '../../../src/verifiers/registry.ts';
import { FARCASTER } from '../../platforms/setup.ts';
import { decide, isSigned, newSigningKey, say, startVerifier, type TestVerifier } from '../../support/verifier.ts';
import { decideByHand } from './deciding.ts';
import { createEngine, type Engine } from './engine.ts';
import { DAY, E18, END, HOUR, MINUTE, START } from './gigs.ts';
import { type EarningWorld, openEarningWorld } from './world.ts';

/** How long the verifier may take in these tests. */
const TIMEOUT_MS = 2_000;
/** The same where it does not answer. */
const IMPATIENT_MS = 400;
const MAX: Rule = { type: 'verifier', maxAmount: 40n * E18 };
const BOT: Target = { kind: 'account', accountId: String(FARCASTER.botFid) };
const LONG = 'my work with enough letters';

let world: EarningWorld;
let verifier: TestVerifier;
let engine: Engine;
const signingKey = newSigningKey();

function newEngine({ reader = world.reader, timeoutMs = TIMEOUT_MS } = {}): Engine {
  const { store, clock, labels } = world;
  const config = { origins: [verifier.origin], signingKey };
  const verifiers = createVerifiers(config, { signedAt: () => clock.now, timeoutMs });
  return createEngine({ store, clock, reader, labels, verifiers });
}

beforeEach(async () => {
  world = await openEarningWorld();
  verifier = await startVerifier();
  engine = newEngine();
});
afterEach(async () => {
  await verifier.close();
  await world.close();
});

/** A bounty for 100 whole tokens whose submissions are mentions of the bot. */
function bounty(terms: Parameters<EarningWorld['gig']>[0] = {}): Promise<Gig> {
  return world.gig({ gigType: 'custom_bounty', target: BOT, verifier: verifier.url, rule: MAX, holdMs: 0, ...terms });
}

function submit(who: string, { id }: Pick<Gig, 'id'>, text = `${who} and ${LONG}`) {
  return world.network.post({
    author: who,
    text: `@${FARCASTER.botUsername} submit ${id} ${text}`,
    at: world.clock.now,
  });
}

async function earningOf(gig: Gig, id: string) {
  return await world.store.earning(gig.id, world.account(id));
}

const byName = (verdicts: Record<string, object>) => decide(({ username }) => verdicts[username]);

describe('a bounty that a verifier decides about', () => {
  test('behavior: one is awarded, one refused with words, one asked about again, and what is left open ends', async () => {
    const [one] = ['one', 'two', 'three', 'four'].map((name) => world.person(name));
    const gig = await bounty();
    for (const who of ['one', 'two', 'three', 'four']) submit(who, gig);
    world.person('other');
    submit('other', { id: gig.id + 1 });
    verifier.answer(
      byName({
        one: { award: '12.5' },
        two: { refuse: 'not @good: see https://evil.example' },
        three: { wait_seconds: 3600 },
      }),
    );
    await engine.until(START + 30 * MINUTE);
    expect(await world.outcome(gig)).toEqual({
      one: 'awarded',
      two: 'verifier_refused',
      three: 'eligible',
      four: 'eligible',
    });
    expect(await earningOf(gig, one ?? '')).toMatchObject({ amount: 125n * 10n ** 17n });
    const [, two] = await world.store
      .earnings({ gigId: gig.id, state: 'refused', limit: 9 })
      .then((all) => [null, ...all]);
    expect(two?.note).toBe('not good: see');
    const [first] = verifier.asked;
    expect(first?.question).toEqual({
      type: 'submissions',
      gig_id: gig.id,
      remaining: '100',
      candidates: ['one', 'two', 'three', 'four'].map((username, index) => ({
        id: expect.any(Number),
        platform: 'farcaster',
        platform_user_id: String(Number(one) + index),
        username,
        score: 0.9,
        submission: {
          post_id: expect.stringMatching(/^0x/),
          text: `@${FARCASTER.botUsername} submit ${gig.id} ${username} and ${LONG}`,
          posted_at: new Date(START).toISOString(),
        },
      })),
    });
    const { publicKey } = createVerifiers({ origins: [], signingKey }, { signedAt: () => 0 });
    expect(publicKey).toMatch(/^whpk_/);
    for (const each of verifier.asked) expect(isSigned(each, publicKey ?? '')).toBe(true);
    expect(first && isSigned({ ...first, body: `${first.body} ` }, publicKey ?? '')).toBe(false);
    // Neither is asked about before its time.
    const names = () =>
      verifier.asked.map(({ question }) => question.candidates.map(({ username }) => username).join());
    expect(names().filter((each) => each !== 'four')).toEqual(['one,two,three,four']);
    await engine.until(START + 3 * HOUR);
    expect(names().slice(1).join()).toContain('three');
    await engine.until(END + 8 * DAY);
    expect(await world.outcome(gig)).toMatchObject({ three: 'not_decided', four: 'not_decided' });
    expect((await world.store.watch(gig.id))?.overAt).toBeGreaterThanOrEqual(END + 7 * DAY);
    expect(await world.store.openBatch(gig.id)).toBeNull();
  });

  test('behavior: direct replies to its post are submissions as mentions are, and an account counts once', async () => {
    world.person('replier');
    world.person('mentioner');
    const gig = await bounty({ target: { kind: 'post', postId: world.cast.id, authorId: world.author } });
    world.reply('replier', `a reply and ${LONG}`);
    submit('mentioner', gig);
    submit('replier', gig);
    verifier.answer(decide(() => ({ award: '1' })));
    await engine.until(START + HOUR);
    expect(await world.outcome(gig)).toEqual({ replier: 'awarded', mentioner: 'awarded' });
    const texts = verifier.asked.flatMap(({ question }) =>
      question.candidates.map(({ submission }) => submission.text),
    );
    expect(texts.toSorted()).toEqual([expect.stringContaining('submit'), `a reply and ${LONG}`].toSorted());
  });

  test('behavior: a mention from before the start, which the bot turned away, does not stand in the way of a later one', async () => {
    for (const name of ['eager', 'gone']) world.person(name);
    world.clock.now = START - MINUTE;
    const gig = await bounty();
    for (const who of ['eager', 'gone']) submit(who, gig, `early ${LONG}`);
    verifier.answer(decide(() => ({ award: '1' })));
    await engine.until(START + HOUR);
    submit('eager', gig, `in time ${LONG}`);
    await engine.until(START + 2 * HOUR);
    expect(await world.outcome(gig)).toEqual({ eager: 'awarded' });
    expect(verifier.asked[0]?.question.candidates[0]?.submission.text).toContain('in time');
  });

  test('behavior: gates come first, and more than is left is refused', async () => {
    world.person('low', { score: 0.1 });
    for (const name of ['one', 'two', 'short']) world.person(name);
    const gig = await bounty({ rewardAmount: 50n * E18 });
    for (const who of ['low', 'one', 'two']) submit(who, gig);
    submit('short', gig, 'tiny');
    verifier.answer(decide(() => ({ award: 40 })));
    await engine.until(START + HOUR);
    expect(await world.outcome(gig)).toEqual({
      low: 'score_too_low',
      one: 'awarded',
      two: 'reward_used_up',
      short: 'text_too_short',
    });
    await engine.until(END + HOUR);
    expect((await world.store.watch(gig.id))?.overAt).not.toBeNull();
  });

  test('behavior: one whose post is gone is judged again, so that a later submission of it counts', async () => {
    for (const name of ['gone', 'again']) world.person(name);
    const gig = await bounty();
    const posts = [submit('gone', gig), submit('again', gig)];
    submit('again', gig, `something else and ${LONG}`);
    verifier.answer((_, response) => void response.writeHead(500).end());
    await engine.until(START + 20 * MINUTE);
    expect(verifier.asked.length).toBeGreaterThan(0);
    for (const [index, who] of ['gone', 'again'].entries()) {
      world.act({ who, kind: 'delete', post: posts[index]?.id });
    }
    verifier.answer(decide(() => ({ award: '1' })));
    await engine.until(START + 3 * HOUR);
    expect(await world.outcome(gig)).toEqual({ gone: 'withdrawn', again: 'awarded' });
  });

  test('error: one whose text the platform does not tell keeps no other waiting, and is asked about later', async () => {
    for (const name of ['odd', 'one', 'two']) world.person(name);
    const gig = await bounty();
    const odd = submit('odd', gig);
    let isSilent = true;
    const { reader } = world;
    const readTexts: typeof reader.readTexts = async (ids) => {
      const texts = await reader.readTexts(ids);
      return new Map([...texts].filter(([id]) => !isSilent || id !== odd.id));
    };
    engine = newEngine({ reader: { ...reader, readTexts } });
    verifier.answer(decide(() => ({ award: '1' })));
    // At first it is alone.
    await engine.until(START + 30 * MINUTE);
    for (const who of ['one', 'two']) submit(who, gig);
    await engine.until(START + 3 * HOUR);
    expect(await world.outcome(gig)).toEqual({ odd: 'eligible', one: 'awarded', two: 'awarded' });
    isSilent = false;
    await engine.until(START + 5 * HOUR);
    expect(await world.outcome(gig)).toMatchObject({ odd: 'awarded' });
  });

  test('security: an award long after it leaves a handle with its new holder', async () => {
    const { store, clock } = world;
    const one = world.account(world.person('one'));
    const gig = await bounty();
    submit('one', gig);
    verifier.answer((_, response) => void response.writeHead(500).end());
    await engine.until(START + HOUR);
    expect(await world.outcome(gig)).toEqual({ one: 'eligible' });
    const other = { platform: 'farcaster', platformUserId: '77' } as const;
    await store.transaction((tx) => tx.setUsername({ ...other, username: 'one' }, clock.now));
    verifier.answer(decide(() => ({ award: '1' })));
    await engine.until(START + 8 * HOUR);
    expect(await world.outcome(gig)).toEqual({ one: 'awarded' });
    expect(await store.accountByHandle('farcaster', 'one')).toMatchObject(other);
    expect(await store.account(one)).toMatchObject({ username: null });
  });

  test('behavior: one that waits by hand is not asked about by a question that is sent again', async () => {
    const one = world.account(world.person('one'));
    world.person('two');
    const gig = await bounty();
    for (const who of ['one', 'two']) submit(who, gig);
    verifier.answer((_, response) => void response.writeHead(500).end());
    await engine.until(START + 20 * MINUTE);
    const { observationId: id } = (await world.store.earning(gig.id, one)) ?? { observationId: 0 };
    await decideByHand(world, gig, { id, wait_seconds: 6 * 3_600 });
    const before = verifier.asked.length;
    verifier.answer(decide(() => undefined));
    await engine.until(START + 6 * HOUR);
    const later = () => verifier.asked.slice(before).flatMap(({ question }) => question.candidates);
    const names = () => new Set(later().map(({ username }) => username));
    expect(names()).toEqual(new Set(['two']));
    await engine.until(START + 8 * HOUR);
    expect(names()).toEqual(new Set(['one', 'two']));
  });
});

describe('a verifier that cannot be relied on', () => {
  const bodies: readonly (readonly [string, Parameters<TestVerifier['answer']>[0]])[] = [
    ['awards more than the most', decide(() => ({ award: '40.1' }))],
    ['awards one well and another one more than the most', byName({ one: { award: '1' }, two: { award: '41' } })],
    ['names an id that it was not asked about', say('{"decisions":[{"id":999999,"award":"1"}]}')],
    [
      'names an id twice',
      ({ question }, response) => {
        const id = question.candidates[0]?.id;
        say(
          JSON.stringify({
            decisions: [
              { id, award: '1' },
              { id, award: '1' },
            ],
          }),
        )({} as never, response);
      },
    ],
    ['awards less than nothing', decide(() => ({ award: '-1' }))],
    ['awards more decimals than the token has', decide(() => ({ award: `0.${'0'.repeat(18)}1` }))],
    ['decides twice in one decision', decide(() => ({ award: '1', refuse: 'no' }))],
    ['adds a field', decide(() => ({ award: '1', bonus: '1' }))],
    ['says no JSON', say('awarded!')],
    ['says another shape', say('[]')],
    ['says too much', say(`{"decisions":[${' '.repeat(600_000)}]}`)],
    ['redirects', (_, response) => void response.writeHead(302, { location: `${verifier.origin}/elsewhere` }).end()],
    ['fails', (_, response) => void response.writeHead(500).end('{"decisions":[]}')],
    ['accepts only', (_, response) => void response.writeHead(202).end('{"decisions":[]}')],
    ['stalls', () => undefined],
    ['hangs up', (_, response) => void response.destroy()],
    [
      'drips',
      (_, response) => {
        response.writeHead(200);
        const drip = setInterval(() => response.write(' '), 50);
        response.on('close', () => clearInterval(drip));
      },
    ],
  ];

  test.each(bodies)(
    'security: one that %s changes nothing, and is asked again under the same id',
    async (_, answer) => {
      for (const name of ['one', 'two']) world.person(name);
      const gig = await bounty();
      for (const who of ['one', 'two']) submit(who, gig);
      verifier.answer(answer);
      await newEngine({ timeoutMs: IMPATIENT_MS }).until(START + 11 * MINUTE);
      expect(await world.outcome(gig)).toEqual({ one: 'eligible', two: 'eligible' });
      expect((await world.store.gig(gig.id))?.awardedAmount).toBe(0n);
      const failed = verifier.asked.length;
      expect(failed).toBeGreaterThan(0);
      // With backoff: not more than its pauses leave room for.
      expect(failed).toBeLessThan(6);
      verifier.answer(decide(() => ({ award: '2' })));
      await engine.until(START + 2 * HOUR);
      expect(await world.outcome(gig)).toEqual({ one: 'awarded', two: 'awarded' });
      expect(new Set(verifier.asked.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
      expect(verifier.asked.every(({ path }) => path === '/decide')).toBe(true);
      expect((await world.store.gig(gig.id))?.awardedAmount).toBe(4n * E18);
    },
  );

  test('behavior: it keeps no other gig waiting, and its own gig is looked at meanwhile', async () => {
    for (const name of ['one', 'late', 'liker']) world.person(name);
    const gig = await bounty();
    const other = await world.gig({ holdMs: 0 });
    submit('one', gig);
    world.act({ who: 'liker', kind: 'like', post: world.cast.id });
    verifier.answer(() => undefined);
    const impatient = newEngine({ timeoutMs: IMPATIENT_MS });
    await impatient.until(START + 25 * MINUTE);
    submit('late', gig);
    await impatient.until(START + 50 * MINUTE);
    expect(await world.outcome(other)).toEqual({ liker: 'awarded' });
    expect(await world.outcome(gig)).toEqual({ one: 'eligible', late: 'eligible' });
    expect((await world.store.watch(gig.id))?.failures).toBe(0);
  });

  test('security: two engines with an answer for the same batch apply it once', async () => {
    const one = world.person('one');
    const gig = await bounty();
    submit('one', gig);
    const other = newEngine();
    let waiting: (() => void)[] = [];
    // Both ask: the second after the lease of the first is over.
    verifier.answer((asked, response) => {
      waiting.push(() => decide(() => ({ award: '3' }))(asked, response));
      if (waiting.length < 2) return;
      for (const each of waiting) each();
      waiting = [];
    });
    const patient = createVerifiers({ origins: [verifier.origin], signingKey }, { signedAt: () => world.clock.now });
    const engines = [engine, other].map(({ deps }) =>
      createEngine({ ...world, reader: world.reader, verifiers: patient, store: deps.store }),
    );
    await engine.until(START);
    while (waiting.length === 0 && world.clock.now < START + HOUR) {
      world.clock.now += MINUTE;
      void engines[0]?.work();
      await new Promise((resolve) => setTimeout(resolve, 60));
    }
    world.clock.now += 10 * MINUTE;
    await engines[1]?.work();
    await engines[0]?.work();
    const { tips } = await world.store.pendingTips([world.account(one)]);
    expect(tips.map(({ amount }) => amount)).toEqual([3n * E18]);
    expect(new Set(verifier.asked.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
  });
});

describe('a bounty that is decided about by hand', () => {
  test('behavior: words and a URL of another origin ask nobody, and it ends a week after its end', async () => {
    world.person('one');
    const gigs = [
      await bounty({ verifier: 'the council' }),
      await bounty({ verifier: `${verifier.origin}.evil/decide` }),
    ];
    for (const gig of gigs) submit('one', gig);
    await engine.until(END + 6 * DAY);
    for (const gig of gigs) expect(await world.outcome(gig)).toEqual({ one: 'eligible' });
    await engine.until(END + 8 * DAY);
    for (const gig of gigs) expect(await world.outcome(gig)).toEqual({ one: 'not_decided' });
    expect(verifier.asked).toEqual([]);
  });

  test('security: nobody is refused for a used-up reward once a tip of it is voided', async () => {
    const { store, clock } = world;
    const one = world.account(world.person('one'));
    world.person('two');
    const gig = await bounty({ verifier: 'the council', rewardAmount: 40n * E18 });
    for (const who of ['one', 'two']) submit(who, gig);
    await engine.until(START + HOUR);
    const { observationId: id } = (await store.earning(gig.id, one)) ?? { observationId: 0 };
    const deps = { store, clock: () => clock.now };
    await decideByHand(world, gig, { id, award: '40' });
    let voided = 0;
    // The step has found the reward used up, and the chain is asked before it refuses anybody.
    const learnPaid = async () => {
      const { tipId } = (await store.earning(gig.id, one)) ?? {};
      if (voided === 0)
        voided = (await voidTips(deps, { tipIds: [tipId ?? 0], reason: 'no', actor: COMMAND_LINE })).length;
      return false;
    };
    clock.now += HOUR;
    await advanceNextWatch({ ...engine.deps, learnPaid }, 'farcaster');
    await engine.until(START + 3 * HOUR);
    expect(voided).toBe(1);
    expect(await world.outcome(gig)).toEqual({ one: 'awarded', two: 'eligible' });
  });
});
