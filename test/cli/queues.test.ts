import { describe, expect, test } from 'vitest';
import { SEEDED_AT, seedMention } from '../support/store.ts';
import { desk, output, refusal, useDesk } from './admin.ts';

useDesk();

const LEASE = { lease: 'worker', now: SEEDED_AT, until: SEEDED_AT + 60_000 };

/** A mention that was answered with this text; its reply waits to be sent. */
async function seedReply(postId: string, text = 'You have 100 DEGEN'): Promise<number> {
  await seedMention(desk.store, { postId, authorId: String(Number.parseInt(postId.slice(-2), 16)) });
  return await desk.store.transaction(async (tx) => {
    const mention = await tx.leaseMention({ ...LEASE, platforms: ['farcaster'] });
    if (mention === null) throw new Error('nothing to lease');
    await tx.markAnswered(mention.id, 'worker');
    return await tx.queueReply({ mentionId: mention.id, kind: 'answer', text }, SEEDED_AT);
  });
}

async function failReply(): Promise<void> {
  await desk.store.transaction(async (tx) => {
    const reply = await tx.leaseReply('farcaster', LEASE);
    if (reply === null) throw new Error('nothing to lease');
    await tx.markSending(reply.id, 'worker');
    const change = {
      lease: 'worker',
      state: 'failed',
      retryAt: SEEDED_AT,
      error: 'forbidden: Neynar said no',
    } as const;
    await tx.putReplyBack(reply.id, change);
  });
}

describe('mention list', () => {
  test('error: a mention with a time that no calendar has does not break it', async () => {
    const postedAt = 1e300;
    await seedMention(desk.store, { postId: '0x00000000000000000000000000000000000000a3', postedAt });
    await seedMention(desk.store, { postId: '0x00000000000000000000000000000000000000a4', authorId: '7' });
    expect(await desk.json('mention', 'list')).toMatchObject([
      { id: 2, posted_at: '2026-01-01T00:00:00.000Z' },
      { id: 1, posted_at: 'no time: 1e+300' },
    ]);
  });

  test('behavior: shows what came in, the newest first, whole as JSON', async () => {
    await seedReply('0x00000000000000000000000000000000000000a1');
    await seedMention(desk.store, { postId: '0x00000000000000000000000000000000000000a2' });
    const mentions = await desk.json('mention', 'list');
    expect(mentions).toMatchObject([
      { id: 2, state: 'received' },
      { id: 1, state: 'answered' },
    ]);
    expect(mentions).toHaveProperty('0', {
      id: 2,
      state: 'received',
      silence: null,
      platform: 'farcaster',
      post_id: '0x00000000000000000000000000000000000000a2',
      author_id: '1001',
      author_username: 'alice',
      text: '@gigclaim claims',
      posted_at: '2026-01-01T00:00:00.000Z',
      received_at: '2026-01-01T00:00:00.000Z',
      source: 'webhook',
      attempts: 0,
      last_error: null,
    });
    const { out } = await desk.admin(['mention', 'list']);
    expect(out).toMatch(
      /^2 +received +2026-01-01T00:00:00\.000Z +farcaster:1001 \(@alice\) +0x00000000 +@gigclaim claims +0 +-$/m,
    );
  });

  test('behavior: what an attempt waited for is an error of one that waits still, and none of one that was answered', async () => {
    const reason = `the payment is under way, ${'and has been for a long while, '.repeat(3)}on anvil`;
    await seedMention(desk.store, { postId: '0x00000000000000000000000000000000000000c1' });
    const lease = () => desk.store.transaction((tx) => tx.leaseMention({ ...LEASE, platforms: ['farcaster'] }));
    const first = await lease();
    const wait = { lease: 'worker', until: SEEDED_AT, reason };
    await desk.store.transaction((tx) => tx.postponeMention(first?.id ?? 0, wait));
    expect((await desk.admin(['mention', 'list'])).out).toMatch(new RegExp(`^1 +received .* ${reason}$`, 'm'));
    await lease();
    await desk.store.transaction((tx) => tx.markAnswered(first?.id ?? 0, 'worker'));
    expect((await desk.admin(['mention', 'list'])).out).toMatch(/^1 +answered .* -$/m);
    expect(await desk.json('mention', 'list')).toMatchObject([{ state: 'answered', last_error: reason }]);
  });

  test('behavior: is narrowed by state and goes page by page', async () => {
    for (const post of ['b1', 'b2', 'b3']) await seedMention(desk.store, { postId: `0x${post.padStart(40, '0')}` });
    expect(await desk.json('mention', 'list', '--state', 'failed')).toEqual([]);
    expect((await desk.admin(['mention', 'list', '--state', 'failed'])).out).toBe('No mentions are failed.\n');
    const page = ['--state', 'received', '--limit', '2'];
    expect(await desk.json('mention', 'list', ...page)).toMatchObject([{ id: 3 }, { id: 2 }]);
    expect(await desk.json('mention', 'list', ...page, '--before', '2')).toMatchObject([{ id: 1 }]);
  });

  test('security: nothing that people post is obeyed by the terminal, and JSON still holds it exactly', async () => {
    const text = '@gigclaim \u001b]0;owned\u0007 \u009b31m \u202eclaims\nnext\r\u2028\u{e0041}';
    await seedMention(desk.store, { text, authorUsername: 'ali\u001bce' });
    // biome-ignore lint/suspicious/noControlCharactersInRegex: what must not come through
    const obeyed = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e\u2028]|\u{e0041}/u;
    const table = await desk.admin(['mention', 'list']);
    expect(table.out).not.toMatch(obeyed);
    expect(table.out.trimEnd().split('\n')).toHaveLength(2);
    const { out } = await desk.admin(['mention', 'list', '--json']);
    expect(out).not.toMatch(obeyed);
    expect(JSON.parse(out)).toMatchObject([{ text, author_username: 'ali\u001bce' }]);
  });
});

describe('reply list', () => {
  test('behavior: shows replies with their state and last error', async () => {
    await seedReply('0x00000000000000000000000000000000000000a1');
    await failReply();
    await seedReply('0x00000000000000000000000000000000000000a2');
    expect(await desk.json('reply', 'list')).toMatchObject([
      { id: 2, state: 'queued' },
      { id: 1, state: 'failed' },
    ]);
    expect(await desk.json('reply', 'list', '--state', 'failed')).toEqual([
      {
        id: 1,
        state: 'failed',
        platform: 'farcaster',
        kind: 'answer',
        mention_id: 1,
        gig_id: null,
        event: null,
        in_reply_to: '0x00000000000000000000000000000000000000a1',
        post_id: null,
        text: 'You have 100 DEGEN',
        attempts: 1,
        last_error: 'forbidden: Neynar said no',
        created_at: '2026-01-01T00:00:00.000Z',
        sent_at: null,
      },
    ]);
    const { out } = await desk.admin(['reply', 'list']);
    expect(out).toMatch(
      /^1 +failed +farcaster +1 +2026-01-01T00:00:00\.000Z +You have 100 DEGEN +1 +forbidden: Neynar said no$/m,
    );
  });
});

describe('reply list of one that is held', () => {
  test('behavior: shows the whole reason, with the variable that bounds it', async () => {
    const reason = 'held until the limit allows it: its thread gets at most 5 an hour (REPLIES_PER_THREAD_HOUR)';
    await seedReply('0x00000000000000000000000000000000000000a1');
    await desk.store.transaction(async (tx) => {
      const reply = await tx.leaseReply('farcaster', LEASE);
      const hold = { lease: 'worker', heldFor: 'thread', until: SEEDED_AT, reason } as const;
      await tx.holdReply(reply?.id ?? 0, hold);
    });
    const { out } = await desk.admin(['reply', 'list']);
    expect(out.trimEnd().endsWith(`  ${reason}`)).toBe(true);
    await desk.store.transaction(async (tx) => {
      await tx.leaseReply('farcaster', LEASE);
      await tx.markSending(1, 'worker');
      await tx.markSent(1, { lease: 'worker', postId: '0xb1', now: SEEDED_AT });
    });
    expect((await desk.admin(['reply', 'list'])).out).toMatch(/^1 +sent .* -$/m);
  });
});

describe('reply retry', () => {
  test('behavior: has a failed reply looked up before it is sent again', async () => {
    const id = await seedReply('0x00000000000000000000000000000000000000a1');
    await failReply();
    expect(await output(desk.admin(['reply', 'retry', String(id)]))).toBe(
      'Reply 1 is queued again: the service looks for it on the platform, and sends it if it is not there.\n',
    );
    expect(await desk.store.reply(id)).toMatchObject({ state: 'unknown', attempts: 0 });
  });

  test('error: a reply that has not failed, or that there is not, is refused', async () => {
    const id = await seedReply('0x00000000000000000000000000000000000000a1');
    expect(await refusal(desk.admin(['reply', 'retry', String(id)]))).toBe(
      'Reply 1 is queued; only a failed one can be retried.\n',
    );
    expect((await desk.store.reply(id))?.state).toBe('queued');
    expect(await refusal(desk.admin(['reply', 'retry', '9']))).toBe('There is no reply 9; see reply list.\n');
  });
});

describe('api-key', () => {
  test('behavior: makes a key as the last line, lists it without its secret, and revokes it once', async () => {
    const made = await desk.admin(['api-key', 'create', '--name', 'shop', '--expires', '2027-01-31']);
    const key = made.out.trimEnd().split('\n').at(-1) ?? '';
    expect([made.code, key]).toEqual([0, expect.stringMatching(/^gck_[A-Za-z0-9_-]{43}$/)]);
    const { out } = await desk.admin(['api-key', 'list', '--json']);
    expect(JSON.parse(out)).toEqual([
      {
        id: 1,
        name: 'shop',
        created_at: '2026-01-01T00:00:00.000Z',
        expires_at: '2027-01-31T00:00:00.000Z',
        revoked_at: null,
        last_used_at: null,
        client: 'shop',
        scopes: ['gigs:read', 'gigs:write', 'tips:write', 'claims:read', 'events:read', 'webhooks:write'],
      },
    ]);
    expect(out).not.toContain(key);
    expect((await desk.admin(['api-key', 'revoke', '1'])).out).toBe('API key 1 revoked.\n');
    expect(await refusal(desk.admin(['api-key', 'revoke', '1']))).toBe('There is no key 1 that still works.\n');
  });

  test('error: an expiry that has passed is refused', async () => {
    expect(await refusal(desk.admin(['api-key', 'create', '--name', 'shop', '--expires', '2025-12-31']))).toBe(
      'the expiry must be in the future\n',
    );
  });
});
