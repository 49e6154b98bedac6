import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { AccountKey } from '../../src/domain/account.ts';
import { storeRules } from '../../src/domain/earning/terms/rules-json.ts';
import type { Gig } from '../../src/domain/gigs/gig.ts';
import { fault } from '../services/fakes.ts';
import { ask, createWorld, HOUR, type World } from '../services/world.ts';
import {
  decideAs,
  SAMPLE_RULES,
  SAMPLE_TARGET,
  sampleAccount,
  sampleAct,
  seedActs,
  seedGigWithRules,
} from '../support/earning.ts';
import { type GigSeed, seedAddress, seedGig, seedTips, seedToken } from '../support/store.ts';

const REQUIRED = 105_000_000_000_000_000_000n;
const ALICE: AccountKey = { platform: 'farcaster', platformUserId: '1001' };
const OWNER = { authorId: '1001', authorUsername: 'alice' };
const STRANGER = { authorId: '6666', authorUsername: 'mallory' };
const NOTHING = 'You have no claimable tokens at the moment.';
const UNREACHABLE = 'I could not read the blockchain just now, so nothing was changed. Please try again later.';

let world: World;
beforeEach(async () => {
  world = await createWorld();
});
afterEach(() => world.close());

const seed = (terms: GigSeed = {}) => seedGig(world.store, { owners: [ALICE], ...terms });
/** An owner's gig whose wallet holds what it needs. */
async function funded(terms: GigSeed = {}): Promise<Gig> {
  const gig = await seed(terms);
  world.ledger.fund(gig.walletAddress, REQUIRED);
  return gig;
}
const say = (text: string, author: Partial<{ authorId: string; authorUsername: string }> = {}) =>
  ask(world, { text: `@gigclaim ${text}`, ...author });

describe('claims', () => {
  test('behavior: the author learns what the account can claim', async () => {
    const gig = await seed({ live: true });
    const { id: tokenId } = await seedToken(world.store, { address: seedAddress(99), decimals: 6, symbol: 'USDC' });
    const other = await seed({ tokenId, live: true });
    await seedTips(world.store, gig, [ALICE, ALICE]);
    await seedTips(world.store, other, [
      { ...ALICE, amount: 2_500_000n },
      { platform: 'farcaster', platformUserId: '7' },
      { platform: 'twitter', platformUserId: '1001' },
    ]);
    const answer = 'Your claimable tokens: 2 DEGEN (2 tips, 1 gig) · 2.5 USDC (1 tip, 1 gig)';
    expect(await say('')).toBe(answer);
    expect(await say('what can I claim')).toBe(answer);
  });

  test('security: tips follow the id, not the handle', async () => {
    const gig = await seed({ live: true });
    await say('help', OWNER);
    await seedTips(world.store, gig, [ALICE]);
    expect(await say('claims', { ...STRANGER, authorUsername: 'alice' })).toBe(NOTHING);
    expect(await say('claims', { ...OWNER, authorUsername: 'alice_new' })).toContain('1 DEGEN');
  });

  test('behavior: somebody nobody knows has nothing', async () => {
    expect(await say('claims')).toBe(NOTHING);
  });
});

describe('start', () => {
  test('behavior: an owner starts a funded gig', async () => {
    const gig = await funded();
    expect(await say(`start gig ${gig.id}`)).toBe(`Gig ${gig.id} is live until 2 Jan 2026, 00:00 UTC.`);
    expect(await world.store.gig(gig.id)).toMatchObject({ status: 'live', production: true });
    expect(await say(`start ${gig.id}`)).toBe(`Gig ${gig.id} is already live.`);
    expect(await world.store.gigTransactions(gig.id)).toHaveLength(1);
  });

  test.each(['start', 'cancel'])('error: %s of a gig that has ended says that it has ended', async (command) => {
    const gig = await seed({ live: true, startTime: world.clock() - 48 * HOUR });
    expect(await say(`${command} gig ${gig.id}`)).toBe(`Gig ${gig.id} has ended already.`);
  });

  test('error: a cancelled bounty takes no submissions, and says that it is cancelled', async () => {
    const { id: gigId } = await seed({ gigType: 'custom_bounty', startTime: world.clock() + HOUR });
    const stored = { given: null, rules: storeRules(SAMPLE_RULES), target: SAMPLE_TARGET };
    await world.store.transaction((tx) => tx.storeEarningRules(gigId, stored));
    await say(`cancel gig ${gigId}`);
    expect(await say(`submit ${gigId} my work`)).toBe(`Gig ${gigId} is cancelled and takes no submissions.`);
  });

  test('behavior: a gig whose window is still to come says so', async () => {
    const gig = await funded({ startTime: world.clock() + 2 * HOUR });
    expect(await say(`start gig #${gig.id}`)).toBe(
      `Gig ${gig.id} started. It is live from 1 Jan 2026, 02:00 UTC until 2 Jan 2026, 02:00 UTC.`,
    );
  });

  test('behavior: an owner learns what is missing, and the gig can be started afterwards', async () => {
    const gig = await seed();
    world.ledger.fund(gig.walletAddress, REQUIRED - 1n);
    expect(await say(`start gig ${gig.id}`)).toMatch(
      /^Gig 1 is not funded: it needs exactly 105 DEGEN and holds 104\.999999999999999999\. Send 0\.000000000000000001 more: /,
    );
    expect(await world.store.gig(gig.id)).toMatchObject({ status: 'created', production: false });
    world.ledger.fund(gig.walletAddress, REQUIRED);
    expect(await say(`start gig ${gig.id}`)).toContain('is live until');
  });

  test('security: a stranger is refused, and neither the lock nor the chain is touched', async () => {
    const gig = await funded();
    const refusal = `Only an owner of gig ${gig.id} can start it.`;
    expect(await say(`start gig ${gig.id}`, STRANGER)).toBe(refusal);
    expect(world.ledger.reads()).toBe(0);
    expect(await world.store.gig(gig.id)).toEqual(gig);
  });

  test("security: a stranger who holds the owner's old handle is refused, the owner under a new one is not", async () => {
    const gig = await funded();
    await say('claims', OWNER);
    expect(await say(`start ${gig.id}`, { ...STRANGER, authorUsername: 'alice' })).toContain('Only an owner');
    const renamed = { ...OWNER, authorUsername: 'someone_else' };
    expect(await say(`start ${gig.id}`, renamed)).toContain('is live until');
  });

  test('security: the same number on another platform is another account', async () => {
    const gig = await funded();
    const answer = await ask(world, { platform: 'twitter', authorId: '1001', text: `@gigclaim start ${gig.id}` });
    expect(answer).toMatch(/^Only an owner of gig 1 can start it\. \[/);
  });

  test('error: there is no such gig', async () => {
    expect(await say('start gig 999999999999999')).toBe('There is no gig 999999999999999.');
  });

  test('behavior: a start that died under the lock is outlasted, and the owner’s command is carried out', async () => {
    const gig = await funded();
    const now = world.clock();
    await world.store.transaction((tx) => tx.lockGig(gig.id, { holder: 'dead', now, until: now + 60_000 }));
    const id = await world.hear({ text: `@gigclaim start ${gig.id}` });
    for (let look = 1; look <= 4; look += 1) {
      expect(await world.answerNext()).toBe(true);
      expect(await world.replyText(id)).toBeNull();
      expect(await world.answerNext()).toBe(false);
      world.advance(15_000);
    }
    expect(await world.answerNext()).toBe(true);
    expect(await world.replyText(id)).toMatch(`Gig ${gig.id} is live until`);
  });

  test('error: while another start runs and runs the owner is told', async () => {
    const gig = await seed();
    const lock = () => {
      const now = world.clock();
      return world.store.transaction((tx) => tx.lockGig(gig.id, { holder: 'api', now, until: now + 60_000 }));
    };
    const id = await world.hear({ text: `@gigclaim start ${gig.id}` });
    for (let look = 1; look <= 6; look += 1) {
      expect(await lock()).toBe(true);
      expect(await world.replyText(id)).toBeNull();
      expect(await world.answerNext()).toBe(true);
      world.advance(15_000);
    }
    expect(await world.replyText(id)).toBe(`Gig ${gig.id} is being processed right now. Try again in a minute.`);
  });

  test('error: a chain that is silent is asked four times, then the owner is told and the lock is free', async () => {
    const gig = await funded();
    world.ledger.fail(fault('timeout', 'safe'), 4);
    const id = await world.hear({ text: `@gigclaim start ${gig.id}` });
    for (const wait of [2_000, 4_000, 8_000]) {
      expect(await world.answerNext()).toBe(true);
      expect(await world.replyText(id)).toBeNull();
      world.advance(wait - 1);
      expect(await world.answerNext()).toBe(false);
      world.advance(1);
    }
    expect(await world.answerNext()).toBe(true);
    expect(await world.replyText(id)).toBe(UNREACHABLE);
    expect(world.ledger.reads()).toBe(4);
    expect(await say(`start ${gig.id}`)).toContain('is live until');
  });

  test('behavior: a chain that answers at last is not held against the author', async () => {
    const gig = await funded();
    world.ledger.fail(fault('rate_limited', 'safe', 30_000));
    const id = await world.hear({ text: `@gigclaim start ${gig.id}` });
    await world.answerAll();
    world.advance(29_999);
    expect(await world.answerNext()).toBe(false);
    world.advance(1);
    await world.answerAll();
    expect(await world.replyText(id)).toContain('is live until');
  });

  test('error: a chain that is not enabled is told at once', async () => {
    const { id: tokenId } = await seedToken(world.store, { chainId: 10 });
    const gig = await seed({ tokenId });
    expect(await say(`start ${gig.id}`)).toBe(UNREACHABLE);
  });

  test.each(['start gig 1\u200b', 'start gig \u0031\u00b2', 'st\u0430rt gig 1', 'start gig \u0661'])(
    'security: %j starts nothing and is answered with the reason',
    async (text) => {
      const gig = await funded();
      expect(await say(text)).toMatch(
        /^Your post contains (invisible characters|characters that look like others), so I did nothing/,
      );
      expect(await world.store.gig(gig.id)).toEqual(gig);
    },
  );
});

describe('why', () => {
  test('behavior: the author learns what becomes of the own account, not of the handle', async () => {
    const gig = await seedGigWithRules(world.store);
    expect(await say(`why ${gig.id}`)).toMatch(
      /^I haven't seen anything from you that counts for gig 1\. Each account that likes/,
    );
    await seedActs(world.store, gig, [sampleAct(1001), sampleAct(6666)], { dueAt: world.clock() + HOUR });
    await world.store.transaction((tx) =>
      decideAs(tx, gig, sampleAccount(6666), { to: 'refused', reason: 'labelled_spam' }),
    );
    expect(await say(`why gig ${gig.id}`)).toBe('Gig 1: Held until 1 Jan 2026, 01:00 UTC. The decision follows.');
    expect(await say(`why ${gig.id}`, { ...STRANGER, authorUsername: 'alice' })).toBe(
      'Gig 1: Not eligible: your account is labeled as spam.',
    );
    expect(await say(`gig ${gig.id}`)).toContain('Each account that likes the cast gets 2 DEGEN, first come');
  });

  test('behavior: of a gig whose tips are awarded by request, and of none', async () => {
    const gig = await seed({ live: true });
    expect(await say(`why ${gig.id}`)).toBe('The organizer of gig 1 awards tips by hand. You have none yet.');
    await seedTips(world.store, gig, [ALICE]);
    expect(await say(`why ${gig.id}`)).toBe(
      'You earned 1 DEGEN from gig 1, not paid yet. To claim, mention me with "claim my rewards".',
    );
    expect(await say('why 987654')).toBe('There is no gig 987654.');
  });
});

describe('status', () => {
  test('behavior: anyone learns state, window and reward, and only an owner the funding', async () => {
    const gig = await seed();
    world.ledger.fund(gig.walletAddress, 7n * 10n ** 18n);
    const base =
      'Gig 1 is not started. Planned: 1 day from its start. Reward: 100 DEGEN. The organizer decides who earns.';
    expect(await say(`gig ${gig.id}`, STRANGER)).toBe(base);
    expect(world.ledger.reads()).toBe(0);
    expect(await say(`status ${gig.id}`)).toBe(
      `${base} Its wallet 0x0000000000000000000000000000000000000001 holds 7 of 105 DEGEN.`,
    );
  });

  test('behavior: of a frozen gig anyone learns that it pays nothing for now, and nobody learns why', async () => {
    const gig = await seed({ live: true });
    const freeze = (reason: string | null) =>
      world.store.transaction((tx) => tx.freezeGig(gig.id, { reason, now: world.clock() }));
    await freeze('a secret of the operator');
    const live = 'Gig 1 is live until 2 Jan 2026, 00:00 UTC. Reward: 100 DEGEN.';
    const frozen = 'The operator has frozen the payments of gig 1 for now. Nothing is lost.';
    const decides = 'The organizer decides who earns.';
    expect(await say(`gig ${gig.id}`, STRANGER)).toBe(`${live} ${frozen} ${decides}`);
    expect(await say(`gig ${gig.id}`)).toBe(
      `${live} ${frozen} ${decides} Its wallet 0x0000000000000000000000000000000000000001 holds 0 DEGEN.`,
    );
    await freeze(null);
    expect(await say(`gig ${gig.id}`, STRANGER)).toBe(`${live} ${decides}`);
  });

  test('behavior: a chain that is silent does not keep the rest back', async () => {
    const gig = await seed();
    world.ledger.fail(fault('timeout', 'safe'));
    expect(await say(`status ${gig.id}`)).toContain('Its wallet cannot be read right now.');
  });

  test('error: there is no such gig', async () => {
    expect(await say('gig 5')).toBe('There is no gig 5.');
  });
});

test('behavior: on X equal answers are different posts', async () => {
  const answers = [
    await ask(world, { platform: 'twitter', text: '@gigclaim help' }),
    await ask(world, { platform: 'twitter', text: '@gigclaim help' }),
  ];
  expect(answers[0]).toMatch(/^Mention me with: .* \[[0-9a-z]{1,6}\]$/);
  expect(new Set(answers).size).toBe(2);
});
