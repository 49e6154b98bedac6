import { writeFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createFarcasterNetwork } from '../../../sandbox/networks/farcaster.ts';
import type { Gig } from '../../../src/domain/gigs/gig.ts';
import { FARCASTER } from '../../platforms/setup.ts';
import { HOUR, openGig } from '../../services/earning/gigs.ts';
import { awardAs, decideAs, SAMPLE_FACTS, sampleAccount, sampleAct, seedActs } from '../../support/earning.ts';
import { SEEDED_AT, seedAddress, seedGig, seedTips } from '../../support/store.ts';
import { desk, failure, outputLines, outputRows, refusal, useDesk } from '../admin.ts';

const POST = { kind: 'post', postId: `0x${'ab'.repeat(20)}`, authorId: '5' } as const;
const E18 = 10n ** 18n;

useDesk();

/** A gig with an account in each state: 11 held, 12 eligible, 13 awarded 10, 14 refused. */
async function seedStates(startTime = SEEDED_AT): Promise<Gig> {
  const gig = await openGig(desk.store, { target: POST, startTime });
  const dueAt = SEEDED_AT + 12 * HOUR;
  await seedActs(
    desk.store,
    gig,
    [11, 12, 13, 14].map((id) => sampleAct(id)),
    { dueAt },
  );
  await desk.store.transaction(async (tx) => {
    await decideAs(tx, gig, sampleAccount(12), { facts: { ...SAMPLE_FACTS, username: 'bob' } });
    await decideAs(tx, gig, sampleAccount(13), { facts: { ...SAMPLE_FACTS, username: 'carol' } });
    await awardAs(tx, gig, sampleAccount(13), { amount: 10n * E18 });
    const facts = { ...SAMPLE_FACTS, username: 'mallory', score: 500_000 };
    await decideAs(tx, gig, sampleAccount(14), { to: 'refused', reason: 'score_too_low', facts });
    await tx.setUsername({ ...sampleAccount(14), username: 'mallory' }, SEEDED_AT);
  });
  return gig;
}

describe('gig earnings', () => {
  test('behavior: lists each account with its state, amount, time and reason in words', async () => {
    const gig = await seedStates();
    expect(await outputRows(desk.admin(['gig', 'earnings', String(gig.id)]))).toEqual([
      'id|account|state|amount|due|why',
      '4|farcaster:14 (@mallory)|refused|-|-|Not eligible: the Farcaster score is 0.5; this gig requires 0.55.',
      '3|farcaster:13 (@carol)|awarded|10|-|Awarded 10 DEGEN.',
      '2|farcaster:12 (@bob)|eligible|-|-|Approved. The tip is pending.',
      '1|farcaster:11|held|-|2026-01-01T12:00:00.000Z|Held until 1 Jan 2026, 12:00 UTC. The decision follows.',
    ]);
  });

  test('behavior: takes a state and pages', async () => {
    const gig = await seedStates();
    const ids = (...args: string[]) => desk.column('platform_user_id', 'gig', 'earnings', String(gig.id), ...args);
    expect(await ids('--state', 'refused')).toEqual(['14']);
    expect(await ids('--limit', '2')).toEqual(['14', '13']);
    expect(await ids('--before', '3')).toEqual(['12', '11']);
    expect(await desk.json('gig', 'earnings', String(gig.id), '--state', 'refused')).toMatchObject([
      { reason: 'score_too_low', facts: { score: 0.5, followers: 12, spam_label: 'unknown' }, due_at: null },
    ]);
  });

  test('behavior: of a manual gig an account’s tips are told instead, with when they were paid', async () => {
    const gig = await seedGig(desk.store, { live: true });
    const { id } = gig;
    const why = (...args: string[]) => desk.admin(['gig', 'why', String(id), 'farcaster', ...args]);
    expect(await refusal(why('1001'))).toBe(`farcaster:1001 has no tips from gig ${id}, which is manual.\n`);
    expect(await refusal(why('nobody'))).toBe('This service knows no account with this handle: use its id.\n');
    await seedTips(desk.store, gig, [sampleAccount(1001)]);
    expect((await why('1001')).out).toBe(
      `farcaster:1001 earned 1 DEGEN from gig ${id}, not paid yet. Gig ${id} is manual.\n`,
    );
    expect(JSON.parse((await why('1001', '--json')).out)).toEqual({
      platform: 'farcaster',
      platform_user_id: '1001',
      tips: [{ amount: '1', status: 'pending', claimed_at: null }],
    });
  });

  test('error: a manual gig, an unknown gig and an unknown state are named', async () => {
    const { id } = await seedGig(desk.store, { live: true });
    const manual = `Gig ${id} is manual: nothing is watched, and its tips are awarded by request.\n`;
    expect(await refusal(desk.admin(['gig', 'earnings', String(id)]))).toBe(manual);
    expect((await desk.admin(['gig', 'earnings', '99'])).err).toBe('There is no gig 99; see gig list.\n');
    const wrong = await desk.admin(['gig', 'earnings', String(id), '--state', 'drawn']);
    expect([wrong.code, wrong.err]).toEqual([2, expect.stringContaining('Allowed choices are held, eligible')]);
  });
});

describe('held accounts', () => {
  const lines = async (...args: string[]) => (await desk.admin(['gig', ...args])).out;

  test('behavior: have the handle that is known of them, by what was last decided if nothing else tells it', async () => {
    const gig = await seedStates();
    const { store } = desk;
    await store.transaction(async (tx) => {
      await tx.setUsername({ ...sampleAccount(11), username: 'ann' }, SEEDED_AT);
      await decideAs(tx, gig, sampleAccount(12), { to: 'held', facts: null });
    });
    const listed = await lines('earnings', String(gig.id), '--state', 'held');
    expect(listed).toMatch(/farcaster:11 \(@ann\) +held/);
    expect(listed).toMatch(/farcaster:12 \(@bob\) +held/);
  });

  test('behavior: that took back what they did are told so, once everything was read again', async () => {
    const gig = await seedStates();
    const { store } = desk;
    const held = 'Held until 1 Jan 2026, 12:00 UTC. The decision follows.';
    expect(await lines('why', String(gig.id), 'farcaster', '11')).toContain(`why      ${held}\n`);
    const lease = 'a lease';
    await store.transaction(async (tx) => {
      const watch = await tx.leaseWatchOf(gig.id, { lease, now: SEEDED_AT, until: SEEDED_AT + HOUR });
      if (watch !== null) await tx.storeWatch({ ...watch, sweptAt: SEEDED_AT + HOUR }, { lease, release: true });
    });
    const missing = `${held} The like is no longer there.`;
    expect(await lines('why', String(gig.id), 'farcaster', '11')).toContain(`why      ${missing}\n`);
    expect(await lines('earnings', String(gig.id), '--state', 'held')).toContain(missing);
  });
});

describe('gig why', () => {
  test('behavior: shows the acts of an account and every decision with its facts, by id or handle', async () => {
    const gig = await seedStates();
    const byId = await desk.admin(['gig', 'why', String(gig.id), 'farcaster', '14']);
    expect([byId.code, byId.err]).toEqual([0, '']);
    expect(byId.out).toContain('account  farcaster:14 (@mallory)');
    expect(byId.out).toContain('why      Not eligible: the Farcaster score is 0.5; this gig requires 0.55.');
    expect(byId.out).toMatch(/like +- +- +2026-01-01T00:00:00.000Z +look /);
    expect(byId.out).toMatch(
      /refused +the Farcaster score is 0.5; this gig requires 0.55 +Score 0.5 · 12 followers · joined 1 Jan 1970 ·/,
    );
    expect((await desk.admin(['gig', 'why', String(gig.id), 'farcaster', '@mallory'])).out).toBe(byId.out);
    expect(await desk.json('gig', 'why', String(gig.id), 'farcaster', '13')).toMatchObject({
      state: 'awarded',
      acts: [{ kind: 'like', source: 'look', first_seen_at: '2026-01-01T00:00:00.000Z', undone_at: null }],
      decisions: [
        { state: 'eligible', amount: null, facts: { score: 0.9 } },
        { state: 'awarded', amount: '10' },
      ],
    });
  });

  test('behavior: an act that was found undone says by when', async () => {
    const gig = await openGig(desk.store, { target: POST });
    await seedActs(desk.store, gig, [{ ...sampleAct(21), kind: 'reply', objectId: '0x21' }]);
    await desk.store.transaction((tx) =>
      decideAs(tx, gig, sampleAccount(21), { to: 'refused', reason: 'withdrawn', now: SEEDED_AT + HOUR }),
    );
    const { out } = await desk.admin(['gig', 'why', String(gig.id), 'farcaster', '21']);
    expect(out).toContain('by 2026-01-01T01:00:00.000Z');
  });

  test('error: says of whom nothing was seen, whose handle is unknown, and which platform is not the gig’s', async () => {
    const gig = await seedStates();
    const why = async (...args: string[]) => await desk.admin(['gig', 'why', String(gig.id), ...args]);
    const seen = `Nothing that counts for gig ${gig.id} was seen of farcaster:`;
    expect(await refusal(why('farcaster', '77'))).toBe(`${seen}77.\n`);
    const unknown = `${seen}@nobody. This service knows no account with this handle: use its id.\n`;
    expect((await why('farcaster', 'nobody')).err).toBe(unknown);
    expect((await why('x', '14')).err).toBe('The gig is on Farcaster, so only accounts there earn from it.\n');
    expect((await why('farcaster', 'a b')).err).toContain('is neither a Farcaster FID');
    expect((await why('myspace', '14')).code).toBe(2);
  });
});

describe('gig settle', () => {
  const network = createFarcasterNetwork({ ...FARCASTER, clock: () => SEEDED_AT });
  let env: Record<string, string>;
  beforeEach(async () => {
    env = {
      NEYNAR_API_KEY: FARCASTER.apiKey,
      NEYNAR_SIGNER_UUID: FARCASTER.signerUuid,
      NEYNAR_WEBHOOK_SECRETS: FARCASTER.webhookSecrets.join(),
      FARCASTER_BOT_FID: String(FARCASTER.botFid),
      FARCASTER_BOT_USERNAME: FARCASTER.botUsername,
      NEYNAR_BASE_URL: await network.start(),
    };
  });
  afterEach(() => network.stop());

  const settle = (gigId: number, more: Record<string, string> = {}) =>
    desk.admin(['gig', 'settle', String(gigId)], { env: { ...env, ...more } });

  const running = (id: number) =>
    `Gig ${id} has not ended; gig stop ends it now. By itself it ends at 2 Jan 2026, 00:00 UTC.`;

  function person(id: number, username: string, score = 0.9) {
    const registeredAt = SEEDED_AT - 2_400 * HOUR;
    const verifiedAddresses = [seedAddress(id)];
    network.addUser({ id: String(id), username, score, followers: 5, registeredAt, verifiedAddresses });
  }

  test('behavior: reads, decides and awards what is due, says so, and records who did it', async () => {
    for (const [id, name] of [[7_001, 'author'] as const, [7_002, 'dora'] as const]) person(id, name);
    person(7_003, 'mallory', 0.5);
    const cast = network.post({ author: 'author', text: 'Look at this', at: SEEDED_AT });
    const target = { kind: 'post', postId: cast.id, authorId: '7001' } as const;
    const gig = await openGig(desk.store, { target, holdMs: 0 });
    for (const who of ['dora', 'mallory']) network.act({ kind: 'like', who, post: cast.id, at: SEEDED_AT });
    expect(await outputLines(settle(gig.id))).toEqual([
      'Read all acts.',
      'Decided on accounts that were due.',
      'Awarded accepted accounts by rank, or refused them because the reward is used up.',
      'Accounts: awarded 0 → 1, refused 0 → 1.',
      `Nothing more is due for gig ${gig.id} before 1 Jan 2026, 00:10:00 UTC.`,
      running(gig.id),
    ]);
    expect(await desk.json('audit', 'list', '--gig', String(gig.id))).toMatchObject([
      { action: 'tips.award', actor: 'job', name: 'earning' },
      { action: 'gig.settle', actor: 'operator', name: 'command line' },
    ]);
    const again = await settle(gig.id);
    expect(again.out).toBe(
      `No account changed.\nNothing more is due for gig ${gig.id} before 1 Jan 2026, 00:10:00 UTC.\n${running(gig.id)}\n`,
    );
  });

  test('behavior: goes by the file of spam labels, and names its variable when that is missing', async () => {
    for (const [id, name] of [[7_004, 'maker'] as const, [7_005, 'spammer'] as const]) person(id, name);
    const cast = network.post({ author: 'maker', text: 'Look at that', at: SEEDED_AT });
    const target = { kind: 'post', postId: cast.id, authorId: '7004' } as const;
    const gig = await openGig(desk.store, { target, holdMs: 0 });
    network.act({ kind: 'like', who: 'spammer', post: cast.id, at: SEEDED_AT });
    const file = `${desk.path}.labels`;
    const missing = await settle(gig.id, { SPAM_LABELS_FILE: file });
    expect(missing).toEqual({ code: 1, out: '', err: 'SPAM_LABELS_FILE: the file does not exist\n' });
    writeFileSync(file, '{"type":{"fid":7005},"label_type":"spam","label_value":3}\n');
    expect((await settle(gig.id, { SPAM_LABELS_FILE: file })).out).toContain('Accounts: refused 0 → 1.');
    expect(await desk.store.earning(gig.id, sampleAccount(7_005))).toMatchObject({ reason: 'labelled_spam' });
  });

  test('error: when the platform does not answer, it says until when the gig waits', async () => {
    const gig = await openGig(desk.store, { target: POST });
    const { code, out, err } = await settle(gig.id, { NEYNAR_BASE_URL: 'http://127.0.0.1:9' });
    expect([code, out]).toEqual([1, 'No account changed.\n']);
    expect(err).toMatch(new RegExp(`^Gig ${gig.id} waits until 1 Jan 2026, 00:00:30 UTC: `));
  });

  test('error: leaves a gig alone on which another process is at work', async () => {
    const gig = await openGig(desk.store, { target: POST });
    const request = { lease: 'service', now: SEEDED_AT, until: SEEDED_AT + 1 };
    await desk.store.transaction((tx) => tx.leaseWatch('farcaster', request));
    const busy = `The service is at work on gig ${gig.id} at this moment; try again in a minute.\n`;
    expect(await failure(settle(gig.id))).toBe(busy);
  });

  test('behavior: closes the books in the call in which the last account is decided about', async () => {
    for (const [id, name] of [[7_006, 'writer'] as const, [7_007, 'fan'] as const]) person(id, name);
    const began = SEEDED_AT - 48 * HOUR;
    const cast = network.post({ author: 'writer', text: 'Look at it', at: began });
    const target = { kind: 'post', postId: cast.id, authorId: '7006' } as const;
    const gig = await openGig(desk.store, { target, startTime: began, refundAddress: seedAddress(0xbac) });
    network.act({ kind: 'like', who: 'fan', post: cast.id, at: began + HOUR });
    await seedActs(desk.store, gig, [sampleAct(7_007, { rankedAt: began + HOUR })], {
      now: began + HOUR,
      dueAt: began + 13 * HOUR,
    });
    expect(await outputLines(settle(gig.id))).toEqual([
      'Read all acts.',
      'Decided on accounts that were due.',
      'Awarded accepted accounts by rank, or refused them because the reward is used up.',
      'Ended the watch.',
      'Accounts: held 1 → 0, awarded 0 → 1.',
      `Gig ${gig.id} is decided completely.`,
      `Gig ${gig.id} is settled: no more tips are awarded. Tips already earned can still be claimed.`,
      expect.stringMatching(/^90 DEGEN are left; the running service returns them to 0x/),
    ]);
    expect(await desk.store.gig(gig.id)).toMatchObject({ settledAt: SEEDED_AT, awardedAmount: 10n * E18 });
    const actions = await desk.json('audit', 'list', '--gig', String(gig.id));
    expect(actions).toMatchObject([{ action: 'gig.close' }, { action: 'tips.award' }, { action: 'gig.settle' }]);
  });

  test('behavior: --refuse-open says what would become of a gig without its platform, and does it with --yes', async () => {
    const gig = await seedStates();
    const off = Object.fromEntries(Object.keys(env).map((name) => [name, '']));
    const refuse = (...more: string[]) =>
      desk.admin(['gig', 'settle', String(gig.id), '--refuse-open', ...more], { env: off });
    expect((await refuse()).err).toBe(`Gig ${gig.id} has not ended; gig stop ends it now.\n`);
    await desk.admin(['gig', 'stop', String(gig.id)]);
    const early = `Gig ${gig.id} is not over before 1 Jan 2026, 12:00 UTC; until then undecided accounts can still be decided.\n`;
    expect(await refusal(refuse('--yes'))).toBe(early);
    const past = await seedStates(SEEDED_AT - 48 * HOUR);
    const refusePast = (...more: string[]) =>
      desk.admin(['gig', 'settle', String(past.id), '--refuse-open', ...more], { env: off });
    expect(await outputLines(refusePast())).toEqual([
      `Gig ${past.id}`,
      '  held      1 account, to be refused without a decision',
      '  accepted  1 account, 1 to be awarded what they have earned, 0 refused',
      'Nothing was changed. To do it, add --yes; it cannot be undone.',
    ]);
    expect(await desk.store.earning(past.id, sampleAccount(11))).toMatchObject({ state: 'held' });
    expect((await outputLines(refusePast('--yes'))).slice(0, -1)).toEqual([
      'Awarded accepted accounts by rank, or refused them because the reward is used up.',
      'Refused held accounts, because the time for decisions is over.',
      'Ended the watch.',
      'Accounts: held 1 → 0, eligible 1 → 0, awarded 1 → 2, refused 1 → 2.',
      `Gig ${past.id} is decided completely.`,
      `Gig ${past.id} is settled: no more tips are awarded. Tips already earned can still be claimed.`,
    ]);
    const why = await desk.admin(['gig', 'why', String(past.id), 'farcaster', '11']);
    expect(why.out).toContain('Not eligible: no decision was made in time.');
  });

  test('error: says why nothing can be done for a gig', async () => {
    const manual = await seedGig(desk.store, { live: true });
    const watched = await openGig(desk.store, { target: POST });
    const over = await openGig(desk.store, { target: POST });
    const created = await seedGig(desk.store, { gigType: 'like' });
    await desk.store.transaction(async (tx) => {
      await tx.storeEarningRules(created.id, { given: null, rules: '{}', target: POST });
      const watch = await tx.leaseWatchOf(over.id, { lease: 'a', now: SEEDED_AT, until: SEEDED_AT + 1 });
      if (watch !== null) await tx.storeWatch({ ...watch, overAt: SEEDED_AT }, { lease: 'a', release: true });
    });
    const refusal = async (id: number, more: Record<string, string> = {}) => (await settle(id, more)).err;
    expect(await refusal(99)).toBe('There is no gig 99; see gig list.\n');
    expect(await refusal(manual.id)).toBe(`${running(manual.id)}\n`);
    expect(await refusal(created.id)).toBe(`Gig ${created.id} has not started; gig cancel ends it.\n`);
    expect(await refusal(over.id)).toBe(`${running(over.id)}\n`);
    const off = Object.fromEntries(Object.keys(env).map((name) => [name, '']));
    expect(await refusal(watched.id, off)).toBe('Farcaster is off here: set its variables as the service has them.\n');
    const zero = 'EARNING_LOOK_SECONDS is 0, so no gig is watched.\n';
    expect(await refusal(watched.id, { EARNING_LOOK_SECONDS: '0' })).toBe(zero);
    expect(await desk.json('audit', 'list')).toEqual([]);
  });
});

describe('gig candidates and gig decide', () => {
  async function seedBounty(): Promise<Gig> {
    const rule = { type: 'verifier', maxAmount: 20n * E18 } as const;
    const gig = await openGig(desk.store, { gigType: 'custom_bounty', target: POST, rule, holdMs: 0 });
    const acts = [11, 12].map((id) => ({ ...sampleAct(id), kind: 'submission', objectId: `0x${id}` }) as const);
    await seedActs(desk.store, gig, acts);
    await desk.store.transaction(async (tx) => {
      for (const id of [11, 12]) await decideAs(tx, gig, sampleAccount(id), { facts: SAMPLE_FACTS });
    });
    return gig;
  }

  test('behavior: lists what is to be decided, and decides', async () => {
    const gig = String((await seedBounty()).id);
    const listed = await desk.admin(['gig', 'candidates', gig]);
    expect([listed.code, listed.err]).toEqual([0, '']);
    expect(listed.out).toContain(`Submissions to gig ${gig} are decided by hand.`);
    expect(listed.out).toMatch(/conversations\/0x11 +\(Farcaster is off here\)/);
    const awarded = await desk.admin(['gig', 'decide', gig, '1', '--award', '12.5']);
    expect(awarded.out.trim()).toBe(`Decided: farcaster:11 is awarded. 87.5 DEGEN of gig ${gig} are left.`);
    expect((await desk.admin(['gig', 'decide', gig, '2', '--wait', '1h'])).out).toContain('farcaster:12 waits');
    expect((await desk.admin(['gig', 'decide', gig, '2', '--refuse', 'late'])).out).toContain(
      'farcaster:12 is refused',
    );
    expect((await desk.admin(['gig', 'candidates', gig])).out).toContain('No submission waits for a decision.');
    const why = await desk.admin(['gig', 'why', gig, 'farcaster', '12']);
    expect(why.out).toContain('the verifier refused the submission: late');
  });

  test('security: awards under numbers from a floor of its own, as each command and the service do', async () => {
    const gig = String((await seedBounty()).id);
    await desk.admin(['gig', 'decide', gig, '1', '--award', '1']);
    const { tipFloor } = await desk.store.ledgerState();
    await desk.admin(['gig', 'decide', gig, '2', '--award', '1']);
    const [first = 0, second = 0] = [(await desk.store.tip(1))?.number, (await desk.store.tip(2))?.number];
    // The clock of the desk is at the beginning of 2026.
    expect(first).toBeGreaterThanOrEqual(256);
    expect(first).toBe(tipFloor);
    expect(second).toBeGreaterThanOrEqual(first + 256);
  });

  test('error: none, two, too much, no amount, and what is no candidate', async () => {
    const positive = 'award must be a positive decimal number such as 10 or "0.5", without sign or exponent';
    const gig = String((await seedBounty()).id);
    for (const [args, problem] of [
      [[], 'exactly one of --award'],
      [['--award', '1', '--refuse', 'no'], 'exactly one of --award'],
      [['--award', '20.5'], 'award is more than max_amount, which is 20 DEGEN'],
      [['--wait', '5'], 'a duration such as'],
      [['--wait', '31d'], 'at most 30d'],
      [['--refuse', 'x'.repeat(2_001)], 'refuse must be a text of at most 2000 characters'],
      ...['0', '-1', 'x', '1e3', '', ' 1', '0.000'].map((award) => [['--award', award], positive] as const),
    ] as const) {
      const { code, err } = await desk.admin(['gig', 'decide', gig, '1', ...args]);
      expect([code > 0, err]).toEqual([true, expect.stringContaining(problem)]);
      expect(err).not.toContain('decisions[');
    }
    const { err } = await desk.admin(['gig', 'decide', gig, '99', '--award', '1']);
    expect(err).toBe('id 99 is no open candidate\n');
    expect(await desk.json('gig', 'candidates', gig)).toMatchObject([{ id: 1 }, { id: 2 }]);
  });
});
