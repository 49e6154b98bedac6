import { describe, expect, test } from 'vitest';
import { answerNextMention } from '../../../src/services/mentions/answer-mentions.ts';
import { perCase } from '../../support/per-case.ts';
import { seedGig } from '../../support/store.ts';
import { ask, createWorld, HOUR } from '../world.ts';

const REQUIRED = 105_000_000_000_000_000_000n;

const world = perCase(createWorld);

async function say(text: string, author: Partial<{ authorId: string; threadId: string }> = {}) {
  const said = await ask(world, { text: `@gigclaim ${text}`, ...author });
  await world.sendAll('farcaster');
  return said;
}

async function ignoreReasonOf(text: string, author: Partial<{ authorId: string; threadId: string }> = {}) {
  const id = await world.hear({ text: `@gigclaim ${text}`, ...author });
  await world.answerAll();
  expect(await world.store.replyTo(id)).toBeNull();
  const mention = await world.store.mention(id);
  expect(mention?.state).toBe('ignored');
  const msg = expect.stringMatching(/^mention (not answered|concluded)$/);
  const logged = { mentionId: id, platform: 'farcaster', command: expect.any(String), msg };
  expect(world.lines.findLast(({ mentionId }) => mentionId === id)).toMatchObject(logged);
  return mention?.ignoreReason;
}

describe('an answer', () => {
  test('behavior: it is queued with the mention marked answered, and the sending jobs are told', async () => {
    const id = await world.hear({ text: '@gigclaim help' });
    world.woken.length = 0;
    expect(await world.answerNext()).toBe(true);
    expect(await world.store.mention(id)).toMatchObject({ state: 'answered', ignoreReason: null });
    expect(await world.store.replyTo(id)).toMatchObject({ state: 'queued', kind: 'answer', attempts: 0 });
    expect(world.woken).toEqual(['send']);
    const fields = { mentionId: id, platform: 'farcaster', command: 'help' };
    expect(world.lines.at(-1)).toMatchObject({ msg: 'mention concluded', ...fields });
    expect(await world.answerNext()).toBe(false);
  });

  test('behavior: a mention is answered once, whatever the number of lanes', async () => {
    const ids = [];
    for (let author = 0; author < 40; author += 1) {
      ids.push(await world.hear({ authorId: `${author}`, text: '@gigclaim claims' }));
      ids.push(await world.hear({ authorId: `${author}`, text: '@gigclaim help' }));
    }
    await world.answerUntilDone(8);
    const replies = await world.store.replies({ limit: 1_000 });
    expect(replies.map(({ mentionId }) => mentionId).toSorted((a, b) => a - b)).toEqual(ids);
  });

  test("behavior: an author's commands are answered in order", async () => {
    const texts = ['stop', 'claims', 'unstop', 'help'];
    const ids = [];
    for (const text of texts) ids.push(await world.hear({ text: `@gigclaim ${text}` }));
    await world.answerUntilDone(4);
    const states = await Promise.all(ids.map(async (id) => (await world.store.mention(id))?.state));
    expect(states).toEqual(['answered', 'ignored', 'answered', 'answered']);
  });

  test('behavior: mentions of all platforms are answered in the order in which they are due, then in that of their arrival', async () => {
    const ids: number[] = [];
    for (const [platform, ms] of [
      ['twitter', 1],
      ['farcaster', 0],
      ['twitter', 0],
      ['farcaster', 0],
    ] as const) {
      ids.push(await world.hear({ platform, authorId: `${ids.length}` }));
      world.advance(ms);
    }
    const answered = async () => {
      const states = await Promise.all(ids.map(async (id) => (await world.store.mention(id))?.state));
      return states.map((state) => Number(state === 'answered')).join('');
    };
    for (const done of ['1000', '1100', '1110', '1111']) {
      await world.answerNext();
      expect(await answered()).toBe(done);
    }
  });

  test('behavior: mentions of a platform that is off wait until it is on again', async () => {
    const id = await world.hear({ platform: 'twitter' });
    const off = { ...world.answering, platforms: new Map([['farcaster', world.farcaster.network]] as const) };
    expect(await answerNextMention(off)).toBe(false);
    expect(await world.store.mention(id)).toMatchObject({ state: 'received', attempts: 0 });
    await world.answerAll();
    expect(await world.store.mention(id)).toMatchObject({ state: 'answered' });
  });
});

describe('stopping', () => {
  test('behavior: after "stop" an account gets no more replies, until "unstop"', async () => {
    expect(await say('stop')).toBe('You will get no more replies from me. Mention me with "unstop" to change that.');
    expect(await ignoreReasonOf('claims')).toBe('opted_out');
    expect(await ignoreReasonOf('stop')).toBe('opted_out');
    expect(await say('unstop')).toBe('Replies are back on.');
    expect(await say('claims')).toBe('You have no claimable tokens at the moment.');
  });

  test('behavior: it concerns one account only', async () => {
    await say('stop');
    expect(await say('claims', { authorId: '7' })).not.toBeNull();
    expect(await ask(world, { platform: 'twitter', authorId: '1001', text: '@gigclaim claims' })).not.toBeNull();
  });

  test('security: an account that is stopped starts nothing in silence', async () => {
    const gig = await seedGig(world.store, { owners: [{ platform: 'farcaster', platformUserId: '1001' }] });
    world.ledger.fund(gig.walletAddress, REQUIRED);
    await say('stop');
    expect(await ignoreReasonOf(`start gig ${gig.id}`)).toBe('opted_out');
    expect(await world.store.gig(gig.id)).toEqual(gig);
  });
});

describe('limits', () => {
  test('behavior: one author gets ten replies an hour', async () => {
    for (let count = 0; count < 10; count += 1) expect(await say('claims')).not.toBeNull();
    expect(await ignoreReasonOf('claims')).toBe('author_limit');
    expect(await say('claims', { authorId: '7' })).not.toBeNull();
    world.advance(HOUR);
    expect(await ignoreReasonOf('claims')).toBe('author_limit');
    world.advance(1);
    expect(await say('claims')).not.toBeNull();
  });

  test('behavior: one thread gets five replies an hour, whoever asks', async () => {
    const threadId = '0xthread';
    for (let author = 0; author < 5; author += 1) {
      expect(await say('claims', { threadId, authorId: `${author}` })).not.toBeNull();
    }
    expect(await ignoreReasonOf('claims', { threadId, authorId: '99' })).toBe('thread_limit');
    expect(await say('claims', { authorId: '99' })).not.toBeNull();
    world.advance(HOUR + 1);
    expect(await say('claims', { threadId, authorId: '99' })).not.toBeNull();
  });

  test('behavior: a thread is not answered more often because many ask at once', async () => {
    const ids = [];
    for (let author = 0; author < 20; author += 1) {
      ids.push(await world.hear({ authorId: `${author}`, threadId: '0xthread' }));
    }
    await world.answerUntilDone(8);
    expect(await world.store.replies({ limit: 100 })).toHaveLength(5);
    const states = await Promise.all(ids.map(async (id) => (await world.store.mention(id))?.ignoreReason));
    expect(states.filter((reason) => reason === 'thread_limit')).toHaveLength(15);
  });

  test('behavior: threads of the same name on two platforms are two', async () => {
    for (let author = 0; author < 5; author += 1) await say('claims', { threadId: '9', authorId: `${author}` });
    expect(await ask(world, { platform: 'twitter', threadId: '9', text: '@gigclaim claims' })).not.toBeNull();
  });
});

describe('anything else', () => {
  test('behavior: gets help once in 24 hours, and silence otherwise', async () => {
    expect(await say('gm')).toMatch(/^Mention me with: /);
    expect(await ignoreReasonOf('gm')).toBe('help_already_given');
    world.advance(24 * HOUR);
    expect(await ignoreReasonOf('what?')).toBe('help_already_given');
    world.advance(1);
    expect(await say('gm')).toMatch(/^Mention me with: /);
  });

  test('behavior: each author has their own help, and asking for it does not use it up', async () => {
    expect(await say('help')).toMatch(/^Mention me with: /);
    expect(await say('help')).toMatch(/^Mention me with: /);
    expect(await say('gm')).toMatch(/^Mention me with: /);
    expect(await say('help')).toMatch(/^Mention me with: /);
    expect(await say('gm', { authorId: '7' })).toMatch(/^Mention me with: /);
  });

  test('behavior: many at once from one author get one help', async () => {
    for (let count = 0; count < 8; count += 1) await world.hear({ text: `@gigclaim gm ${count}` });
    await world.answerUntilDone(8);
    expect(await world.store.replies({ limit: 100 })).toHaveLength(1);
  });
});
