import { beforeEach, describe, expect, test } from 'vitest';
import type { Gig } from '../../../src/domain/gigs/gig.ts';
import { checksummed } from '../../../src/domain/gigs/token.ts';
import {
  SEEDED_AT,
  sampleClaim,
  seedAddress,
  seedClaim,
  seedConfirmed,
  seedGig,
  seedHash,
  seedTips,
} from '../../support/store.ts';
import { desk, output, outputRows, refusal, useDesk } from '../admin.ts';

const E18 = 10n ** 18n;
const PAID = { platform: 'farcaster', platformUserId: '1' } as const;
const OWED = { platform: 'farcaster', platformUserId: '2' } as const;

let gig: Gig;
useDesk();
/** Of 100 DEGEN account 1 was paid 12.5, and account 2 is owed 7. */
beforeEach(async () => {
  gig = await seedGig(desk.store, { live: true });
  await seedTips(desk.store, gig, [{ ...PAID, amount: (25n * E18) / 2n }]);
  await seedClaim(desk.store, sampleClaim(PAID, 'paid'));
  await seedConfirmed(desk.store, 1, { hash: seedHash(1) });
  await seedTips(desk.store, gig, [{ ...OWED, amount: 7n * E18 }]);
});

describe('gig report', () => {
  test('behavior: tells where the money went, compared with each tip', async () => {
    expect(await outputRows(desk.admin(['gig', 'report', String(gig.id)]))).toEqual([
      'Statement of gig 1',
      'state|live',
      'reward|100 DEGEN',
      'fee|5 DEGEN',
      'awarded|19.5 DEGEN',
      'paid|12.5 DEGEN',
      'pending|7 DEGEN',
      'refund|0 DEGEN',
      'fee paid|0 DEGEN',
      'fee owed|5 DEGEN',
      'left|80.5 DEGEN',
      'the refund|the gig is not settled; 80.5 DEGEN would return to an address that is not set',
      expect.stringMatching(/^gas\|[0-9]+ units; their price in wei is not stored$/),
      'adds up|yes: reward + fee = paid + pending + refund + fee paid + fee owed + left',
      'Fee, refund and returns, oldest first',
      'None.',
    ]);
  });

  test('behavior: the sums add up as they are labelled, before the refund is planned and after', async () => {
    const back = seedAddress(0xb1);
    const sumsOf = async () => {
      const { out } = await desk.admin(['gig', 'report', '1']);
      const rows = out.split('\n').map((line) => line.trim().split(/ {2,}/));
      const amountOf = (label: string) =>
        Number(/^[0-9.]+/.exec(rows.find(([name]) => name === label)?.[1] ?? '')?.[0]);
      const [cameIn = '', went = ''] = (/yes: (.*)$/m.exec(out)?.[1] ?? '').split(' = ');
      const add = (labels: string) => labels.split(' + ').reduce((sum, label) => sum + amountOf(label), 0);
      return { cameIn: add(cameIn), went: add(went), refund: rows.find(([name]) => name === 'the refund')?.[1] };
    };
    await desk.store.transaction(async (tx) => {
      await tx.nameRefundAddress(1, back);
      await tx.settleGig(1, gig.endTime);
    });
    const to = checksummed(back);
    const waits = `not planned yet; 80.5 DEGEN to ${to}, not before 2026-01-05T00:00:00.000Z`;
    expect(await sumsOf()).toEqual({ cameIn: 105, went: 105, refund: waits });
    await desk.store.transaction(async (tx) => {
      await tx.markRefunded(1, SEEDED_AT);
      const refund = { kind: 'refund', chainId: gig.token.chainId, gigId: 1, claimId: null } as const;
      const amounts = { tokenId: gig.token.id, recipient: back, amount: (161n * E18) / 2n };
      await tx.planPayment({ ...refund, ...amounts }, { now: SEEDED_AT, tipIds: [] });
    });
    expect(await sumsOf()).toEqual({ cameIn: 105, went: 105, refund: `planned, to ${to}` });
  });

  test('behavior: comes as JSON', async () => {
    expect(await desk.json('gig', 'report', '1')).toMatchObject({
      gig_id: 1,
      sums: { reward: '100', paid: '12.5', pending: '7', void: '0', left: '80.5', lost: '0', fee_owed: '5' },
      adds_up: true,
      differences: [],
      refund: { state: 'open', amount: '80.5', recipient: null, hash: null, due_at: null },
      payments: [],
    });
  });

  test('behavior: comes as CSV', async () => {
    const out = await output(desk.admin(['gig', 'report', '1', '--csv']));
    const lines = out.split('\r\n');
    expect(lines).toHaveLength(4);
    expect(lines[1]).toBe('farcaster,2,,pending,7,DEGEN,2,1,2026-01-01T00:00:00.000Z,,,,');
    expect(lines[3]).toBe('');
  });

  test('error: a gig that nobody made is not found', async () => {
    expect(await refusal(desk.admin(['gig', 'report', '7']))).toBe('There is no gig 7; see gig list.\n');
  });
});
