import { beforeAll, describe, expect, test } from 'vitest';
import type { Gig } from '../../../../src/domain/gigs/gig.ts';
import {
  decideAs,
  SAMPLE_FACTS,
  sampleAccount,
  sampleAct,
  seedActs,
  seedGigWithRules,
} from '../../../support/earning.ts';
import { SEEDED_AT, sampleClaim, seedClaim, seedConfirmed, seedHash, seedTips } from '../../../support/store.ts';
import { type ReadDocument, readDocument } from '../../document.ts';
import { open } from '../../pages/scene.ts';
import { service, shareService } from '../../service.ts';

const E18 = 10n ** 18n;
const PAID = { platform: 'farcaster', platformUserId: '1' } as const;
const OWED = { platform: 'farcaster', platformUserId: '2' } as const;
const VOID = { platform: 'farcaster', platformUserId: '3' } as const;

let read: ReadDocument;
let gig: Gig;

/** Of 100 DEGEN account 1 was paid 12.5, account 2 is owed 7, the tip of account 3 is void, and accounts 4 and 5 are refused. */
shareService();
beforeAll(async () => {
  read = await readDocument(service);
  const { store } = service;
  gig = await seedGigWithRules(store);
  await store.transaction((tx) => tx.setUsername({ ...OWED, username: '=cmd|calc' }, SEEDED_AT));
  await seedTips(store, gig, [{ ...PAID, amount: (25n * E18) / 2n }]);
  await seedClaim(store, sampleClaim(PAID, 'paid'));
  await seedConfirmed(store, 1, { hash: seedHash(1), now: SEEDED_AT + 1_000 });
  await seedTips(store, gig, [
    { ...OWED, amount: 7n * E18 },
    { ...VOID, amount: 3n * E18 },
  ]);
  await store.transaction((tx) => tx.voidTip(3, { reason: 'A "bot", sadly', now: SEEDED_AT + 2_000 }));
  await seedActs(
    store,
    gig,
    [4, 5].map((id) => sampleAct(id)),
  );
  await store.transaction(async (tx) => {
    const facts = { ...SAMPLE_FACTS, username: 'mallory', score: 500_000 };
    for (const id of [4, 5]) {
      await decideAs(tx, gig, sampleAccount(id), { to: 'refused', reason: 'score_too_low', facts });
    }
  });
});

const ask = (path: string, key: string | null = service.key) =>
  service.app.request(path, { headers: key === null ? {} : { 'x-api-key': key } });

interface Answer {
  data: { accounts: Record<string, unknown>[] | null; sums: object; adds_up: boolean };
  next_cursor: string | null;
}
const json = async (query = '', key: string | null = service.key) =>
  (await (await ask(`/api/gigs/${gig.id}/report${query}`, key)).json()) as Answer;

describe('the report of a gig', () => {
  test('behavior: tells anyone the sums, and nothing of the accounts', async () => {
    await read.hold('/api/gigs/{id}/report', 'get', ask(`/api/gigs/${gig.id}/report`, null), 200);
    expect(await json('', null)).toEqual({
      data: {
        gig_id: gig.id,
        status: 'ended',
        settled_at: null,
        chain: 'base',
        token: '0x4ed4E862860beD51a9570b96d89aF5E1B0Efefed',
        token_symbol: 'DEGEN',
        wallet_address: '0x0000000000000000000000000000000000000001',
        sums: {
          reward: '100',
          fee: '5',
          awarded: '19.5',
          paid: '12.5',
          pending: '7',
          void: '3',
          refund: '0',
          fee_paid: '0',
          fee_owed: '5',
          left: '80.5',
          beyond: '0',
        },
        usd: null,
        adds_up: true,
        refund: { state: 'open', amount: '80.5', recipient: null, tx_hash: null, due_at: null },
        payments: [],
        gas_used: expect.stringMatching(/^[0-9]+$/),
        accounts: null,
      },
      next_cursor: null,
    });
  });

  test('behavior: tells the client each tip and each refused account, page by page', async () => {
    await read.hold('/api/gigs/{id}/report', 'get', ask(`/api/gigs/${gig.id}/report`), 200);
    const seen: unknown[] = [];
    let query = '?limit=2';
    for (let pages = 0; pages < 3; pages++) {
      const { data, next_cursor } = await json(query);
      seen.push(data.accounts?.map(({ platform_user_id, status }) => [platform_user_id, status]));
      query = `?limit=2&cursor=${next_cursor}`;
      if (pages === 2) expect(next_cursor).toBeNull();
    }
    expect(seen).toEqual([
      [
        ['3', 'void'],
        ['2', 'pending'],
      ],
      [
        ['1', 'paid'],
        ['5', 'refused'],
      ],
      [['4', 'refused']],
    ]);
    const { data } = await json();
    expect(data.accounts?.[2]).toEqual({
      status: 'paid',
      platform: 'farcaster',
      platform_user_id: '1',
      username: null,
      amount: '12.5',
      tip_id: 1,
      tip_number: 0,
      awarded_at: '2026-01-01T00:00:00.000Z',
      recipient: '0x000000000000000000000000000000000000cafE',
      tx_hash: seedHash(1),
      paid_at: '2026-01-01T00:00:01.000Z',
      reason: null,
    });
    expect(data.accounts?.[3]).toMatchObject({
      username: 'mallory',
      amount: null,
      reason: 'Not eligible: the Farcaster score is 0.5; this gig requires 0.55.',
    });
  });

  test.each(['cursor=7', 'cursor=tips-0', 'cursor=refused-x', 'limit=0'])(
    'error: refuses the parameter %s',
    async (query) => {
      expect((await ask(`/api/gigs/${gig.id}/report?${query}`)).status).toBe(400);
    },
  );

  test('security: a key that is not known is refused, not taken for none', async () => {
    expect((await ask(`/api/gigs/${gig.id}/report`, 'gc_unknown')).status).toBe(401);
  });

  test('behavior: comes as CSV, in which nothing is a formula', async () => {
    const response = await ask(`/api/gigs/${gig.id}/report.csv`);
    expect(response.headers.get('content-type')).toBe('text/csv; charset=utf-8; header=present');
    expect(response.headers.get('content-disposition')).toBe(`attachment; filename="gig-${gig.id}-report.csv"`);
    const first = '2026-01-01T00:00:00.000Z';
    const recipient = '0x000000000000000000000000000000000000cafE';
    const why = 'Not eligible: the Farcaster score is 0.5; this gig requires 0.55.';
    expect((await response.text()).split('\r\n')).toEqual([
      'platform,platform_user_id,username,status,amount,token,tip_id,tip_number,awarded_at,recipient,tx_hash,paid_at,reason',
      `farcaster,3,,void,3,DEGEN,3,2,${first},,,,"A ""bot"", sadly"`,
      `farcaster,2,'=cmd|calc,pending,7,DEGEN,2,1,${first},,,,`,
      `farcaster,1,,paid,12.5,DEGEN,1,0,${first},${recipient},${seedHash(1)},2026-01-01T00:00:01.000Z,`,
      `farcaster,5,mallory,refused,,DEGEN,,,,,,,${why}`,
      `farcaster,4,mallory,refused,,DEGEN,,,,,,,${why}`,
      '',
    ]);
  });

  test('behavior: its page tells the sums and the refund, and the page of the gig leads there', async () => {
    const { text } = await open(service, `/gigs/${gig.id}/report`);
    expect(text).toContain(`Statement of gig ${gig.id}`);
    expect(text).toContain('Paid to accounts 12.5 DEGEN');
    expect(text).toContain('Everything adds up, to the smallest unit.');
    expect(text).not.toContain('mallory');
    expect((await open(service, `/gigs/${gig.id}`)).text).toContain('Statement: where the money went');
  });
});

test('behavior: a file of thousands of tips has each of them once', async () => {
  const large = await seedGigWithRules(service.store, { rewardAmount: 10_000n * E18 });
  const tips = Array.from({ length: 2_345 }, (_, index) => ({ platform: 'farcaster', platformUserId: `${index + 1}` }));
  await seedTips(service.store, large, tips);
  const lines = (await (await ask(`/api/gigs/${large.id}/report.csv`)).text()).split('\r\n').slice(1, -1);
  expect(lines).toHaveLength(2_345);
  expect(new Set(lines.map((line) => line.split(',')[1])).size).toBe(2_345);
});
