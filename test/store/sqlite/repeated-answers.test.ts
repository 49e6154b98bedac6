import { afterEach, beforeEach, expect, test } from 'vitest';
import { MNEMONIC } from '../../../sandbox/people.ts';
import { createWallets } from '../../../src/chain/wallets.ts';
import { claimRewards } from '../../../src/services/claims/claim-rewards.ts';
import { repeatFirstResponse, withIdempotency } from '../../../src/services/idempotency.ts';
import { SEEDED_AT, sampleClaim, seedClaim, seedGig, seedTips } from '../../support/store.ts';
import { type HeldStore, openHeldStore, turns } from './held-sync.ts';

const ALICE = { platform: 'farcaster', platformUserId: '1001' } as const;

let subject: HeldStore;
beforeEach(async () => {
  subject = await openHeldStore();
});
afterEach(() => subject.close());

/** Syncs once it is shown that `again` waits for what `first` has committed. */
async function expectTogether(first: () => Promise<unknown>, again: () => Promise<unknown>): Promise<void> {
  const { held, hold, note, told } = subject;
  hold();
  const all = [note('first', first())];
  await turns();
  all.push(note('again', again()));
  await turns();
  expect([held.length, told]).toEqual([1, []]);
  held[0]?.resolve();
  await Promise.all(all);
  expect([held.length, told]).toEqual([1, ['first', 'again']]);
}

test('security: the first answer to a request is repeated once it is on disk', async () => {
  const key = { scope: '1 POST /a', key: 'k', fingerprint: 'f' };
  const context = { store: subject.store, clock: () => SEEDED_AT };
  await expectTogether(
    () =>
      withIdempotency(context, key, {
        prepared: { commit: async () => 'made' },
        render: (body) => ({ status: 201, body }),
      }),
    () => repeatFirstResponse(context, key),
  );
  expect(await repeatFirstResponse(context, key)).toMatchObject({ status: 201, body: 'made' });
});

test('security: the claim that a post has made is told again once it is on disk', async () => {
  const { store } = subject;
  const gig = await seedGig(store, { live: true });
  await seedTips(store, gig, [ALICE]);
  const context = {
    store,
    clock: () => SEEDED_AT,
    platforms: new Map(),
    wallets: createWallets(MNEMONIC),
    newId: () => 'claim',
    wakePayments: () => undefined,
  };
  const asked = { text: 'claim my rewards', postedAt: SEEDED_AT, retry: true };
  const post = { ...ALICE, ...asked, postId: '0xc1', source: 'url' } as const;
  await expectTogether(
    () => seedClaim(store, sampleClaim(ALICE, post.postId)),
    () => claimRewards(context, post),
  );
});
