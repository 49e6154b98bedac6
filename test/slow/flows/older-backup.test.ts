import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Rule } from '../../../src/domain/earning/rules/index.ts';
import { storeRules } from '../../../src/domain/earning/terms/rules-json.ts';
import type { Gig } from '../../../src/domain/gigs/gig.ts';
import { type Address, checksummed } from '../../../src/domain/gigs/token.ts';
import { freshAddress, tokenBalance } from '../../support/anvil.ts';
import { ask, createApiClient } from '../../support/clients.ts';
import { runBeside } from '../../support/command.ts';
import { SAMPLE_RULES, sampleAccount } from '../../support/earning.ts';
import { openPayingWorld, type PayingWorld, UNIT } from '../../support/paying-world.ts';
import { run } from '../../support/process.ts';
import { type GigSeed, seedTips } from '../../support/store.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const ALICE = sampleAccount(1001);
const BOB = sampleAccount(1002);

let paying: PayingWorld;
let world: PayingWorld['world'];
let gig: Gig;
let ahead: number;
beforeEach(async () => {
  ahead = 0;
  paying = await openPayingWorld({ env: { EARNING_LOOK_SECONDS: '1' }, clock: () => Date.now() + ahead });
  ({ world } = paying);
  gig = await startedGig({ live: true });
  await seedTips(world.runtime.store, gig, [
    { ...ALICE, amount: 30n * UNIT },
    { ...BOB, amount: 20n * UNIT },
  ]);
});
afterEach(() => world.close());

/** A gig whose funding the ledger has. */
async function startedGig(seed: GigSeed): Promise<Gig> {
  const { gig: funded, blockNumber } = await paying.fundedGig(seed);
  const { id: gigId, token, rewardAmount: amount } = funded;
  const start = { gigId, tokenId: token.id, chainId: 31337, amount, commissionAmount: 0n, blockNumber };
  await world.runtime.store.transaction((tx) => tx.recordGigTransaction({ ...start, checkBlock: null }, Date.now()));
  return funded;
}

const held = (owner: Address) => tokenBalance(paying.token, owner);
/** What the bot answers to somebody. */
const tell = (author: string, text: string) => ask(world.farcaster, author, text);
/** What the bot answers to a claim of somebody's, paid to this address. */
const claim = (author: string, recipient: Address) => tell(author, `claim my rewards ${recipient}`);

/** Copies the database as it is now. */
async function takeBackup(): Promise<string> {
  await world.stop();
  const backup = await world.database.copy();
  await world.start();
  return backup;
}

/** Puts a copy in the place of the database. */
async function restore(backup: string): Promise<void> {
  await world.stop();
  await world.database.restore(backup);
  await world.start();
}

/** What was paid for this gig, to whom and by which transaction, oldest first. */
async function payouts() {
  const rows = await world.runtime.store.payments({ limit: 9, kind: 'payout', state: 'confirmed' });
  return rows
    .map(({ recipient, amount, hash }) => ({ recipient, amount, hash }))
    .toSorted((a, b) => Number(b.amount - a.amount));
}

test('security: with yesterday’s database in its place nobody is paid twice, and the ledger learns what was paid', async () => {
  const backup = await takeBackup();
  const [alices, bobs] = [freshAddress(), freshAddress()];
  expect(await claim('alice', alices)).toMatch(/^Paid to .*: 30 USDC/);
  expect(await claim('bob', bobs)).toMatch(/^Paid to .*: 20 USDC/);
  const before = await payouts();

  await restore(backup);
  // Who claims first finds what was paid before, and to whom; that is read for the whole gig at once.
  const nothing = 'You have no claimable tokens at the moment.';
  expect([`Paid to ${checksummed(alices)}: 30 USDC (tx ${before[0]?.hash}).`, nothing]).toContain(
    await claim('alice', freshAddress()),
  );
  expect(await claim('bob', freshAddress())).toBe(nothing);
  await expect.poll(payouts).toEqual(before);
  expect(await held(gig.walletAddress)).toBe(50n * UNIT);
  expect([await held(alices), await held(bobs)]).toEqual([30n * UNIT, 20n * UNIT]);

  await seedTips(world.runtime.store, gig, [{ ...ALICE, amount: 10n * UNIT }]);
  expect(await claim('alice', alices)).toMatch(/^Paid to .*: 10 USDC/);
  expect(await held(alices)).toBe(40n * UNIT);
}, 120_000);

test('security: a refund that waits because tips were lost is planned by hand, and the running service pays it', async () => {
  const backup = await takeBackup();
  const [alices, bobs, back] = [freshAddress(), freshAddress(), freshAddress()];
  await seedTips(world.runtime.store, gig, [{ ...ALICE, amount: 10n * UNIT }]);
  expect(await claim('alice', alices)).toMatch(/^Paid to .*: 40 USDC/);

  await restore(backup);
  const admin = async (...args: string[]) => {
    const { code, out, err } = await runBeside(world, { args: ['gig', ...args], clock: () => Date.now() + ahead });
    return `${code} ${out}${err}`;
  };
  ahead = 2 * DAY_MS;
  const id = String(gig.id);
  expect(await admin('settle', id)).toContain(`0 Gig ${id} is settled`);
  expect(await admin('refund', id, '--to', back, '--yes')).toContain('waiting time before the refund is not over');
  ahead += 3 * DAY_MS + HOUR_MS;
  const waits = 'the ledger has lost tips of that time, which may be owed this money';
  const isLogged = () =>
    world.lines.some((line) => line.includes('refund of a gig waits') && line.includes('lost_tips'));
  await expect.poll(isLogged).toBe(true);
  expect(await admin('refund', id)).toMatch(new RegExp(`refund +40 USDC[^]*waits for +${waits}`));
  expect(await held(back)).toBe(0n);

  expect(await admin('refund', id, '--yes')).toContain(`0 The refund of 40 USDC to ${checksummed(back)} is planned as`);
  await expect.poll(() => held(back)).toBe(40n * UNIT);
  expect(await claim('bob', bobs)).toMatch(/^Paid to .*: 20 USDC/);
  expect(await Promise.all([alices, bobs, back, gig.walletAddress].map(held))).toEqual([
    40n * UNIT,
    20n * UNIT,
    40n * UNIT,
    0n,
  ]);
}, 120_000);

interface Person {
  readonly id: string;
  readonly address: Address;
}

/** Somebody who passes every gate. */
function addPerson(name: string): Person {
  const id = String(5_000 + world.farcaster.users().length);
  const address = freshAddress();
  const registeredAt = Date.now() - 400 * DAY_MS;
  world.farcaster.addUser({ id, username: name, score: 0.9, registeredAt, verifiedAddresses: [address] });
  return { id, address };
}

/** A watched gig of 10 USDC over a week, which began a minute ago, about a cast of alice's. */
async function watchedGig(rule: Rule, { gigType = 'like' as Gig['gigType'], holdMs = 0 } = {}) {
  const { store } = world.runtime;
  const cast = world.farcaster.post({ author: 'alice', text: 'Like this' });
  const target = { kind: 'post', postId: cast.id, authorId: ALICE.platformUserId } as const;
  const startTime = Date.now() - 60_000;
  const seed = { rewardAmount: 10n * UNIT, gigType, startTime, duration: 7 * DAY_MS };
  const { id: gigId, endTime } = await startedGig(seed);
  const rules = storeRules({ ...SAMPLE_RULES, rule, holdMs });
  await store.transaction(async (tx) => {
    await tx.storeEarningRules(gigId, { given: null, rules, target });
    await tx.lockGig(gigId, { holder: 'seed', now: startTime, until: startTime + 1 });
    await tx.markLive(gigId, { holder: 'seed', startTime, endTime });
    await tx.openWatch(gigId, { target, nextAt: startTime });
  });
  let acts = 0;
  return {
    id: gigId,
    like(who: string): void {
      acts += 1;
      world.farcaster.act({ who, kind: 'like', post: cast.id, at: startTime + acts * 1_000 });
    },
    /** What became of these people: what they were awarded, or why nothing. */
    async outcome(people: Readonly<Record<string, Person>>) {
      const found: Record<string, bigint | string> = {};
      for (const [name, { id: platformUserId }] of Object.entries(people)) {
        const earning = await world.runtime.store.earning(gigId, { platform: 'farcaster', platformUserId });
        if (earning !== null) found[name] = earning.amount ?? earning.reason ?? earning.state;
      }
      return found;
    },
    async awarded() {
      const now = await world.runtime.store.gig(gigId);
      return [now?.awardedAmount, now?.reservedAmount];
    },
  };
}

test('security: with an older database a gig that awards the same to each awards nobody again, nor more than its reward', async () => {
  const people = { one: addPerson('one'), two: addPerson('two') };
  const others = { three: addPerson('three'), four: addPerson('four') };
  const watched = await watchedGig({ type: 'fixed', amount: 3n * UNIT });
  const backup = await takeBackup();
  for (const who of ['one', 'two']) watched.like(who);
  const before = { one: 3n * UNIT, two: 3n * UNIT };
  await expect.poll(() => watched.outcome(people)).toEqual(before);
  for (const who of ['one', 'two']) expect(await tell(who, 'claim my rewards')).toMatch(/^Paid to .*: 3 USDC/);

  for (const who of ['three', 'four']) watched.like(who);
  await restore(backup);
  const told = { one: 'same_address', two: 'same_address', three: 3n * UNIT, four: 'reward_used_up' };
  await expect.poll(() => watched.outcome({ ...people, ...others })).toEqual(told);
  expect(await watched.awarded()).toEqual([9n * UNIT, 0n]);
  expect(await tell('one', `why ${watched.id}`)).toContain('has already earned from this gig');
  expect(await tell('three', 'claim my rewards')).toMatch(/^Paid to .*: 3 USDC/);
  expect(await tell('one', 'claim my rewards')).toBe('You have no claimable tokens at the moment.');
  const paid = [people.one, people.two, others.three, others.four].map(({ address }) => held(address));
  expect(await Promise.all(paid)).toEqual([3n * UNIT, 3n * UNIT, 3n * UNIT, 0n]);
}, 120_000);

test('security: with an older database a gig that divides gives no share to whom it has paid', async () => {
  const people = { one: addPerson('one'), two: addPerson('two') };
  const three = addPerson('three');
  const watched = await watchedGig({ type: 'split', roundMs: DAY_MS, maxAmount: 10n * UNIT });
  const backup = await takeBackup();
  for (const who of ['one', 'two']) watched.like(who);
  await expect.poll(() => watched.outcome(people)).toEqual({ one: 'held', two: 'held' });
  ahead = DAY_MS + HOUR_MS;
  const before = { one: 714_285n, two: 714_285n };
  await expect.poll(() => watched.outcome(people)).toEqual(before);
  for (const who of ['one', 'two']) expect(await tell(who, 'claim my rewards')).toMatch(/^Paid to .*: 0\.714285 USDC/);

  watched.like('three');
  await restore(backup);
  // What is left of 10 USDC after 1.42857, by seven or, when the first round was over before it was seen, by six.
  const told = { one: 'same_address', two: 'same_address', three: expect.any(BigInt) };
  await expect.poll(() => watched.outcome({ ...people, three })).toEqual(told);
  const [awarded = 0n, reserved] = await watched.awarded();
  expect(reserved).toBe(0n);
  expect(awarded - 1_428_570n).toBe(8_571_430n / 7n);
  expect(await Promise.all([people.one, people.two].map(({ address }) => held(address)))).toEqual([714_285n, 714_285n]);
}, 120_000);

test('security: with an older database a submission that was paid for is not awarded again by hand', async () => {
  const env = { DATABASE_URL: world.config.databaseUrl };
  const args = ['api-key', 'create', '--name', 'flow', '--scope', 'operator'];
  const made = run('src/admin.ts', { args, env });
  expect(await made.ended, made.output()).toBe(0);
  const call = createApiClient(() => world.url, made.output().trimEnd().split('\n').at(-1) ?? '');
  const people = { one: addPerson('one'), two: addPerson('two') };
  const watched = await watchedGig({ type: 'verifier', maxAmount: 8n * UNIT }, { gigType: 'custom_bounty' });
  for (const who of ['one', 'two']) await tell(who, `submit ${watched.id} ${who}: words about a design`);
  const open = { one: 'eligible', two: 'eligible' };
  await expect.poll(() => watched.outcome(people)).toEqual(open);
  const backup = await takeBackup();
  const idOf = async ({ id: platformUserId }: Person) =>
    (await world.runtime.store.earning(watched.id, { platform: 'farcaster', platformUserId }))?.observationId;
  const decide = async (person: Person, award: number) => {
    const decisions = [{ id: await idOf(person), award }];
    return (await call('POST', `/api/gigs/${watched.id}/decisions`, { decisions })).body;
  };
  expect(await decide(people.one, 8)).toMatchObject({ awarded: 1, remaining: '2' });
  expect(await tell('one', 'claim my rewards')).toMatch(/^Paid to .*: 8 USDC/);

  await restore(backup);
  expect(await decide(people.two, 8)).toMatchObject({ awarded: 0, refused: 1, remaining: '2' });
  await decide(people.one, 2);
  expect(await watched.outcome(people)).toEqual({ one: 'same_address', two: 'reward_used_up' });
  expect(await watched.awarded()).toEqual([8n * UNIT, 0n]);
  const tips = { tips: [{ platform: 'farcaster', platform_user_id: people.two.id, value: 3 }] };
  expect((await call('POST', `/api/gigs/${watched.id}/tips`, tips)).status).toBe(400);
  expect(await held(people.one.address)).toBe(8n * UNIT);
}, 120_000);
