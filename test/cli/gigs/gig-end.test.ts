import { beforeEach, describe, expect, test } from 'vitest';
import { type Address, checksummed } from '../../../src/domain/gigs/token.ts';
import { deployToken, freshAddress, fundToken } from '../../support/anvil.ts';
import { type GigSeed, SEEDED_AT, seedTips } from '../../support/store.ts';
import { desk, outputLines, refusal } from '../admin.ts';
import { seedUsdcGig as seed, seedStarted, token, UNIT, useWallets, wallets } from './setup.ts';

const ALICE = { platform: 'farcaster', platformUserId: '1001' } as const;
const DAY = 86_400_000;
const WEEK = 7 * DAY;
const NOBODY: Address = '0x0000000000000000000000000000000000000000';

let back: Address;
useWallets();
beforeEach(() => {
  back = freshAddress();
});

const run = (...args: string[]) => desk.admin(['gig', ...args]);

/** A gig that ended a week ago; its wallet holds what it was funded with, and so much more. */
const seedEnded = (terms: GigSeed = {}, surplus = 0n) =>
  seedStarted({ startTime: SEEDED_AT - WEEK, ...terms }, 105n * UNIT + surplus);

const settled = (gigId: number, at: number) => desk.store.transaction((tx) => tx.settleGig(gigId, at));
const fail = (id: number) => desk.store.transaction((tx) => tx.failPayment(id, { reason: 'blocked', now: SEEDED_AT }));

describe('gig stop and gig cancel', () => {
  test('behavior: a live gig is stopped, and a created one cancelled, once each', async () => {
    await seed({ live: true, awardDays: 2 });
    await seed({ refundAddress: back });
    await seed();
    expect(await outputLines(run('stop', '1'))).toEqual([
      'Gig 1 is stopped. New activity no longer counts; tips already earned are kept.',
      'Tips can be awarded until 3 Jan 2026, 00:00 UTC.',
    ]);
    expect(await refusal(run('stop', '1'))).toBe('Gig 1 has ended already.\n');
    expect(await refusal(run('cancel', '1'))).toBe('Gig 1 has ended already.\n');
    expect(await refusal(run('stop', '2'))).toBe('Gig 2 has not started; gig cancel ends it.\n');
    expect(await outputLines(run('cancel', '2'))).toEqual([
      'Gig 2 is cancelled and will not start.',
      `The money in its wallet returns to ${checksummed(back)}; the running service pays it.`,
    ]);
    expect((await outputLines(run('cancel', '3')))[1]).toBe(
      'No refund address is set for the money in its wallet: name one with gig refund 3 --to 0x… --yes.',
    );
    expect(await desk.json('audit', 'list')).toMatchObject([
      { action: 'gig.cancel', name: 'command line' },
      { action: 'gig.cancel' },
      { action: 'gig.stop' },
    ]);
    expect(await desk.json('gig', 'show', '1')).toMatchObject({
      state: 'ended',
      award_days: 2,
      awards_until: '2026-01-03T00:00:00.000Z',
      stopped_at: '2026-01-01T00:00:00.000Z',
      settled_at: null,
    });
    const { out } = await run('show', '2');
    expect(await desk.json('gig', 'show', '2')).toMatchObject({ state: 'cancelled', awards_until: null });
    expect(out).toMatch(/^ {2}award days +0: awards end with the gig$/m);
    expect(out).toMatch(/^ {2}cancelled +2026-01-01T00:00:00.000Z$/m);
    expect(out).toMatch(new RegExp(`^ {2}refund to +${checksummed(back)}$`, 'm'));
  });
});

describe('gig settle', () => {
  test('behavior: closes the books of a manual gig that is over, and says what becomes of the rest', async () => {
    await seedEnded({ refundAddress: back, awardDays: 90 });
    expect(await outputLines(run('settle', '1'))).toEqual([
      'Gig 1 is settled: no more tips are awarded. Tips already earned can still be claimed.',
      `100 USDC are left; the running service returns them to ${checksummed(back)} after 4 Jan 2026, 00:00 UTC.`,
    ]);
    expect(await refusal(run('settle', '1'))).toBe('Gig 1 is settled already.\n');
  });
});

describe('gig refund', () => {
  test('behavior: without --yes it shows what would be refunded, and changes nothing', async () => {
    const gig = await seedEnded();
    await seedTips(desk.store, gig, [{ ...ALICE, amount: 40n * UNIT }]);
    await settled(1, SEEDED_AT);
    expect(await outputLines(run('refund', '1'))).toEqual([
      'Gig 1',
      '  reward        100 USDC',
      '  fee           5 USDC',
      '  awarded       40 USDC',
      '  not paid yet  40 USDC',
      '  refund        60 USDC',
      '  refund to     not set: name it with gig refund 1 --to',
      '  not before    2026-01-04T00:00:00.000Z',
      '  waits for     no refund address is set',
      'Nothing was planned. To do it, add --yes. The running service makes the payments.',
    ]);
    expect((await outputLines(run('refund', '1', '--to', back)))[6]).toBe(
      `  refund to     ${checksummed(back)}, as the operator said`,
    );
    expect((await desk.store.gig(1))?.refundTo).toBeNull();
    expect(await desk.json('audit', 'list')).toEqual([]);
  });

  test('behavior: with --yes it names the address, and plans the refund when it is due, also when tips were lost', async () => {
    const gig = await seedEnded();
    await seedTips(desk.store, gig, [{ ...ALICE, amount: 40n * UNIT }]);
    expect(await outputLines(run('refund', '1', '--to', back, '--yes'))).toEqual([
      `The unawarded funds of gig 1 return to ${checksummed(back)}.`,
      'The refund of gig 1 is not planned yet: the gig is not settled. The running service plans it then.',
    ]);
    expect((await desk.store.gig(1))?.refundTo).toBe(back);
    await settled(1, SEEDED_AT - 4 * DAY);
    expect(await outputLines(run('refund', '1', '--yes'))).toEqual([
      `The refund of 60 USDC to ${checksummed(back)} is planned as payment 1; the running service makes it.`,
    ]);
    expect(await outputLines(run('refund', '1', '--yes'))).toEqual([
      'The refund of gig 1 was planned before; see gig refund 1.',
    ]);
    expect(await desk.json('audit', 'list')).toMatchObject([
      { action: 'gig.refund', name: 'command line', detail: { approved: true, amount: '60000000' } },
      { action: 'gig.refund_to', name: 'command line', detail: { refund_to: back, before: null } },
    ]);
    expect((await outputLines(run('refund', '1'))).at(-2)).toBe(
      `  payment 1       refund of 60 USDC to ${checksummed(back)}, planned`,
    );
  });

  test('behavior: a gig that has not started is to be cancelled, and can learn before where its money returns to', async () => {
    await seed();
    const why = 'the gig has not started; gig cancel ends it and returns the money in its wallet';
    expect(await outputLines(run('refund', '1'))).toContain(`  waits for  ${why}`);
    expect(await refusal(run('refund', '1', '--yes'))).toBe(`The refund of gig 1 is not planned yet: ${why}.\n`);
    expect(await outputLines(run('refund', '1', '--to', back, '--yes'))).toEqual([
      `The unawarded funds of gig 1 return to ${checksummed(back)}.`,
      `The refund of gig 1 is not planned yet: ${why}.`,
    ]);
    expect((await outputLines(run('cancel', '1')))[1]).toContain(checksummed(back));
  });

  test('behavior: a refund that failed is planned again, to another address if one is given', async () => {
    await seedEnded({ refundAddress: back });
    await settled(1, SEEDED_AT - 4 * DAY);
    await run('refund', '1', '--yes');
    await fail(1);
    expect((await outputLines(run('refund', '1'))).slice(-2)).toEqual([
      `  payment 1       refund of 100 USDC to ${checksummed(back)}, failed, blocked`,
      'Nothing was planned. To do it, add --yes. It plans payment 1 again, to --to if that is given. The running service makes the payments.',
    ]);
    const other = freshAddress();
    expect((await outputLines(run('refund', '1', '--to', other))).at(-1)).toBe(
      `Nothing was planned. To do it, add --yes. It plans payment 1 again, to ${checksummed(other)}. The running service makes the payments.`,
    );
    expect(await outputLines(run('refund', '1', '--to', other, '--yes'))).toEqual([
      `Payment 1 had failed. The refund of 100 USDC to ${checksummed(other)} is planned as payment 2; the running service makes it.`,
    ]);
    expect((await desk.admin(['payment', 'retry', '1'])).err).toBe(
      'Payment 1 has nothing left to pay: the refund of gig 1 was planned again since.\n',
    );
    expect((await outputLines(run('refund', '1'))).at(-1)).toBe(
      'Nothing is left to plan. Return any surplus in its wallet with --surplus.',
    );
    await fail(2);
    expect((await desk.admin(['payment', 'retry', '2'])).code).toBe(0);
    expect(await desk.store.payment(3)).toMatchObject({ kind: 'refund', recipient: other, amount: 100n * UNIT });
    expect(await desk.json('audit', 'list', '--limit', '2')).toMatchObject([
      { action: 'payment.retry', detail: { kind: 'refund', planned_id: 3 } },
      { action: 'payment.retry', detail: { kind: 'refund', planned_id: 2, recipient: other } },
    ]);
  });

  test('security: no address is named where money would be lost, or where the terms or a refund decide', async () => {
    const gig = await seedEnded({ refundAddress: back });
    await seedEnded();
    const unknown = await deployToken({ decimals: 6, symbol: 'EURC' });
    for (const lost of [NOBODY, token.address, unknown.address, gig.walletAddress, wallets.gasTankAddress()]) {
      for (const yes of [[], ['--yes']]) {
        const { code, err } = await run('refund', '2', '--to', lost, ...yes);
        const why = 'is a token, a wallet or contract of this service or no address: money would be lost.\n';
        expect([code, err]).toEqual([1, `${checksummed(lost)} ${why}`]);
      }
    }
    const terms = `Another address cannot be named for gig 1: its terms say where it goes: ${checksummed(back)}.\n`;
    expect(await refusal(run('refund', '1', '--to', freshAddress()))).toBe(terms);
    expect(await refusal(run('refund', '1', '--to', freshAddress(), '--yes'))).toBe(terms);
    await run('refund', '2', '--to', back, '--yes');
    await settled(2, SEEDED_AT - 4 * DAY);
    await run('refund', '2', '--yes');
    expect(await refusal(run('refund', '2', '--to', freshAddress(), '--yes'))).toBe(
      'Another address cannot be named for gig 2: its refund was planned before.\n',
    );
  });

  test('security: a gig that lacks money waits and is frozen, and says why also without --yes', async () => {
    for (let id = 1; id <= 2; id += 1) {
      await seedEnded({ refundAddress: back }, -UNIT);
      await settled(id, SEEDED_AT - 4 * DAY);
    }
    const missing = 'the wallet holds 104 USDC and must hold 105 USDC: 1 USDC are missing';
    expect(await refusal(run('refund', '1', '--yes'))).toBe(
      `The refund of gig 1 is not planned yet: the books of the gig are not proved (${missing}).\n`,
    );
    expect(await desk.store.gigFreeze(1)).toContain('it does not add up');
    expect(await outputLines(run('refund', '2'))).toContain(
      `  waits for   the books of the gig are not proved: ${missing}`,
    );
  });

  test('behavior: a surplus, another token, and what a cancelled gig holds are returned', async () => {
    await seedEnded({ refundAddress: back }, 3n * UNIT);
    expect(await outputLines(run('refund', '1', '--surplus'))).toContain('  return      3 USDC');
    expect(await outputLines(run('refund', '1', '--surplus', '--yes'))).toEqual([
      `The return of 3 USDC to ${checksummed(back)} is planned as payment 1; the running service makes it.`,
    ]);
    expect(await refusal(run('refund', '1', '--surplus', '--yes'))).toBe(
      'The wallet of gig 1 holds no USDC that could be returned.\n',
    );
    await fail(1);
    const other = await deployToken({ decimals: 6, symbol: 'OTHER' });
    await fundToken(other, wallets.gigAddress(1), UNIT);
    const given = ['refund', '1', '--token', other.address, '--to', freshAddress(), '--yes'];
    expect((await outputLines(run(...given)))[0]).toContain('The return of 1 OTHER to 0x');
    const { id, walletAddress } = await seed();
    await fundToken(token, walletAddress, 42n * UNIT);
    await run('cancel', String(id));
    expect((await outputLines(run('refund', String(id))))[2]).toBe(
      `  return     cannot be planned: Gig ${id} does not say where money returns to: name it with --to.`,
    );
    expect((await outputLines(run('refund', String(id), '--to', back)))[2]).toBe('  return     42 USDC');
    expect(await outputLines(run('refund', String(id), '--to', back, '--yes'))).toEqual([
      `The return of 42 USDC to ${checksummed(back)} is planned as payment 3; the running service makes it.`,
    ]);
    expect((await desk.store.gig(id))?.refundTo).toBe(back);
  });

  test('security: a return that failed is not planned again once a later one took its money', async () => {
    await seedEnded({ refundAddress: back }, 3n * UNIT);
    const give = () => run('refund', '1', '--surplus', '--yes');
    await give();
    await fail(1);
    await give();
    expect(await desk.store.payment(2)).toMatchObject({ kind: 'return', place: 1, amount: 3n * UNIT });
    expect(await refusal(desk.admin(['payment', 'retry', '1']))).toBe(
      'Payment 1 has nothing left to pay: ' +
        'this return of gig 1, or a later one of the same token, was planned since.\n',
    );
    await fail(2);
    expect((await desk.admin(['payment', 'retry', '1'])).code).toBe(0);
    expect(await desk.store.payment(3)).toMatchObject({ kind: 'return', place: 0, amount: 3n * UNIT });
    expect((await desk.admin(['payment', 'retry', '2'])).code).toBe(1);
  });
});
