import { describe, expect, test } from 'vitest';
import { sampleClaim, seedAddress, seedClaim, seedFee, seedGig, seedMention, seedTips } from '../../support/store.ts';
import { desk, useDesk } from '../admin.ts';

useDesk();

const BOB = { platform: 'farcaster', platformUserId: '1002' } as const;
const CAST = `0x${'ab'.repeat(20)}`;

async function seedBob() {
  const gig = await seedGig(desk.store, { live: true });
  await seedTips(desk.store, gig, [{ ...BOB }]);
  await seedMention(desk.store, { postId: CAST, authorId: '1002', authorUsername: 'bob' });
  await seedClaim(desk.store, sampleClaim(BOB, CAST));
  await seedFee(desk.store, gig, { recipient: seedAddress(0xcafe) });
}

describe('find', () => {
  test('behavior: says what was found, and the command that shows it', async () => {
    await seedBob();
    expect(await desk.json('find', 'gig', '1')).toEqual([
      { kind: 'gig', sentence: expect.stringContaining('Gig 1 is '), command: 'gig show 1' },
    ]);
    expect(await desk.json('find', CAST)).toMatchObject([
      { kind: 'mention', command: 'mention list --before 2 --limit 1' },
      { kind: 'claim', command: 'claim show 1' },
    ]);
    const { out } = await desk.admin(['find', 'tip 1']);
    expect(out).toBe('Tip 1 of farcaster:1002 (@bob) is 1 DEGEN from gig 1, pending.\n  npm run admin -- tip show 1\n');
    expect(await desk.json('find', seedAddress(0xcafe))).toHaveLength(3);
  });

  test('behavior: of an account shows what it did and got, and why not', async () => {
    await seedBob();
    const { out } = await desk.admin(['find', '@bob']);
    expect(out).toContain('farcaster:1002 (@bob) holds this handle now.\nmentions:\n');
    expect(out).toContain('received  mention 1: @gigclaim claims. It waits to be handled.');
    expect(out).toContain(
      'pending  payment 1: 1 DEGEN from gig 1, claim 1. Waiting to be sent.'.replace('pending', 'planned'),
    );
    expect(out).toContain('earnings: none');
    expect(await desk.json('find', 'farcaster:1002')).toMatchObject([
      { kind: 'account', tips: [{ id: 1, state: 'pending', why: 'Waiting to be sent.' }] },
    ]);
  });

  test('error: nothing found says what can be searched for, whatever the text is', async () => {
    await seedBob();
    for (const text of ['nobody', '%', 'b_b', '<b>', 'gig 1\u0000', 'x'.repeat(1_000_000)]) {
      const { code, err } = await desk.admin(['find', text]);
      expect([text.slice(0, 9), code]).toEqual([text.slice(0, 9), 1]);
      expect(err).toContain('Nothing found. Search for a handle (@alice), an account (farcaster:1001, x:2222),');
    }
    expect(await desk.json('find', 'nobody')).toEqual([]);
  });
});
