import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Gig } from '../../../src/domain/gigs/gig.ts';
import { COMMAND_LINE } from '../../../src/domain/operators/actor.ts';
import { advanceNextWatch } from '../../../src/services/earning/advance-watch.ts';
import { voidTips } from '../../../src/services/gigs/tips/void-tip.ts';
import { createVerifiers } from '../../../src/verifiers/registry.ts';
import { FARCASTER } from '../../platforms/setup.ts';
import { decide, isSigned, newSigningKey, say, startVerifier, type TestVerifier } from '../../support/verifier.ts';
import { decideByHand } from './deciding.ts';
import { createEngine, type Engine } from './engine.ts';
import { DAY, E18, type EarnedGig, END, HOUR, MINUTE, START } from './gigs.ts';
import { openForEachTest, WORK, world } from './world.ts';

/** How long the verifier may take in these tests. */
const TIMEOUT_MS = 2_000;
/** The same where it does not answer. */
const IMPATIENT_MS = 400;

openForEachTest();
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
  verifier = await startVerifier();
  engine = newEngine();
});
afterEach(() => verifier.close());

/** A bounty about which the verifier decides, unless said otherwise. */
const bounty = (terms: Partial<EarnedGig> = {}) => world.bounty({ verifier: verifier.url, ...terms });

/** Such a bounty, to which these have submitted. */
async function submitted(names: readonly string[], terms?: Partial<EarnedGig>): Promise<Gig> {
  const gig = await bounty(terms);
  for (const who of names) world.submit(who, gig);
  return gig;
}

const awardOne = decide(() => ({ award: '1' }));
const fail: Parameters<TestVerifier['answer']>[0] = (_, response) => void response.writeHead(500).end();
const byName = (verdicts: Record<string, object>) => decide(({ username }) => verdicts[username]);

describe('a bounty that a verifier decides about', () => {
  test('behavior: one is awarded, one refused with words, one asked about again, and what is left open ends', async () => {
    const [one = ''] = world.people('one', 'two', 'three', 'four');
    const gig = await submitted(['one', 'two', 'three', 'four']);
    world.submit('other', { id: gig.id + 1 });
    const two = { refuse: 'not @good: see https://evil.example' };
    verifier.answer(byName({ one: { award: '12.5' }, two, three: { wait_seconds: 3600 } }));
    await engine.until(START + 30 * MINUTE);
    const states = { one: 'awarded', two: 'verifier_refused', three: 'eligible', four: 'eligible' };
    expect(await world.outcome(gig)).toEqual(states);
    expect(await world.store.earning(gig.id, world.account(one))).toMatchObject({ amount: 125n * 10n ** 17n });
    const refused = await world.store.earnings({ gigId: gig.id, state: 'refused', limit: 9 });
    expect(refused).toMatchObject([{ note: 'not good: see' }]);
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
          text: `@${FARCASTER.botUsername} submit ${gig.id} ${username} and ${WORK}`,
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
    const gig = await bounty({ target: { kind: 'post', postId: world.cast.id, authorId: world.author } });
    world.reply('replier', `a reply and ${WORK}`);
    world.submit('mentioner', gig);
    world.submit('replier', gig);
    verifier.answer(awardOne);
    await engine.until(START + HOUR);
    expect(await world.outcome(gig)).toEqual({ replier: 'awarded', mentioner: 'awarded' });
    const texts = verifier.asked.flatMap(({ question }) =>
      question.candidates.map(({ submission }) => submission.text),
    );
    expect(texts.toSorted()).toEqual([expect.stringContaining('submit'), `a reply and ${WORK}`].toSorted());
  });

  test('behavior: a mention from before the start, which the bot turned away, does not stand in the way of a later one', async () => {
    world.clock.now = START - MINUTE;
    const gig = await bounty();
    for (const who of ['eager', 'gone']) world.submit(who, gig, `early ${WORK}`);
    verifier.answer(awardOne);
    await engine.until(START + HOUR);
    world.submit('eager', gig, `in time ${WORK}`);
    await engine.until(START + 2 * HOUR);
    expect(await world.outcome(gig)).toEqual({ eager: 'awarded' });
    expect(verifier.asked[0]?.question.candidates[0]?.submission.text).toContain('in time');
  });

  test('behavior: gates come first, and more than is left is refused', async () => {
    world.person('low', { score: 0.1 });
    const gig = await submitted(['low', 'one', 'two'], { rewardAmount: 50n * E18 });
    world.submit('short', gig, 'tiny');
    verifier.answer(decide(() => ({ award: 40 })));
    await engine.until(START + HOUR);
    expect(await world.outcome(gig)).toEqual({
      low: 'score_too_low',
      one: 'awarded',
      two: 'reward_used_up',
      short: 'text_too_short',
    });
    await engine.until(END + HOUR);
    expect(await world.isOver(gig)).toBe(true);
  });

  test('behavior: one whose post is gone is judged again, so that a later submission of it counts', async () => {
    const gig = await bounty();
    const posts = [world.submit('gone', gig), world.submit('again', gig)];
    world.submit('again', gig, `something else and ${WORK}`);
    verifier.answer(fail);
    await engine.until(START + 20 * MINUTE);
    expect(verifier.asked.length).toBeGreaterThan(0);
    for (const [index, who] of ['gone', 'again'].entries()) {
      world.act({ who, kind: 'delete', post: posts[index]?.id });
    }
    verifier.answer(awardOne);
    await engine.until(START + 3 * HOUR);
    expect(await world.outcome(gig)).toEqual({ gone: 'withdrawn', again: 'awarded' });
  });

  test('error: one whose text the platform does not tell keeps no other waiting, and is asked about later', async () => {
    const gig = await bounty();
    const odd = world.submit('odd', gig);
    let isSilent = true;
    const { reader } = world;
    const readTexts: typeof reader.readTexts = async (ids) => {
      const texts = await reader.readTexts(ids);
      return new Map([...texts].filter(([id]) => !isSilent || id !== odd.id));
    };
    engine = newEngine({ reader: { ...reader, readTexts } });
    verifier.answer(awardOne);
    // At first it is alone.
    await engine.until(START + 30 * MINUTE);
    for (const who of ['one', 'two']) world.submit(who, gig);
    await engine.until(START + 3 * HOUR);
    expect(await world.outcome(gig)).toEqual({ odd: 'eligible', one: 'awarded', two: 'awarded' });
    isSilent = false;
    await engine.until(START + 5 * HOUR);
    expect(await world.outcome(gig)).toMatchObject({ odd: 'awarded' });
  });

  test('security: an award long after it leaves a handle with its new holder', async () => {
    const { store, clock } = world;
    const one = world.account(world.person('one'));
    const gig = await submitted(['one']);
    verifier.answer(fail);
    await engine.until(START + HOUR);
    expect(await world.outcome(gig)).toEqual({ one: 'eligible' });
    const other = { platform: 'farcaster', platformUserId: '77' } as const;
    await store.transaction((tx) => tx.setUsername({ ...other, username: 'one' }, clock.now));
    verifier.answer(awardOne);
    await engine.until(START + 8 * HOUR);
    expect(await world.outcome(gig)).toEqual({ one: 'awarded' });
    expect(await store.accountByHandle('farcaster', 'one')).toMatchObject(other);
    expect(await store.account(one)).toMatchObject({ username: null });
  });

  test('behavior: one that waits by hand is not asked about by a question that is sent again', async () => {
    const one = world.account(world.person('one'));
    const gig = await submitted(['one', 'two']);
    verifier.answer(fail);
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
      (asked, response) => {
        const decision = { id: asked.question.candidates[0]?.id, award: '1' };
        say(JSON.stringify({ decisions: [decision, decision] }))(asked, response);
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
      const gig = await submitted(['one', 'two']);
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
    const gig = await bounty();
    const other = await world.gig({ holdMs: 0 });
    world.submit('one', gig);
    world.like('liker');
    verifier.answer(() => undefined);
    const impatient = newEngine({ timeoutMs: IMPATIENT_MS });
    await impatient.until(START + 25 * MINUTE);
    world.submit('late', gig);
    await impatient.until(START + 50 * MINUTE);
    expect(await world.outcome(other)).toEqual({ liker: 'awarded' });
    expect(await world.outcome(gig)).toEqual({ one: 'eligible', late: 'eligible' });
    expect((await world.store.watch(gig.id))?.failures).toBe(0);
  });

  test('security: two engines with an answer for the same batch apply it once', async () => {
    const one = world.person('one');
    await submitted(['one']);
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
    const gigs = [
      await bounty({ verifier: 'the council' }),
      await bounty({ verifier: `${verifier.origin}.evil/decide` }),
    ];
    for (const gig of gigs) world.submit('one', gig);
    await engine.until(END + 6 * DAY);
    for (const gig of gigs) expect(await world.outcome(gig)).toEqual({ one: 'eligible' });
    await engine.until(END + 8 * DAY);
    for (const gig of gigs) expect(await world.outcome(gig)).toEqual({ one: 'not_decided' });
    expect(verifier.asked).toEqual([]);
  });

  test('security: nobody is refused for a used-up reward once a tip of it is voided', async () => {
    const { store, clock } = world;
    const one = world.account(world.person('one'));
    const gig = await submitted(['one', 'two'], { verifier: 'the council', rewardAmount: 40n * E18 });
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
