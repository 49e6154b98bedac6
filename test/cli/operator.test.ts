import { describe, expect, test } from 'vitest';
import { SEEDED_AT, sampleClaim, seedGig, seedTips } from '../support/store.ts';
import { desk, output, refusal, useDesk } from './admin.ts';

const ALICE = { platform: 'farcaster', platformUserId: '1001' } as const;

useDesk();

describe('tip void', () => {
  const voided = (...ids: string[]) => desk.admin(['tip', 'void', ...ids, '--reason', 'a leaked key']);
  const seed = async (count: number) => {
    const gig = await seedGig(desk.store, { live: true });
    await seedTips(
      desk.store,
      gig,
      Array.from({ length: count }, () => ALICE),
    );
    return gig.id;
  };

  test('behavior: takes pending tips back with a reason, and their gig can award them again', async () => {
    const gigId = await seed(3);
    expect(await output(voided('1', '3'))).toBe(
      'Tip 1 is void: 1 DEGEN of gig 1 can be awarded again.\nTip 3 is void: 1 DEGEN of gig 1 can be awarded again.\n',
    );
    expect((await desk.store.gig(gigId))?.awardedAmount).toBe(10n ** 18n);
    expect((await desk.store.pendingTips([ALICE])).tips.map(({ id }) => id)).toEqual([2]);
    expect(await desk.json('tip', 'show', '1')).toMatchObject({
      id: 1,
      number: 0,
      status: 'void',
      amount: '1',
      symbol: 'DEGEN',
      void_reason: 'a leaked key',
      voided_at: '2026-01-01T00:00:00.000Z',
    });
    const { out: shown } = await desk.admin(['tip', 'show', '2']);
    expect(shown).toContain('pending');
    expect(shown).toMatch(/number in the gig +1\n/);
    expect(await desk.json('audit', 'list', '--gig', '1')).toMatchObject([
      { action: 'tip.void', subject: 'tip', subject_id: '3', detail: { reason: 'a leaked key' } },
      {
        action: 'tip.void',
        subject_id: '1',
        gig_id: 1,
        name: 'command line',
        detail: { amount: '1000000000000000000', account: 'farcaster:1001', awarded_by: null },
      },
    ]);
  });

  test('security: refuses all when one of them is held by a running claim, paid, void or unknown', async () => {
    const gigId = await seed(2);
    const gig = await desk.store.gig(gigId);
    await voided('2');
    await desk.store.transaction(async (tx) => {
      const claim = await tx.insertClaim(sampleClaim(ALICE, 'post'));
      await tx.takeTips(claim, { now: SEEDED_AT, lockTimeout: SEEDED_AT + 1 });
    });
    if (gig === null) throw new Error('not seeded');
    await seedTips(desk.store, gig, [{ ...ALICE, platformUserId: '1002' }]);
    const refused = async (id: string) => {
      const err = await refusal(voided('3', id));
      return err;
    };
    expect(await refused('1')).toBe('Tip 1 is held by a running claim; its payment is under way.\n');
    expect(await refused('2')).toBe('Tip 2 is void already.\n');
    expect(await refused('9')).toBe('There is no tip 9.\n');
    expect(await desk.store.tip(3)).toMatchObject({ voidedAt: null });
    expect((await desk.store.gig(gigId))?.awardedAmount).toBe(2n * 10n ** 18n);
  });

  test('error: needs a reason', async () => {
    await seed(1);
    expect((await desk.admin(['tip', 'void', '1'])).code).toBe(2);
    expect(await refusal(desk.admin(['tip', 'void', '1', '--reason', ' ']))).toBe(
      'reason must have 1 to 500 characters\n',
    );
  });
});

describe('gig owner remove', () => {
  test('behavior: takes the command over a gig away, whatever client made it', async () => {
    const { id } = await seedGig(desk.store, { owners: [ALICE] });
    await desk.store.transaction((tx) => tx.assignGig(id, 'shop'));
    const remove = () => desk.admin(['gig', 'owner', 'remove', '1', 'farcaster', '1001']);
    expect((await remove()).out).toBe('farcaster:1001 is no longer an owner of gig 1.\n');
    expect(await desk.store.ownsGig(1, ALICE)).toBe(false);
    expect(await refusal(remove())).toBe('farcaster:1001 is not an owner of gig 1.\n');
    expect(await desk.json('audit', 'list', '--gig', '1')).toMatchObject([
      { action: 'owner.remove', subject: 'account', subject_id: 'farcaster:1001' },
    ]);
    expect(await refusal(desk.admin(['gig', 'owner', 'remove', '9', 'farcaster', '1001']))).toBe(
      'There is no gig 9; see gig list.\n',
    );
  });
});

describe('gig freeze and unfreeze', () => {
  test('behavior: stop a gig’s payments until they are let go on, and say why', async () => {
    const { id } = await seedGig(desk.store, { live: true });
    const { out } = await desk.admin(['gig', 'freeze', '1', '--reason', 'its key leaked']);
    expect(out).toBe('Gig 1 is frozen: it pays nothing until gig unfreeze 1.\n');
    expect(await desk.store.gigFreeze(id)).toBe('the operator froze it: its key leaked');
    expect(await desk.json('gig', 'show', '1')).toMatchObject({ frozen: 'the operator froze it: its key leaked' });
    expect(await refusal(desk.admin(['gig', 'freeze', '1', '--reason', 'again']))).toBe(
      'Gig 1 is frozen by the operator already.\n',
    );
    expect((await desk.admin(['gig', 'unfreeze', '1'])).out).toBe('Gig 1 pays again.\n');
    expect(await desk.store.gigFreeze(id)).toBeNull();
    expect(await desk.json('audit', 'list', '--gig', '1')).toMatchObject([
      { action: 'gig.unfreeze' },
      { action: 'gig.freeze', detail: { reason: 'the operator froze it: its key leaked' } },
    ]);
  });

  test('security: what an audit found is not released by hand', async () => {
    const { id } = await seedGig(desk.store, { live: true });
    const found = { reason: 'it does not add up', now: SEEDED_AT };
    await desk.store.transaction((tx) => tx.freezeGig(id, found));
    expect(await refusal(desk.admin(['gig', 'unfreeze', '1']))).toBe(
      'Gig 1 is not frozen by the operator: it does not add up. Only reconcile can release it.\n',
    );
    await desk.admin(['gig', 'freeze', '1', '--reason', 'a leak']);
    const { out } = await desk.admin(['gig', 'unfreeze', '1']);
    expect(out).toBe('Gig 1 is no longer frozen by the operator, but it stays frozen: it does not add up\n');
    expect(await desk.store.gigFreeze(id)).toBe('it does not add up');
  });
});
