import { expect, test } from 'vitest';
import { ABSENT_TERMS, type Terms } from '../../../src/domain/gigs/terms.ts';
import { COMMAND_LINE } from '../../../src/domain/operators/actor.ts';
import type { GigContext } from '../../../src/services/gigs/context.ts';
import { prepareGig } from '../../../src/services/gigs/create-gig.ts';
import { carryOut } from '../../../src/services/prepared.ts';
import { isOnPostgres } from '../../support/database.ts';
import { perCase } from '../../support/per-case.ts';
import { seedAddress, seedToken } from '../../support/store.ts';
import { ALICE, BOB } from '../cashier.ts';
import { fault } from '../fakes.ts';
import { createWorld, HOUR } from '../world.ts';

const world = perCase(createWorld);
const wallets = { gigAddress: seedAddress, gasTankAddress: () => seedAddress(0x9a5), contractAddresses: () => [] };

function deps(change: Partial<GigContext> = {}): GigContext {
  const { reading, answering } = world;
  const fixed = { feeBps: 500, earningOnX: true, watchesGigs: false, hasLabels: false };
  return { ...reading, log: answering.log, wallets, ...fixed, ...change };
}

async function terms(): Promise<Terms> {
  const { address: tokenAddress } = await seedToken(world.store);
  const free = { url: null, keyword: null, earningCriteria: { kind: 'absent' }, awardDays: 3 } as const;
  const window = { startTime: world.clock() + HOUR, duration: 24 * HOUR };
  return { ...ABSENT_TERMS, ...free, ...window, chain: 'base', tokenAddress, amount: '100', gigType: 'mention' };
}
const [alice, bob] = [
  { ...ALICE, username: 'alice' },
  { ...BOB, username: null },
];
const prepare = async (change: Partial<GigContext> = {}) =>
  prepareGig(deps(change), { terms: await terms(), owners: [alice, bob, alice], actor: COMMAND_LINE });

test('behavior: a gig has a fresh wallet and its owners, and is recorded with them', async () => {
  const gig = await carryOut(deps(), await prepare());
  expect(gig).toMatchObject({ id: 1, walletAddress: seedAddress(1), createdBlock: 1_234n, status: 'created' });
  expect(gig).toMatchObject({
    rewardAmount: 100n * 10n ** 18n,
    feeAmount: 5n * 10n ** 18n,
    client: null,
    createdBy: null,
  });
  expect(await world.store.gig(1)).toEqual(gig);
  const events = (await world.store.auditEvents({ limit: 9 })).map(({ action, subject, subjectId, gigId, detail }) => {
    return [action, subject, subjectId, gigId, JSON.parse(detail)];
  });
  const amounts = { reward: '100000000000000000000', fee: '5000000000000000000', token: gig.token.address };
  expect(events).toEqual([
    ['owner.add', 'account', 'farcaster:1002', 1, { username: null }],
    ['owner.add', 'account', 'farcaster:1001', 1, { username: 'alice' }],
    ['gig.create', 'gig', '1', 1, amounts],
  ]);
  expect(await world.store.ownsGig(1, ALICE)).toBe(true);
  expect((await world.store.account(ALICE))?.username).toBe('alice');
});

test('behavior: the id of a gig that is not created is given again where one process gives ids', async () => {
  await (await prepare()).abandon?.();
  const silent = { ...world.ledger.chains.reader(8453), ping: () => Promise.reject(fault('timeout', 'safe')) };
  const chains = { ...world.ledger.chains, reader: () => silent };
  await expect(prepare({ chains })).rejects.toMatchObject({ name: 'AdapterError', reason: 'timeout' });
  expect(await carryOut(deps(), await prepare())).toMatchObject({ id: isOnPostgres() ? 3 : 1 });
});

test('error: without wallets no gig is created', async () => {
  await expect(prepare({ wallets: null })).rejects.toMatchObject({ refusal: { code: 'wallets_off' } });
});
