import { expect, test } from 'vitest';
import { createReplyEmbeds } from '../../src/bot/reply-embeds.ts';
import { forThisTest } from '../http/service.ts';
import { createNetwork, replyTo } from '../services/fakes.ts';
import { openTestStore } from '../support/database.ts';
import { seedGig, seedMention } from '../support/store.ts';

async function open() {
  const { store } = await forThisTest(openTestStore());
  const platforms = new Map(['farcaster', 'twitter'].map((id) => [id, createNetwork(id).network]));
  const embedOf = createReplyEmbeds({ store, platforms, offered: [], publicUrl: 'https://gigclaim.test', snaps: true });
  if (embedOf === undefined) throw new Error('there are no cards');
  let posts = 0;
  const embed = async (text: string, platform = 'farcaster') => {
    posts += 1;
    const mentionId = await seedMention(store, { platform, text, authorId: '1001', postId: String(posts) });
    return await embedOf(replyTo('1001', { mentionId, platform }));
  };
  return { store, embedOf, embed };
}

test('behavior: a reply about a gig shows the card of the gig, and any other that of the claim page', async () => {
  const { store, embed, embedOf } = await open();
  const { id } = await seedGig(store);
  expect(await embed(`@gigclaim why ${id}`)).toBe(`https://gigclaim.test/gigs/${id}`);
  for (const text of ['@gigclaim claims', '@gigclaim claim my rewards', '@gigclaim what?', '@gigclaim gig 99'])
    expect([text, await embed(text)]).toEqual([text, 'https://gigclaim.test/claim/farcaster/1001']);
  const notice = { gigId: id, event: 'live' } as const;
  expect(await embedOf(replyTo('1001', { platform: 'farcaster', notice }))).toBe(`https://gigclaim.test/gigs/${id}`);
});

test('behavior: a reply on X shows none, because a link costs more there', async () => {
  const { store, embed } = await open();
  const { id } = await seedGig(store);
  expect(await embed(`@gigclaim why ${id}`, 'twitter')).toBeNull();
});
