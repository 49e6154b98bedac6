import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { findWatchedTarget, planAct, readAsked } from '../../../sandbox/acting.ts';
import { createFarcasterNetwork, type FarcasterNetwork } from '../../../sandbox/networks/farcaster.ts';
import type { NetworkPost } from '../../../sandbox/networks/network.ts';
import { BOT, farcasterAccount, NETWORK_CREDENTIALS, PEOPLE } from '../../../sandbox/people.ts';
import { readTargets } from '../../../sandbox/watched-gigs.ts';
import { storeRules } from '../../../src/domain/earning/terms/rules-json.ts';
import { openGig, START } from '../../services/earning/gigs.ts';
import { openTestStore } from '../../support/database.ts';
import { SAMPLE_RULES } from '../../support/earning.ts';
import { run } from '../../support/process.ts';
import { writePartOfState } from '../../support/sandbox.ts';
import { seedGig, temporaryFolder } from '../../support/store.ts';

const ALICE = '1001';

let opened: Awaited<ReturnType<typeof openTestStore>>;
let farcaster: FarcasterNetwork;
let folder: ReturnType<typeof temporaryFolder>;
let cast: NetworkPost;
let env: Record<string, string>;

beforeEach(async () => {
  opened = await openTestStore();
  farcaster = createFarcasterNetwork(NETWORK_CREDENTIALS.farcaster);
  for (const one of PEOPLE) farcaster.addUser(farcasterAccount(one, START));
  cast = farcaster.post({ author: 'alice', text: 'like this' });
  const post = { kind: 'post', postId: cast.id, authorId: ALICE } as const;
  await openGig(opened.store, { target: post, gigType: 'like' });
  await openGig(opened.store, { target: { kind: 'account', accountId: ALICE }, gigType: 'follow' });
  await openGig(opened.store, { target: { kind: 'keyword', keyword: '$degen' }, gigType: 'mention' });
  await seedGig(opened.store);
  folder = temporaryFolder();
  env = { SANDBOX_STATE_FILE: join(folder.path, 'sandbox.json') };
  const [url, database] = [await farcaster.start(), opened.database.url];
  writePartOfState(env['SANDBOX_STATE_FILE'] ?? '', { farcaster: url, database, aheadMs: 0, pid: process.pid });
});

afterEach(async () => {
  await farcaster.stop();
  await opened.close();
  folder.remove();
});

async function act(line: string, text?: string): Promise<{ code: unknown; output: string }> {
  const args = line.split(' ').map((word) => (word === 'TEXT' ? (text ?? '') : word));
  const acting = run('sandbox/act.ts', { args, env });
  const code = await acting.ended;
  return { code, output: acting.output() };
}

describe('npm run act', () => {
  test('behavior: likes and recasts what a gig is about, and takes it back', async () => {
    expect(await act('farcaster bob like gig 1')).toEqual({ code: 0, output: 'bob liked the cast of gig 1.\n' });
    expect((await act('farcaster bob like gig 1')).output).toBe('Nothing changed: bob likes the cast already.\n');
    expect((await act('farcaster bob unlike gig 1')).output).toBe('bob took back the like of the cast of gig 1.\n');
    expect((await act('farcaster bob unlike gig 1')).output).toBe('Nothing changed: bob does not like the cast.\n');
    expect((await act('farcaster bob recast gig 1')).output).toBe(
      'bob recast the cast of gig 1. Gig 1 does not count that: it counts like.\n',
    );
  });

  test('behavior: quotes, replies, and deletes the newest of these', async () => {
    expect((await act('farcaster bob quote TEXT gig 1', 'look at this')).output).toMatch(
      /^bob quoted the cast of gig 1/,
    );
    const { output } = await act('farcaster bob reply TEXT gig 1', 'well said');
    const [, reply] = farcaster.posts().slice(-2);
    expect(reply).toMatchObject({ text: 'well said', replyTo: cast.id });
    expect(output).toContain(`bob replied to the cast of gig 1 (${reply?.url}).`);
    expect((await act('farcaster bob delete gig 1')).output).toContain('bob deleted the newest cast about gig 1');
    expect((await act('farcaster bob delete gig 1')).code).toBe(0);
    expect(farcaster.posts()).toEqual([cast]);
    expect((await act('farcaster bob delete gig 1')).output).toContain('bob has no cast about gig 1 to delete.');
  });

  test('behavior: a direct reply to the cast of a bounty, and what is said to the bot, are submissions', async () => {
    const post = { kind: 'post', postId: cast.id, authorId: ALICE } as const;
    const bounty = { gigType: 'custom_bounty', rule: { type: 'verifier', maxAmount: 1n } } as const;
    await openGig(opened.store, { ...bounty, target: post });
    await openGig(opened.store, { ...bounty, target: { kind: 'account', accountId: String(BOT.fid) } });
    expect((await act('farcaster bob reply TEXT gig 5', 'my work')).output).toMatch(/^bob replied to [^\n]*\)\.\n$/);
    expect((await act('farcaster bob like gig 5')).output).toBe(
      'bob liked the cast of gig 5. Gig 5 does not count that: it counts "submit 5 …", said to @gigclaim.\n',
    );
    expect((await act('farcaster bob mention TEXT gig 6', 'submit 6 my work')).output).not.toContain('not count');
    expect((await act('farcaster bob mention TEXT gig 6', 'submit 5 my work')).output).toContain('"submit 6 …"');
    expect((await act('farcaster bob mention TEXT gig 6', 'hello')).output).toContain('Gig 6 does not count that');
  });

  test('behavior: follows, and mentions an account or a keyword', async () => {
    expect((await act('farcaster bob follow gig 2')).output).toBe('bob followed the account of gig 2.\n');
    expect((await act('farcaster bob unfollow gig 2')).output).toBe('bob unfollowed the account of gig 2.\n');
    await act('farcaster bob mention TEXT gig 2', 'thank you');
    await act('farcaster bob mention TEXT gig 3', 'to the moon');
    await act('farcaster bob mention TEXT gig 3', 'I like $DEGEN');
    expect(farcaster.posts().map(({ text }) => text)).toEqual([
      'like this',
      '@alice thank you',
      '$degen to the moon',
      'I like $DEGEN',
    ]);
  });

  test.each([
    ['x alice like gig 1', 'On X nothing is watched: only acts on farcaster are.'],
    ['farcaster eve like gig 1', 'one of alice, bob, carol, mallory; got eve.'],
    ['farcaster alice poke gig 1', 'one of like, recast, follow, unlike,'],
    ['farcaster alice like 1', 'The last two words are the gig, as in: gig 8; got 1.'],
    ['farcaster alice reply gig 1', 'A reply needs a text, as in: reply "good morning" gig 1.'],
    ['farcaster alice like it gig 1', 'like takes no text; leave out "it".'],
    ['farcaster alice like gig 4', 'Gig 4 has no rules, so the service does not watch it; these have: 1, 2, 3.'],
    ['farcaster alice like gig 99', 'There is no gig 99. What can be acted on has rules; these have: 1, 2, 3.'],
    ['farcaster alice like gig 2', 'Gig 2 is about an account, which one can follow, mention; not like.'],
    ['farcaster alice follow gig 1', 'Gig 1 is about a cast, which one can like, recast, quote, reply; not follow.'],
  ])('error: %s is refused with what would be right', async (line, problem) => {
    const targets = await readTargets(opened.database.url);
    const plan = () => {
      const asked = readAsked(line.split(' '));
      const gig = findWatchedTarget(targets, asked.gigId);
      return planAct(asked, gig.target, { casts: [], users: [] });
    };
    expect(plan).toThrow(problem);
  });

  test('behavior: says of a gig that is not started that what is done does not count', async () => {
    const { id } = await seedGig(opened.store, { gigType: 'like' });
    const target = { kind: 'post', postId: cast.id, authorId: ALICE } as const;
    const rules = { given: null, rules: storeRules(SAMPLE_RULES), target };
    await opened.store.transaction((tx) => tx.storeEarningRules(id, rules));
    expect((await act(`farcaster bob like gig ${id}`)).output).toBe(
      `bob liked the cast of gig ${id}. Gig ${id} is not started: what is done before does not count.\n`,
    );
  });

  test('error: bad input is answered with the usage', async () => {
    const { code, output } = await act('farcaster alice like gig 4');
    expect(output).toMatch(/^Gig 4 has no rules.*\n\nUsage: npm run act -- farcaster <person> <what> gig <id>\n/);
    expect(code).toBe(2);
  });

  test('error: says how to start a sandbox where none runs', async () => {
    env = { SANDBOX_STATE_FILE: join(folder.path, 'none.json') };
    expect(await act('farcaster alice like gig 1')).toEqual({
      code: 1,
      output: 'No sandbox runs from this folder. Start one in another terminal: npm run sandbox\n',
    });
  });
});
