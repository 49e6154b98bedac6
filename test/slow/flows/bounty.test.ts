import { afterEach, beforeEach, expect, test } from 'vitest';
import { NETWORK_CREDENTIALS } from '../../../sandbox/people.ts';
import { HOUR_MS } from '../../../src/domain/time.ts';
import { run } from '../../support/process.ts';
import { decide, isSigned, newSigningKey, startVerifier, type TestVerifier } from '../../support/verifier.ts';
import { openWatchedWorld, type WatchedWorld } from '../../support/watched-world.ts';

const PATIENCE_MS = 20_000;
const WORK = 'https://design.example/1 and some words about it';

let watched: WatchedWorld;
let verifier: TestVerifier;

beforeEach(async () => {
  verifier = await startVerifier();
  const env = { VERIFIER_ORIGINS: verifier.origin, VERIFIER_SIGNING_KEY: newSigningKey() };
  watched = await openWatchedWorld({ env });
});

afterEach(async () => {
  await watched.close();
  await verifier.close();
});

const bounty = (verifierText: string) => ({
  gig_type: 'custom_bounty',
  how_to_earn: 'Design a logo',
  verifier: verifierText,
  earning_criteria: { rule: { type: 'verifier', max_amount: 5 } },
});

interface Listed {
  data: { username: string; state: string; sentence: string; candidate: { id: number; post_id: string } | null }[];
}

async function states(gigId: number): Promise<Record<string, string>> {
  const { body } = await watched.send<Listed>('GET', `/api/gigs/${gigId}/earnings`);
  return Object.fromEntries(body.data.map(({ username, state }) => [username, state]));
}

test('behavior: submissions are checked, the verifier awards one, which is paid, and refuses one, which is told why', async () => {
  for (const name of ['one', 'two']) watched.addPerson(name);
  verifier.answer(decide(({ username }) => (username === 'one' ? { award: '2.5' } : { refuse: 'too many colours' })));
  const gigId = await watched.startGig(bounty(verifier.url));
  expect(await watched.tell('one', `submit ${gigId} ${WORK}`)).toMatch(
    /^Submitted to gig \d+\. Your account is checked first/,
  );
  await watched.tell('two', `submit ${gigId} ${WORK}, claim my rewards`);
  await expect.poll(() => states(gigId)).toEqual({ one: 'awarded', two: 'refused' });
  const won = `Your entry for gig ${gigId} was awarded 2.5 USDC. To claim, mention me with "claim my rewards".`;
  const toldWon = () => watched.world.farcaster.posts().filter(({ text }) => text.startsWith(won)).length;
  await expect.poll(toldWon).toBe(1);
  expect(await watched.tell('two', `why ${gigId}`)).toBe(
    `Gig ${gigId}: Not eligible: the verifier refused your submission: too many colours.`,
  );
  expect(await watched.claimable(['one', 'two'])).toEqual([2.5, 0]);
  const { body } = await watched.send<{ verifier: { public_key: string } }>('GET', '/.well-known/gigclaim.json');
  expect(verifier.asked.every((asked) => isSigned(asked, body.verifier.public_key))).toBe(true);
  expect(await watched.tell('one', `submit ${gigId} once more`)).toBe(
    `Your entry for gig ${gigId} is decided. Awarded 2.5 USDC.`,
  );
  expect(await watched.tell('one', 'submit 999999 this')).toContain('999999');
  expect(await watched.tell('one', 'claim my rewards')).toMatch(/^Paid to 0x\w{40}: 2\.5 USDC/);
  expect(await watched.tell('two', 'claim my rewards')).toContain('no claimable tokens');
  const paid = { one: 2_500_000n, two: 0n, treasury: 500_000n, wallet: 7_500_000n };
  expect(await watched.holdings(gigId, ['one', 'two'])).toEqual(paid);
});

test('behavior: one who submits too early or again is told whether that can count', async () => {
  for (const name of ['early', 'short']) watched.addPerson(name);
  watched.addPerson('poor', { score: 0.2 });
  const gigId = await watched.startGig(bounty('the council'));
  const { farcaster } = watched.world;
  const text = `@${NETWORK_CREDENTIALS.farcaster.botUsername} submit ${gigId} ${WORK}`;
  const cast = farcaster.post({ author: 'early', text, at: Date.now() - HOUR_MS });
  expect((await farcaster.waitForReply(cast.id, PATIENCE_MS))?.text).toMatch(
    /^Gig \d+ takes submissions from \d+ [A-Z]/,
  );
  await watched.tell('poor', `submit ${gigId} ${WORK}`);
  const short = /^Your entry for gig \d+ is too short: add at least 10 letters of text besides links and names\./;
  expect(await watched.tell('short', `submit ${gigId} tiny`)).toMatch(short);
  const owner = { platform: 'farcaster', platform_user_id: watched.addPerson('owner') };
  await watched.send('POST', `/api/gigs/${gigId}/owners`, owner);
  expect(await watched.tell('owner', `submit ${gigId} ${WORK}`)).toBe(
    `You own gig ${gigId}, so you can't earn from it.`,
  );
  await expect.poll(() => states(gigId)).toEqual({ owner: 'refused', poor: 'refused', short: 'refused' });
  expect(await watched.tell('poor', `submit ${gigId} ${WORK}, again`)).toBe(
    `Your entry for gig ${gigId} is decided. Not eligible: your Farcaster score is 0.2; this gig requires 0.55.`,
  );
  expect(await watched.tell('short', `submit ${gigId} ${WORK}, longer`)).toMatch(/^Added your entry to gig \d+\./);
  await expect.poll(() => states(gigId)).toEqual({ owner: 'refused', poor: 'refused', short: 'eligible' });
});

test('behavior: the verifier of the documents checks the signature and decides', async () => {
  for (const name of ['one', 'two']) watched.addPerson(name);
  const { port } = new URL(verifier.origin);
  // Its place is taken by the documented one.
  await verifier.close();
  const documented = run('docs/verifier.ts', { env: { GIGCLAIM_URL: watched.world.url, PORT: port } });
  try {
    await documented.seen(/listening/);
    const forged = await fetch(verifier.url, { method: 'POST', body: '{"candidates":[]}' });
    expect(forged.status).toBe(401);
    const gigId = await watched.startGig(bounty(verifier.url));
    await watched.tell('one', `submit ${gigId} My logo: ${WORK}`);
    await watched.tell('two', `submit ${gigId} I have no logo, but an idea`);
    await expect.poll(() => states(gigId)).toEqual({ one: 'awarded', two: 'refused' });
    expect(await watched.tell('two', `why ${gigId}`)).toContain(
      'Not eligible: the verifier refused your submission: no link to a design.',
    );
  } finally {
    documented.child.kill();
    await documented.ended;
  }
});

test('behavior: the client decides by hand about what it sees in the list, once under one key', async () => {
  const people = ['one', 'two', 'three'];
  for (const name of people) watched.addPerson(name);
  const gigId = await watched.startGig(bounty('the council'));
  for (const who of people) await watched.tell(who, `submit ${gigId} ${who}: ${WORK}`);
  const open = { one: 'eligible', two: 'eligible', three: 'eligible' };
  await expect.poll(() => states(gigId)).toEqual(open);
  const { body } = await watched.send<Listed>('GET', `/api/gigs/${gigId}/earnings`);
  expect(body.data[0]?.sentence).toBe('Passed the checks and waits for a decision.');
  const idOf = (name: string) => body.data.find(({ username }) => username === name)?.candidate?.id;
  const path = `/api/gigs/${gigId}/decisions`;
  const wrong = [
    { id: idOf('one'), award: 5.5 },
    { id: 99_999, refuse: 'no' },
    { id: idOf('two'), award: '0.0000001' },
    { id: idOf('two'), wait_seconds: 60 },
  ];
  expect(await watched.send('POST', path, { decisions: wrong })).toMatchObject({
    status: 400,
    body: {
      error: 'Validation failed',
      details: [
        'decisions[0].award is more than max_amount, which is 5 USDC',
        'decisions[1].id 99999 is no open candidate',
        'decisions[2].award has more decimals than the token, which has 6',
        'decisions[3].id repeats decisions[2]',
      ],
    },
  });
  const malformed = [
    { id: idOf('one'), award: '1', refuse: 'no' },
    { id: 0, award: 'x' },
    7,
    { id: 99_999, award: '6' },
    { id: idOf('one'), refuse: 'no' },
  ];
  expect(await watched.send('POST', path, { decisions: malformed })).toMatchObject({
    status: 400,
    body: {
      error: 'Validation failed',
      details: [
        'decisions[0] must have exactly one of award, refuse and wait_seconds',
        'decisions[1].id must be the id of a candidate, a positive whole number',
        expect.stringMatching(/^decisions\[1\]\.award must be a positive decimal number/),
        'decisions[2] must be an object',
        'decisions[3].id 99999 is no open candidate',
        'decisions[3].award is more than max_amount, which is 5 USDC',
        'decisions[4].id repeats decisions[0]',
      ],
    },
  });
  expect(await states(gigId)).toEqual(open);
  const decisions = [
    { id: idOf('one'), award: '2.5' },
    { id: idOf('two'), refuse: 'late' },
    { id: idOf('three'), wait_seconds: 3600 },
  ];
  const done = { status: 201, body: { awarded: 1, refused: 1, waiting: 1, remaining: '7.5' } };
  expect(await watched.send('POST', path, { decisions }, { 'idempotency-key': 'k' })).toEqual(done);
  expect(await watched.send('POST', path, { decisions }, { 'idempotency-key': 'k' })).toEqual(done);
  expect(await states(gigId)).toEqual({ one: 'awarded', two: 'refused', three: 'eligible' });
  expect(verifier.asked).toEqual([]);
});

test('security: a URL under no configured origin decides by hand, as words do, and is not asked', async () => {
  const { host } = new URL(verifier.origin);
  const others = ['the council: Ann and Bob', `http://${host}@evil.example/decide`, `${verifier.origin}0/decide`];
  for (const text of others) {
    const created = await watched.send('POST', '/api/gigs/create', watched.terms(bounty(text)));
    expect([text, created.status]).toEqual([text, 201]);
  }
  expect(verifier.asked).toEqual([]);
});

test('behavior: a verifier that does not answer is asked one question at a time, and keeps no other gig waiting', async () => {
  for (const name of ['one', 'two', 'three', 'fan']) watched.addPerson(name);
  const open = { now: 0, most: 0 };
  verifier.answer((_, response) => {
    open.now += 1;
    open.most = Math.max(open.most, open.now);
    response.once('close', () => {
      open.now -= 1;
    });
  });
  for (const name of ['one', 'two', 'three']) {
    const gigId = await watched.startGig(bounty(verifier.url));
    await watched.tell(name, `submit ${gigId} ${WORK}`);
  }
  const cast = watched.world.farcaster.post({ author: 'alice', text: 'Like this' });
  const rule = { type: 'fixed', amount: 2 };
  await watched.startGig({ gig_type: 'like', url: cast.url, earning_criteria: { rule, hold_hours: 0 } });
  watched.world.farcaster.act({ who: 'fan', kind: 'like', post: cast.id });
  await expect.poll(() => watched.claimable(['fan'])).toEqual([2]);
  // The next ones are asked when the first is given up.
  await expect.poll(() => verifier.asked.length).toBeGreaterThanOrEqual(3);
  expect(open.most).toBe(1);
});
