import { afterEach, beforeEach, expect, test } from 'vitest';
import { anvilClients, deployToken, freshAddress, mined } from '../support/anvil.ts';
import { run } from '../support/process.ts';
import { decide, isSigned, newSigningKey, startVerifier, type TestVerifier } from '../support/verifier.ts';
import { openWorld, type World } from '../support/world.ts';

const PATIENCE_MS = 20_000;
const DAY_MS = 24 * 60 * 60 * 1000;
const WORK = 'https://design.example/1 and some words about it';

let world: World;
let verifier: TestVerifier;
let key: string;
let token: Awaited<ReturnType<typeof deployToken>>;

beforeEach(async () => {
  verifier = await startVerifier();
  const env = { EARNING_LOOK_SECONDS: '1', VERIFIER_ORIGINS: verifier.origin, VERIFIER_SIGNING_KEY: newSigningKey() };
  world = await openWorld({ env });
  const args = ['api-key', 'create', '--name', 'flow'];
  const made = run('src/cli/main.ts', { args, env: { DATABASE_URL: `file:${world.databasePath}` } });
  expect(await made.ended, made.output()).toBe(0);
  key = made.output().trimEnd().split('\n').at(-1) ?? '';
  token = await deployToken({ decimals: 6, symbol: 'USDC' });
});

afterEach(async () => {
  await world.close();
  await verifier.close();
});

async function send<T>(method: string, path: string, body?: unknown, headers: Record<string, string> = {}) {
  const response = await fetch(`${world.url}${path}`, {
    method,
    headers: { 'x-api-key': key, 'content-type': 'application/json', ...headers },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return { status: response.status, body: (await response.json()) as T };
}

interface Created {
  gig_id: number;
  gig_token_address: `0x${string}`;
  tx_data: `0x${string}`;
}

const terms = (verifierText: string, more: object = {}) => ({
  chain: 'anvil',
  token_address: token.address,
  amount: 10,
  start_time: new Date().toISOString(),
  duration: '1week',
  gig_type: 'custom_bounty',
  how_to_earn: 'Design a logo',
  verifier: verifierText,
  earning_criteria: { rule: { type: 'verifier', max_amount: 5 } },
  ...more,
});

/** A bounty of 10 USDC over a week, funded and live. */
async function startBounty(verifierText: string): Promise<number> {
  const created = await send<Created>('POST', '/api/gigs/create', terms(verifierText));
  expect(created).toMatchObject({ status: 201 });
  const { gig_id: gigId, gig_token_address: to, tx_data: data } = created.body;
  const { wallet } = anvilClients();
  await mined(await wallet.sendTransaction({ account: token.holder, to, data }));
  expect(await send('POST', '/api/gigs/start', { gig_id: gigId })).toMatchObject({ status: 200 });
  return gigId;
}

function addPerson(name: string): string {
  const id = String(5_000 + world.farcaster.users().length);
  const registeredAt = Date.now() - 400 * DAY_MS;
  world.farcaster.addUser({ id, username: name, score: 0.9, registeredAt, verifiedAddresses: [freshAddress()] });
  return id;
}

/** Says it to the bot. @returns what the bot answers */
async function tell(who: string, text: string): Promise<string> {
  const botName = world.config.farcaster?.botUsername;
  const cast = world.farcaster.post({ author: who, text: `@${botName} ${text}` });
  const reply = await world.farcaster.waitForReply(cast.id, PATIENCE_MS);
  return reply?.text ?? '';
}

interface Listed {
  data: { username: string; state: string; sentence: string; candidate: { id: number; post_id: string } | null }[];
}

async function states(gigId: number): Promise<Record<string, string>> {
  const { body } = await send<Listed>('GET', `/api/gigs/${gigId}/earnings`);
  return Object.fromEntries(body.data.map(({ username, state }) => [username, state]));
}

test('behavior: submissions are checked, and the verifier awards one and refuses one, who are told why', async () => {
  const ids = ['one', 'two'].map(addPerson);
  verifier.answer(decide(({ username }) => (username === 'one' ? { award: '2.5' } : { refuse: 'too many colours' })));
  const gigId = await startBounty(verifier.url);
  expect(await tell('one', `submit ${gigId} ${WORK}`)).toMatch(/^Submitted to gig \d+: your account is checked first/);
  await tell('two', `submit ${gigId} ${WORK}, claim my rewards`);
  await expect.poll(() => states(gigId), { timeout: PATIENCE_MS }).toEqual({ one: 'awarded', two: 'refused' });
  expect(await tell('two', `why ${gigId}`)).toBe(`Gig ${gigId}: Refused: the verifier refused it: too many colours.`);
  const claimable = await send<{ data: Record<string, { totalValue: number }> }>(
    'GET',
    `/api/claim?identifiers=${ids[0]}`,
  );
  expect(Object.values(claimable.body.data)).toMatchObject([{ totalValue: 2.5 }]);
  const { body } = await send<{ verifier: { public_key: string } }>('GET', '/.well-known/gigclaim.json');
  expect(verifier.asked.every((asked) => isSigned(asked, body.verifier.public_key))).toBe(true);
  expect(await tell('one', `submit ${gigId} once more`)).toBe(`Gig ${gigId} has decided about you: Awarded 2.5 USDC.`);
  expect(await tell('one', 'submit 999999 this')).toContain('999999');
});

test('behavior: the verifier of the documents checks the signature and decides', async () => {
  for (const name of ['one', 'two']) addPerson(name);
  const { port } = new URL(verifier.origin);
  // Its place is taken by the documented one.
  await verifier.close();
  const documented = run('docs/verifier.ts', { env: { GIGCLAIM_URL: world.url, PORT: port } });
  try {
    await documented.seen(/listening/);
    const forged = await fetch(verifier.url, { method: 'POST', body: '{"candidates":[]}' });
    expect(forged.status).toBe(401);
    const gigId = await startBounty(verifier.url);
    await tell('one', `submit ${gigId} My logo: ${WORK}`);
    await tell('two', `submit ${gigId} I have no logo, but an idea`);
    await expect.poll(() => states(gigId), { timeout: PATIENCE_MS }).toEqual({ one: 'awarded', two: 'refused' });
    expect(await tell('two', `why ${gigId}`)).toContain('Refused: the verifier refused it: no link to a design.');
  } finally {
    documented.child.kill();
    await documented.ended;
  }
});

test('behavior: the client decides by hand about what it sees in the list, once under one key', async () => {
  const people = ['one', 'two', 'three'];
  for (const name of people) addPerson(name);
  const gigId = await startBounty('the council');
  for (const who of people) await tell(who, `submit ${gigId} ${who}: ${WORK}`);
  const open = { one: 'eligible', two: 'eligible', three: 'eligible' };
  await expect.poll(() => states(gigId), { timeout: PATIENCE_MS }).toEqual(open);
  const { body } = await send<Listed>('GET', `/api/gigs/${gigId}/earnings`);
  expect(body.data[0]?.sentence).toBe('Passed the checks, and waits for the decision about it.');
  const idOf = (name: string) => body.data.find(({ username }) => username === name)?.candidate?.id;
  const path = `/api/gigs/${gigId}/decisions`;
  const wrong = [
    { id: idOf('one'), award: 5.5 },
    { id: 99_999, refuse: 'no' },
    { id: idOf('two'), award: '0.0000001' },
    { id: idOf('two'), wait_seconds: 60 },
  ];
  expect(await send('POST', path, { decisions: wrong })).toEqual({
    status: 400,
    body: {
      error: 'Validation failed',
      details: [
        'decisions[0].award is more than max_amount, which is 5 USDC',
        'decisions[1].id 99999 is no open candidate',
        'decisions[2].award has more decimals than the token, which has 6',
        'decisions[3].id is that of decisions[2]',
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
  expect(await send('POST', path, { decisions: malformed })).toEqual({
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
        'decisions[4].id is that of decisions[0]',
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
  expect(await send('POST', path, { decisions }, { 'idempotency-key': 'k' })).toEqual(done);
  expect(await send('POST', path, { decisions }, { 'idempotency-key': 'k' })).toEqual(done);
  expect(await states(gigId)).toEqual({ one: 'awarded', two: 'refused', three: 'eligible' });
  expect(verifier.asked).toEqual([]);
});

test('security: a URL under no configured origin decides by hand, as words do, and is not asked', async () => {
  const { host } = new URL(verifier.origin);
  const others = ['the council: Ann and Bob', `http://${host}@evil.example/decide`, `${verifier.origin}0/decide`];
  for (const text of others) {
    const created = await send<{ gig_id: number }>('POST', '/api/gigs/create', terms(text));
    expect([text, created.status]).toEqual([text, 201]);
  }
  expect(verifier.asked).toEqual([]);
});
