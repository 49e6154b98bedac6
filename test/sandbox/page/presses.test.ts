import { expect, test } from 'vitest';
import { caughtUp, owned, paidNow, paidOut, pressedTwice, received, refunded } from '../../../sandbox/page/outcomes.ts';
import { type GigRecord, postKey, type Records } from '../../../sandbox/page/records.ts';
import type { World } from '../../../sandbox/page/stage.ts';
import { createStory, describeChanges } from '../../../sandbox/page/story.ts';
import { holdingKey } from '../../../sandbox/page/watcher.ts';
import { person } from '../../../sandbox/people.ts';
import type { MentionRecord } from '../../../src/domain/mentions/mention.ts';
import type { Payment } from '../../../src/domain/payments/payment.ts';
import { seedAddress, seedHash } from '../../support/store.ts';
import { sampleWorld } from './world.ts';

const CLAIM_POST = '7';
const ALICE = person('alice');
const DEGEN = {
  id: 1,
  chainId: 31337,
  address: seedAddress(0xde),
  name: 'Degen',
  symbol: 'DEGEN',
  decimals: 18,
  imageUrl: '',
  coingeckoId: null,
  isNative: false,
  createdAt: 0,
};

// Of a gig only its state is looked at.
const LIVE = [1, 2, 3, 4].map(
  (id) => [id, { id, status: 'live', frozen: null, target: null } as unknown as GigRecord] as const,
);

/** A confirmed payout of alice's claim from a gig, in this transaction. */
function payout(gigId: number, hash: `0x${string}`): Payment {
  return {
    id: gigId,
    kind: 'payout',
    chainId: 31337,
    gigId,
    wallet: seedAddress(gigId),
    claimId: 1,
    token: DEGEN,
    recipient: seedAddress(0xa11ce),
    amount: 10n ** 18n,
    state: 'confirmed',
    reason: null,
    transactionId: 1,
    hash,
    blockNumber: 41n,
    gasUsed: 30_000n,
    gasReserved: 0n,
    place: null,
    failures: 0,
    dueAt: 0,
    createdAt: 0,
    updatedAt: 0,
  };
}

/** What was paid, when the chain has answered. */
function mustKnow<T>(found: T | null): T {
  if (found === null) throw new Error('the chain has not answered');
  return found;
}

function recordsOf(payments: readonly Payment[]): Records {
  const { platform, platformUserId } = { platform: 'farcaster', platformUserId: String(ALICE.fid) } as const;
  const account = { platform, platformUserId, recipient: seedAddress(0xa11ce) };
  const claim = { id: 1, publicId: 'c', postId: CLAIM_POST, source: 'mention', createdAt: 0, ...account } as const;
  return {
    mentions: new Map(),
    replies: new Map(),
    claims: new Map([[1, claim]]),
    payments: new Map(payments.map((payment) => [payment.id, payment])),
    gigs: new Map(LIVE),
    claimable: new Map(),
  };
}

function worldOf(payments: readonly Payment[], held: bigint): World {
  const records = recordsOf(payments);
  const by = (username: string) => ({ id: '1', username, verifiedAddresses: [] });
  const shared = { threadId: CLAIM_POST, versions: [], quotes: null, createdAt: 0, url: '' };
  const mine = { ...shared, id: CLAIM_POST, author: by('alice'), text: 'claim my rewards', replyTo: null };
  const answer = { ...shared, id: '8', author: by('gigclaim'), text: 'Paid.', replyTo: CLAIM_POST };
  // Of a mention only its state is looked at.
  const mention = { state: 'answered', ignoreReason: null } as unknown as MentionRecord;
  return sampleWorld({
    records: { ...records, mentions: new Map([[postKey('farcaster', CLAIM_POST), mention]]) },
    holdings: { block: 41n, amounts: new Map([[holdingKey(ALICE.address, DEGEN), held]]) },
    posts: { farcaster: [mine, answer], x: [] },
  });
}

const CLAIM = { network: 'farcaster', postId: CLAIM_POST } as const;

test('behavior: payouts of several gigs that share a transaction are told as one', () => {
  const hash = seedHash(1);
  const together = [payout(1, hash), payout(2, hash), payout(3, hash)];
  expect(paidOut(worldOf(together, 3n), 'alice', CLAIM)?.text).toBe(
    `alice was paid 1 DEGEN, 1 DEGEN, 1 DEGEN: 3 gigs, one transaction (${hash.slice(0, 6)}…${hash.slice(-4)}).`,
  );
  expect(paidOut(worldOf([payout(1, hash), payout(2, seedHash(2))], 2n), 'alice', CLAIM)?.text).toBe(
    'alice was paid 1 DEGEN, 1 DEGEN.',
  );
  const lines = describeChanges(recordsOf([]), recordsOf(together)).map(({ text }) => text);
  expect(lines).toContain(`One transaction, ${hash.slice(0, 6)}…${hash.slice(-4)}: 3 payments of 3 gigs.`);
  expect(describeChanges(recordsOf(together), recordsOf(together))).toEqual([]);
  const found = { ...payout(4, hash), transactionId: null };
  const told = describeChanges(recordsOf([]), recordsOf([found])).map(({ text }) => text);
  expect(told).toContain('Payment 4: planned → found on the chain, in block 41.');
});

test('behavior: a refund is told with its transaction, and with what was still claimed after it', () => {
  const outcome = (world: World) => refunded(world, 1, 'alice', CLAIM);
  const eight = { kind: 'refund', claimId: null, amount: 8n * 10n ** 18n } as const;
  const refund: Payment = { ...payout(9, seedHash(2)), gigId: 1, ...eight };
  const paid = payout(1, seedHash(1));
  const hash = `${seedHash(2).slice(0, 6)}…${seedHash(2).slice(-4)}`;
  expect(outcome(worldOf([refund, paid], 1n))).toEqual({
    text: `gig 1 returned 8 DEGEN to the funder’s wallet (${hash}); after that alice was paid 1 DEGEN.`,
    asMeant: true,
  });
  expect(outcome(worldOf([refund, { ...paid, state: 'sent' }], 1n))).toBe(null);
  expect(outcome({ ...worldOf([refund], 1n), posts: { farcaster: [], x: [] } })?.asMeant).toBe(false);
  expect(outcome(worldOf([refund, { ...paid, state: 'failed' }], 1n))).toEqual({
    text: 'gig 1 did not make both payments.',
    asMeant: false,
  });
});

test('behavior: an older database is told of once the ledger has its payouts again', () => {
  const paid = [payout(1, seedHash(1)), payout(2, seedHash(1))];
  const before = mustKnow(paidNow(worldOf(paid, 2n)));
  expect(caughtUp(worldOf([], 2n), before)).toBe(null);
  expect(caughtUp(worldOf(paid.slice(1), 2n), before)).toBe(null);
  expect(caughtUp({ ...worldOf(paid, 2n), service: { state: 'restarting', pids: [1], paused: [] } }, before)).toBe(
    null,
  );
  expect(caughtUp(worldOf(paid, 2n), before)).toEqual({
    text: 'The ledger has its 2 payouts again, from the chain. Nobody was paid twice: all balances are the same.',
    asMeant: true,
  });
});

test('behavior: payouts of gigs that the older database has not started are not waited for', () => {
  const paid = [payout(1, seedHash(1)), payout(2, seedHash(1))];
  const before = mustKnow(paidNow(worldOf(paid, 2n)));
  const world = worldOf(paid.slice(0, 1), 2n);
  const older = { ...world, records: { ...world.records, gigs: new Map(LIVE.slice(0, 1)) } };
  expect(caughtUp(older, before)).toEqual({
    text:
      'The ledger has its 1 payout again, from the chain (1 more of gigs that were started after the copy). ' +
      'Nobody was paid twice: all balances are the same.',
    asMeant: true,
  });
});

test('behavior: what happened is told with its own time, in the order of the times', () => {
  const story = createStory({ clock: () => 50, changed: () => undefined });
  story.tell({ scene: 'You', text: 'late', at: 40 });
  const paid = { ...payout(1, seedHash(1)), createdAt: 10, updatedAt: 20 };
  for (const line of describeChanges(recordsOf([]), recordsOf([paid]))) story.tell(line);
  story.tell({ scene: 'You', text: 'now' });
  expect(story.lines().map(({ at, text }) => [at, text.replace(/:.*/, '')])).toEqual([
    [50, 'now'],
    [40, 'late'],
    [20, 'Payment 1'],
    [10, 'Payment 1'],
  ]);
});

test('error: a balance that has changed is told, whatever the ledger says', () => {
  const paid = [payout(1, seedHash(1))];
  const before = mustKnow(paidNow(worldOf(paid, 1n)));
  expect(caughtUp(worldOf(paid, 2n), before)?.asMeant).toBe(false);
  expect(paidNow({ ...worldOf(paid, 1n), holdings: null })).toBe(null);
});

test('behavior: a receiver that was down has all events once they have arrived, and in their order', () => {
  const events = ['evt_1', 'evt_2'];
  const outcome = (...ids: string[]) => {
    const arrivals = ids.map((id, index) => ({ id, type: 'gig.created', seq: index, gigId: 8 }));
    return received({ ...worldOf([], 1n), reception: { isUp: true, arrivals } }, 8, events, 15_000);
  };
  expect(outcome('evt_0', 'evt_1')).toBe(null);
  expect(outcome('evt_1', 'evt_0', 'evt_2')).toEqual({
    text: 'the receiver was down for 15 s, and got 2 of 2 events of gig 8, in order.',
    asMeant: true,
  });
  expect(outcome('evt_2', 'evt_1')).toEqual({
    text: 'the receiver was down for 15 s, and got 2 of 2 events of gig 8, not in order.',
    asMeant: false,
  });
});

test('behavior: an owner’s gig is told once it is live and awarded from', () => {
  const gig = (status: string, awardedAmount: bigint) => {
    const token = { ...DEGEN, symbol: 'ETH' };
    const records = { ...recordsOf([]), gigs: new Map([[1, { id: 1, status, awardedAmount, token }]]) };
    return owned({ ...worldOf([], 1n), records: records as unknown as Records }, 'bob', 1);
  };
  expect(gig('created', 0n)).toBe(null);
  expect(gig('live', 0n)).toBe(null);
  expect(gig('live', 3n * 10n ** 17n)).toEqual({
    text: 'bob paid gig 1 from the wallet, and it started within a minute. The list awarded 0.3 ETH to two accounts; the wrong line was skipped.',
    asMeant: true,
  });
  expect(gig('live', 5n * 10n ** 18n)?.asMeant).toBe(false);
});

test('behavior: a claim by button is told with all that it paid, once', () => {
  const world = (payments: readonly Payment[], source: 'page' | 'mention' = 'page') => {
    const records = recordsOf(payments);
    const claims = new Map([...records.claims].map(([id, claim]) => [id, { ...claim, source }]));
    return { ...worldOf(payments, 1n), records: { ...records, claims } };
  };
  const [paid, other] = [payout(1, seedHash(1)), payout(2, seedHash(1))];
  expect(pressedTwice(world([]), 'alice', 1)).toBe(null);
  expect(pressedTwice(world([{ ...paid, state: 'sent' }]), 'alice', 1)).toBe(null);
  expect(pressedTwice(world([paid, other]), 'alice', 1)).toEqual({
    text: 'alice was paid 1 DEGEN, 1 DEGEN by the button, without a post. The second click paid nothing more.',
    asMeant: true,
  });
  const text = 'alice was paid by 2 payments of gig 1, the first for a claim by page.';
  const twice = pressedTwice(world([paid, { ...paid, id: 9, claimId: 2 }]), 'alice', 1);
  expect(twice).toEqual({ text, asMeant: false });
  expect(pressedTwice(world([paid], 'mention'), 'alice', 1)?.asMeant).toBe(false);
  expect(pressedTwice(world([{ ...paid, state: 'failed' }]), 'alice', 1)?.asMeant).toBe(false);
});
