import { expect, test } from 'vitest';
import type { Gig } from '../../../../src/domain/gigs/gig.ts';
import { createTaps } from '../../../../src/sign-in/jfs.ts';
import { holdRule } from '../../../services/earning/holders.ts';
import {
  awardAs,
  decideAs,
  SAMPLE_FACTS,
  sampleAccount,
  sampleAct,
  seedActs,
  seedGigWithRules,
} from '../../../support/earning.ts';
import { samplePayment, seedAddress, seedConfirmed, seedGig, seedHash, seedToken } from '../../../support/store.ts';
import { forThisTest, NOW } from '../../service.ts';
import { openPages } from '../scene.ts';
import { cardOf, RULES } from './shapes.ts';

const DAY = 86_400_000;
const UNIT = 10n ** 18n;

const open = () =>
  forThisTest(
    openPages({
      taps: createTaps({ publicUrl: 'https://gigclaim.test', rpcUrls: ['http://127.0.0.1:9'], clock: () => NOW }),
    }),
  );

test.each([...RULES, holdRule()])(
  'behavior: of the rule $type the longest texts keep the limits in every phase',
  async (rule) => {
    const service = await open();
    const { store, time } = service;
    const names = { symbol: 'W'.repeat(20), name: 'N'.repeat(64), decimals: 0 };
    const { id: tokenId } = await seedToken(store, { ...names, address: seedAddress(0xcafe) });
    const [most, back] = [2n ** 255n, `0x${'ab'.repeat(20)}`] as const;
    const texts = { title: 'W'.repeat(60), howToEarn: 'W'.repeat(2_000), earningCriteria: 'W'.repeat(2_000) };
    const terms = { ...texts, tokenId, rewardAmount: most, refundAddress: back, startTime: NOW + DAY };
    const said = async ({ id }: Pick<Gig, 'id'>) => {
      time.now += 3_000;
      return (await cardOf(service, `/gigs/${id}`)).texts.join(' ');
    };
    expect(await said(await seedGig(store, terms))).toContain('Not started');
    const cancelled = await seedGig(store, terms);
    await service.sql('update gigs set cancelled_at = ? where id = ?', NOW, cancelled.id);
    expect(await said(cancelled)).toContain('Cancelled on');

    const gig = await seedGigWithRules(store, {
      ...terms,
      ...(rule.type === 'hold' && { gigType: 'hold' }),
      rules: { rule },
    });
    expect(await said(gig)).toContain('Starts on');
    const ids = [11, 12, 13, 14];
    const acts = ids.map((id) => sampleAct(id, { username: `${'w'.repeat(60)}${id}.eth` }));
    await seedActs(store, gig, acts, { now: NOW, dueAt: NOW + 7 * DAY });
    time.now += DAY;
    expect(await said(gig)).toContain('4 accounts on hold.');
    await store.transaction((tx) => tx.freezeGig(gig.id, { reason: 'a secret', now: NOW }));
    expect(await said(gig)).toContain('The operator has frozen the payments');
    await store.transaction(async (tx) => {
      for (const account of ids.map(sampleAccount)) {
        const facts = { ...SAMPLE_FACTS, username: `${'w'.repeat(60)}${account.platformUserId}.eth` };
        await decideAs(tx, gig, account, { now: NOW, facts });
        await awardAs(tx, gig, account, { amount: most / 5n, now: NOW });
      }
    });
    time.now += DAY;
    expect(await said(gig)).toMatch(/Ended on .* Earned by @w+/);
    await service.sql('update gigs set settled_at = ? where id = ?', time.now, gig.id);
    expect(await said(gig)).toContain('return after');
    time.now += 5 * DAY;
    expect(await said(gig)).toContain('return when the operator has checked the gig.');
    const { id } = await store.transaction(async (tx) => {
      await tx.markRefunded(gig.id, time.now);
      const payment = samplePayment(gig, { kind: 'refund', recipient: back, amount: most / 5n });
      return await tx.planPayment(payment, { now: time.now, tipIds: [] });
    });
    expect(await said(gig)).toContain('The rest is on its way back.');
    await seedConfirmed(store, id, { hash: seedHash(7), now: time.now });
    expect(await said(gig)).toContain('Returned to the organizer: ');
  },
);

test('behavior: of a raffle names the winners once they are drawn', async () => {
  const service = await open();
  const { store } = service;
  const gig = await seedGigWithRules(store, { startTime: NOW, rules: { rule: { type: 'raffle', winners: 2 } } });
  const ids = [11, 12, 13];
  await seedActs(
    store,
    gig,
    ids.map((id) => sampleAct(id)),
    { now: NOW, dueAt: NOW },
  );
  service.time.now += 2 * DAY;
  await store.transaction(async (tx) => {
    for (const id of ids) {
      const facts = { ...SAMPLE_FACTS, username: `liker${id}` };
      const lost = id === 13 ? ({ to: 'refused', reason: 'not_drawn' } as const) : {};
      await decideAs(tx, gig, sampleAccount(id), { now: NOW, facts, ...lost });
      if (id !== 13) await awardAs(tx, gig, sampleAccount(id), { amount: 50n * UNIT, now: NOW });
    }
  });
  const { texts } = await cardOf(service, `/gigs/${gig.id}`);
  expect(texts.join(' ')).toMatch(/2 accounts earned\. Earned by @liker1[12].*@liker1[12]/);
  expect(texts.join(' ')).not.toContain('liker13');
});
