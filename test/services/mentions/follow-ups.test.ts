import { describe, expect, test } from 'vitest';
import { REPLY_WORTH } from '../../../src/domain/mentions/reply-worth.ts';
import { COMMAND_LINE } from '../../../src/domain/operators/actor.ts';
import { idemFor, retryReply } from '../../../src/services/mentions/send-replies.ts';
import { perCase } from '../../support/per-case.ts';
import { fault } from '../fakes.ts';
import { createWorld, SETTLE_MS } from '../world.ts';

const world = perCase(createWorld);

/** A mention whose reply is queued, and that reply's id. */
async function queueFirst(platform: 'farcaster' | 'twitter') {
  const mentionId = await world.hear({ platform, text: '@gigclaim help' });
  await world.answerAll();
  return { mentionId, first: (await world.store.replyTo(mentionId))?.id ?? 0 };
}

/** Queues a second reply to a mention; its id. */
function queueSecond(mentionId: number): Promise<number> {
  const reply = {
    mentionId,
    kind: 'answer',
    text: 'Not paid: 1 ODD.',
    followUp: true,
    worth: REPLY_WORTH.help,
  } as const;
  return world.store.transaction((tx) => tx.queueReply(reply, world.clock()));
}

/** A mention with two queued replies; their ids. */
async function queueBoth(platform: 'farcaster' | 'twitter') {
  const { mentionId, first } = await queueFirst(platform);
  return { first, second: await queueSecond(mentionId) };
}

const stateOf = async (id: number) => (await world.store.reply(id))?.state;
const statesOf = ({ first, second }: { first: number; second: number }) => Promise.all([first, second].map(stateOf));
async function sendAfterSettling(platform: 'farcaster' | 'twitter', lanes = 1): Promise<void> {
  world.advance(SETTLE_MS);
  await world.sendAll(platform, lanes);
}

describe.each(['farcaster', 'twitter'] as const)('a second reply on %s', (platform) => {
  const network = () => world.networkOf(platform);

  test('behavior: goes under the same post after the first one, under a key of its own', async () => {
    const { first, second } = await queueBoth(platform);
    await world.sendAll(platform);
    expect(await statesOf({ first, second })).toEqual(['sent', 'sent']);
    expect(network().posts.map(({ text }) => text.slice(0, 8))).toEqual(['Mention ', 'Not paid']);
    expect(new Set(network().posts.map(({ replyTo }) => replyTo)).size).toBe(1);
    expect(new Set(network().posts.map(({ idem }) => idem)).size).toBe(2);
  });

  test('error: the first one is not tried again while it is not known what became of this one', async () => {
    const { mentionId, first } = await queueFirst(platform);
    network().refuse(fault('rejected', 'never'));
    await world.sendAll(platform);
    const second = await queueSecond(mentionId);
    network().lose(fault('timeout', 'unknown'));
    await world.sendAll(platform);
    expect(await statesOf({ first, second })).toEqual(['failed', 'unknown']);
    const retry = () => retryReply(world, { replyId: first, actor: COMMAND_LINE });
    await expect(retry()).rejects.toMatchObject({
      refusal: { message: `Reply ${second} to the same mention is unknown; try again when it is sent or failed.` },
    });
    await sendAfterSettling(platform);
    expect(await stateOf(second)).toBe('sent');
    await retry();
    await world.sendAll(platform);
    await sendAfterSettling(platform);
    expect(await stateOf(first)).toBe('sent');
    expect(network().posts.map(({ text }) => text.slice(0, 8))).toEqual(['Not paid', 'Mention ']);
  });

  test('security: waits until it is known what became of the first one', async () => {
    const { first, second } = await queueBoth(platform);
    network().lose(fault('timeout', 'unknown'));
    await world.sendAll(platform);
    expect(await stateOf(first)).toBe('unknown');
    expect(await world.store.reply(second)).toMatchObject({ state: 'queued', heldFor: 'first_reply', attempts: 0 });
    await sendAfterSettling(platform, 4);
    await sendAfterSettling(platform, 4);
    expect(await statesOf({ first, second })).toEqual(['sent', 'sent']);
    expect(network().posts).toHaveLength(2);
  });

  test('security: is sent again when it was lost, though the first one is there', async () => {
    const { second } = await queueBoth(platform);
    await world.sendNext(platform);
    network().refuse(fault('timeout', 'unknown'));
    await world.sendAll(platform);
    expect(await stateOf(second)).toBe('unknown');
    await sendAfterSettling(platform);
    expect(await stateOf(second)).toBe('sent');
    expect(network().posts).toHaveLength(2);
    expect((await world.store.reply(second))?.postId).toBe(`${platform}-post-2`);
  });

  test('security: is found when its answer was lost, and not taken for the first one', async () => {
    const { first, second } = await queueBoth(platform);
    await world.sendNext(platform);
    network().lose(fault('timeout', 'unknown'));
    await world.sendAll(platform);
    await sendAfterSettling(platform);
    expect(network().posts).toHaveLength(2);
    const posts = await Promise.all([first, second].map(async (id) => (await world.store.reply(id))?.postId));
    expect(posts).toEqual([`${platform}-post-1`, `${platform}-post-2`]);
  });

  test('security: a first one that an operator sends again is not taken for the second one', async () => {
    const { first, second } = await queueBoth(platform);
    network().refuse(fault('rejected', 'never'));
    await world.sendAll(platform);
    await sendAfterSettling(platform);
    expect(await statesOf({ first, second })).toEqual(['failed', 'sent']);
    await world.store.transaction((tx) => tx.retryReply(first, world.clock()));
    await world.sendAll(platform);
    expect(await stateOf(first)).toBe('sent');
    expect(network().posts).toHaveLength(2);
  });
});

test('behavior: the key of a second reply follows from the post, and is another one', () => {
  // The first 16 hex digits of the SHA-256 of `follow-up:0xabc`.
  expect(idemFor('0xabc', true)).toBe('0881ceda51db27f3');
  expect(idemFor('0xabc')).toBe('2e90e42d3a9b70e4');
});
