import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { OTHER_NUMBERS } from '../../../src/domain/gigs/tip.ts';
import { CHANGEABLE } from '../../support/live-gig.ts';
import { openTestDatabase, type TestDatabase } from '../../support/postgres.ts';
import { seedAddress } from '../../support/store.ts';
import {
  CLOSE,
  CONSTRAINT,
  DRAW,
  earning,
  expectRefused,
  expectTaken,
  FIX,
  payment,
  type Refusal,
  round,
  seedLedger,
  tip,
  WINNER,
} from './ledger.ts';

let database: TestDatabase;

beforeAll(async () => {
  database = await openTestDatabase();
  await seedLedger(database.client);
});
afterAll(() => database.close());

const LIVE = 'a live gig cannot be changed';
const CANCELLED = 'a cancelled gig cannot be changed';
const RULES = 'the earning rules of a live gig cannot be changed';
const KEPT = 'a tip keeps its number';
const AWARDED = 'an awarded earning cannot be';
const NO_AWARD = 'an award is a tip of its gig to its account';
const MEMBER = 'a member of a divided round';
const FORWARD = 'a draw goes forward only, and keeps what is set';
const HEADLESS = 'a draw is fixed with its places and a block a minute later';
const BATCH = 'a batch keeps what it asks';
const DECIDED = 'where a refund goes is decided already';
const UNEARNED = 'nobody earns from a settled gig';
const UNDIVIDED = 'nobody enters a round that is divided';
const ORDER = 'a round is divided after the one before it is over';
const RESERVES = 'a gig reserves what its divided round does';
const CLOSED = 'nobody enters or leaves a draw that is closed';
const SENT = 'a tip of a payment that is sent stays as it is';

async function columnsOf(table: string): Promise<string[]> {
  const { rows } = await database.client.query<{ name: string }>(
    'select column_name as name from information_schema.columns where table_name = $1',
    [table],
  );
  return rows.map(({ name }) => name);
}

const ofGig = (gig: number, account: number) => `where gig_id = ${gig} and platform_user_id = '${account}'`;
const eligible = (gig: number, account: number) => `update earnings set state = 'eligible' ${ofGig(gig, account)}`;
const refuse = (reason: string, where: string) =>
  `update earnings set state = 'refused', reason = '${reason}' ${where}`;
const setGig = (gig: number, change: string) => `update gigs set ${change} where id = ${gig}`;
const GO_LIVE = setGig(2, "status = 'live', production = true");
/** Round 1 of gig 6 is divided. */
const DIVIDED = [round(6), 'update gigs set reserved_amount = 12 where id = 6'];
/** The draw of gig 5 is made: round 1 is divided, and account 1 has won. */
const PART = `update earnings set round = 1, weight = 1 ${ofGig(5, 1)}`;
const DRAWN = [CLOSE, FIX, PART, round(5), WINNER, DRAW];

const REFUSALS: Record<string, readonly Refusal[]> = {
  'a live gig': [
    ["update gigs set status = 'created', production = false where id = 1", LIVE],
    ['delete from gigs where id = 1', 'a live gig cannot be deleted'],
    [`insert into gigs select (jsonb_populate_record(g, '{"id": 77}')).* from gigs g where id = 1`, 'gigs_by_wallet'],
    [`insert into gigs select (g).* from gigs g where id = 1 on conflict (id) do update set reward_amount = 1`, LIVE],
    ["update gigs set client = 'other' where id = 1", 'a gig keeps its client', "update gigs set client = 'shop'"],
    ['update gigs set client = null where id = 2', 'a gig keeps its client', "update gigs set client = 'shop'"],
    ['update gigs set created_by = null where id = 2', 'a gig keeps its creator'],
    ['update gigs set created_block = 7 where id = 1', 'a gig keeps the block of its creation'],
    ['update gigs set next_tip_number = 3 where id = 1', 'a gig never gives the number of a tip again'],
    ['update gigs set next_tip_number = null where id = 1', CONSTRAINT],
  ],
  'what became of a gig': [
    ['update gigs set settled_at = null where id = 4', 'a settled gig stays settled'],
    ['update gigs set settled_at = 10 where id = 4', 'a settled gig stays settled'],
    ['update gigs set stopped_at = 1 where id = 4', 'a settled gig is not stopped'],
    ['update gigs set settled_at = 10 where id = 1', 'a gig with undecided accounts cannot be settled'],
    [earning(4, 5), UNEARNED],
    [`update earnings set state = 'held', reason = null ${ofGig(4, 4)}`, UNEARNED],
    [`update earnings set state = 'eligible', reason = null ${ofGig(4, 4)}`, UNEARNED],
    [setGig(1, 'stopped_at = 6'), 'a stop stays as it is', setGig(1, 'stopped_at = 5')],
    [setGig(4, 'refunded_at = 6'), 'a refund is planned once', setGig(4, 'refunded_at = 5')],
    ['delete from gigs where id = 3', 'a cancelled gig cannot be deleted'],
    ['update gigs set cancelled_at = null where id = 3', CANCELLED],
    ['update gigs set award_days = 3 where id = 3', CANCELLED],
    ["update gigs set start_lock_holder = 'start', start_lock_until = 5 where id = 3", CANCELLED],
    [`update gigs set refund_to = '${seedAddress(8)}' where id = 4`, DECIDED],
    [setGig(1, `refund_to = '${seedAddress(8)}'`), DECIDED, setGig(1, 'refunded_at = 5')],
    ['update gigs set stopped_at = 1 where id = 3', CONSTRAINT],
    ['update gigs set refunded_at = 1 where id = 3', CONSTRAINT],
    ['update gigs set cancelled_at = 1 where id = 1', CONSTRAINT],
  ],
  'the numbers of tips': [
    [tip(9, { gigId: 4, number: 0, account: 1 }), 'a settled gig awards nothing'],
    [tip(9, { gigId: 1, number: 4, account: 1 }), 'a tip takes its number from its gig'],
    [tip(9, { gigId: 6, number: 0, account: 1 }), 'a tip takes its number from its gig'],
    [tip(9, { gigId: 1, number: 2, account: 1 }), 'tips_by_number'],
    [tip(9, { gigId: 1, number: -1, account: 1 }), 'tips_number'],
    ...['3', '-1', 'number + 1', `${OTHER_NUMBERS - 1}`].map(
      (value): Refusal => [`update tips set number = ${value} where id = 1`, KEPT],
    ),
    [`update tips set gig_id = 6, number = ${OTHER_NUMBERS} where id = 1`, KEPT],
    ...["is_void = true, voided_at = 1, void_reason = 'x'", "tx_hash = 'x'"].map((change): Refusal => {
      return [`update tips set number = ${OTHER_NUMBERS} where id = 1`, KEPT, `update tips set ${change} where id = 1`];
    }),
    [`update tips set number = ${OTHER_NUMBERS} where id = 3`, SENT],
    ['update tips set payment_id = null where id = 3', SENT],
    ['delete from tips where id = 1', CONSTRAINT],
  ],
  payments: [
    ['delete from payments where id = 1', 'a payment that is made cannot be deleted'],
    ['delete from payments where id = 2', 'a payment that is made cannot be deleted'],
    ["update tank_attempts set raw = '0x02'", 'signed bytes cannot be changed'],
    [payment('refund', 4), 'a refund is planned for a settled gig'],
    [payment('refund', 1), 'a refund is planned for a settled gig', 'update gigs set refunded_at = 7 where id = 1'],
    [payment('refund', 4), 'payments_one_refund', 'update gigs set refunded_at = 7 where id = 4', payment('refund', 4)],
    [payment('return', 1, { place: 0 }), 'payments_one_return', payment('return', 1, { place: 0 })],
    [payment('fee', 1), 'payments_one_fee'],
  ],
  'awarded earnings and decisions': [
    [`delete from earnings ${ofGig(1, 1)}`, `${AWARDED} deleted`],
    [`update earnings set state = 'awarded', tip_id = 1, amount = 5 ${ofGig(1, 2)}`, NO_AWARD],
    [`update earnings set state = 'awarded', tip_id = 2, amount = 6 ${ofGig(1, 2)}`, NO_AWARD],
    [`update earnings set state = 'awarded', tip_id = 2, amount = 5 ${ofGig(1, 3)}`, NO_AWARD],
    [earning(1, 8, { state: "'awarded'", tip_id: 2, amount: 5 }), 'an earning begins without an award'],
    [`update earnings set gig_id = gig_id ${ofGig(1, 2)}`, 'an earning keeps its gig and its account'],
    ['delete from evaluations', 'an evaluation cannot be deleted'],
    ['delete from audit_events', 'an audit event cannot be deleted'],
    ['insert into audit_events select * from audit_events', 'audit_events_pkey'],
  ],
  'the rules of a live gig': [
    ['update earning_rules set gig_id = 1', RULES],
    [
      'insert into earning_rules select 1, given, rules, target_kind, target_id, target_author from earning_rules',
      RULES,
    ],
    ...['given', 'rules', 'target_kind', 'target_id', 'target_author', 'gig_id'].map(
      (column): Refusal => [`update earning_rules set ${column} = ${column}`, RULES, GO_LIVE],
    ),
    ['delete from earning_rules', RULES, GO_LIVE],
  ],
  rounds: [
    [round(6).replace('(6, 1', '(6, 2'), ORDER],
    [round(6).replace("'divided'", "'over'"), ORDER],
    [round(6), ORDER, ...DIVIDED],
    ...['gig_id = 2', 'number = 2', 'pool = 13', 'total = 13', 'members = 3', 'divided_at = 2'].map(
      (change): Refusal => [`update rounds set ${change}`, 'a divided round cannot be changed', ...DIVIDED],
    ),
    ['update rounds set reserved = 13', 'a divided round reserves no more', ...DIVIDED],
    ["update rounds set state = 'over'", 'a round is over when no member waits', ...DIVIDED],
    ['delete from rounds', 'a divided round cannot be deleted', ...DIVIDED],
    ...[11, 13, 101].map((reserved): Refusal => [setGig(6, `reserved_amount = ${reserved}`), RESERVES, ...DIVIDED]),
    [`update earnings set round = 1 ${ofGig(6, 3)}`, UNDIVIDED, ...DIVIDED],
    [`update earnings set state = 'eligible', round = 1, weight = 1 ${ofGig(6, 4)}`, UNDIVIDED, ...DIVIDED],
    ...[
      'round = 2',
      'weight = 6',
      'round = null, weight = null',
      "state = 'held'",
      "state = 'refused', reason = 'blocked'",
      "state = 'refused', reason = 'share_too_small', round = 2",
    ].map((change): Refusal => [`update earnings set ${change} ${ofGig(6, 1)}`, `${MEMBER} keeps`, ...DIVIDED]),
    [`delete from earnings ${ofGig(6, 1)}`, `${MEMBER} cannot be deleted`, ...DIVIDED],
    [earning(6, 8, { state: "'eligible'", round: 1, weight: 5 }), 'an earning begins outside of rounds'],
    [
      `update earnings set state = 'awarded', tip_id = 20, amount = 5 ${ofGig(6, 1)}`,
      'a share is awarded after its round is divided',
      'update gigs set next_tip_number = 1 where id = 6',
      tip(20, { gigId: 6, number: 0, account: 1 }),
    ],
    [round(6).replace('12, 12, 2, 12', '10, 12, 2, 12'), 'rounds_reserved_of_pool'],
    [setGig(6, 'reserved_amount = 5'), RESERVES],
  ],
  draws: [
    [
      "insert into draws (gig_id, secret, commitment, state, closed_at) select 6, secret, commitment, 'closed', 1 from draws",
      'a draw begins open',
    ],
    ["update draws set commitment = repeat('cd', 32)", FORWARD],
    [FIX, FORWARD],
    ["update draws set root = repeat('cd', 32)", FORWARD, CLOSE, FIX],
    ["update draws set state = 'closed'", FORWARD, CLOSE, FIX],
    ["update draws set state = 'drawn', root_version = 1", FORWARD, CLOSE, FIX],
    [FIX.replace('root_version = 2', 'root_version = 1'), HEADLESS, CLOSE],
    [FIX.replace('60010', '60009'), HEADLESS, CLOSE],
    ["update draws set seed = repeat('cd', 32)", FORWARD, ...DRAWN],
    ['delete from draws', 'a draw cannot be deleted'],
    [CLOSE, 'a draw is closed when nobody is held', earning(5, 6)],
    [DRAW, 'a draw divides what is left', CLOSE, FIX],
    [WINNER, 'winners come with their draw', CLOSE],
    [WINNER.replace('(5, 1', '(5, 2'), 'winners come with their draw', ...DRAWN],
    ['update draw_winners set place = 2', 'a winner cannot be changed', ...DRAWN],
    ['delete from draw_winners', 'a winner cannot be deleted', ...DRAWN],
    [eligible(5, 6), CLOSED, CLOSE, earning(5, 6)],
    [refuse('not_drawn', ofGig(5, 6)), CLOSED, CLOSE, earning(5, 6)],
    [earning(5, 6, { state: "'eligible'" }), 'nobody enters a draw that is closed', CLOSE],
    ...["state = 'held'", "state = 'refused', reason = 'withdrawn'", 'round = 1, weight = 1'].map((change): Refusal => {
      return [`update earnings set ${change} ${ofGig(5, 1)}`, 'an entrant of a draw stays until the draw', CLOSE];
    }),
    [`delete from earnings ${ofGig(5, 1)}`, 'an entrant of a draw cannot be deleted', CLOSE],
  ],
  batches: [
    ...["id = 'x'", 'gig_id = 2', "candidates = '[2]'", 'made_at = 2', 'tries = 0'].map(
      (change): Refusal => [`update verifier_batches set ${change}`, BATCH],
    ),
    [
      "update verifier_batches set answer = '[1]'",
      BATCH,
      "update verifier_batches set state = 'answered', answer = '[]', ended_at = 2",
    ],
    ['delete from verifier_batches', 'a batch cannot be deleted'],
    [
      "insert into verifier_batches select 'two', gig_id, 'dropped', candidates, 1, 1, null, 1, 2 from verifier_batches",
      'a batch begins without an answer',
    ],
    [
      "insert into verifier_batches select 'two', gig_id, state, candidates, 1, 1, null, 1, null from verifier_batches",
      'verifier_batches_open',
    ],
  ],
};

describe.for(Object.entries(REFUSALS))('the guards of %s', ([, refusals]) => {
  test.for(refusals)('security: %s', (refusal) => expectRefused(database.client, refusal));
});

describe('guards', () => {
  test('security: a live gig, and a cancelled one, keep every column but those that are no terms', async () => {
    const terms = (await columnsOf('gigs')).filter((name) => !CHANGEABLE.includes(name));
    for (const column of terms) {
      await expectRefused(database.client, [`update gigs set ${column} = ${column} where id = 1`, LIVE]);
    }
    // Gig 3 is cancelled.
    for (const column of [...terms, 'start_lock_holder', 'cancelled_at']) {
      await expectRefused(database.client, [`update gigs set ${column} = ${column} where id = 3`, CANCELLED]);
    }
  });

  test.for([
    ['earnings', ofGig(1, 1), /an awarded earning cannot be changed|an earning keeps its gig and its account/],
    ['evaluations', '', 'an evaluation cannot be changed'],
    ['audit_events', '', 'an audit event cannot be changed'],
  ] as const)('security: a row of %s keeps every column', async ([table, where, message]) => {
    for (const column of await columnsOf(table)) {
      await expectRefused(database.client, [`update ${table} set ${column} = ${column} ${where}`, message]);
    }
  });

  test('security: no table that is guarded can be emptied at once', async () => {
    const { rows } = await database.client.query<{ name: string }>(
      'select distinct event_object_table as name from information_schema.triggers order by name',
    );
    expect(rows).toHaveLength(15);
    for (const { name } of rows) {
      await expectRefused(database.client, [`truncate ${name} cascade`, 'cannot be emptied']);
    }
  });

  test('behavior: what they do not refuse is taken', async () => {
    await expectTaken(database.client, [
      "update gigs set reward_amount = 7, verifier = 'x' where id = 2",
      'delete from earning_rules',
      'delete from gigs where id = 2',
      `update gigs set refund_to = '${seedAddress(8)}' where id = 3`,
      tip(9, { gigId: 1, number: 3, account: 1 }),
      `update tips set number = ${OTHER_NUMBERS} where id = 1`,
      'update tips set number = number, payment_id = payment_id where id = 3',
      "update tips set is_void = true, voided_at = 1, void_reason = 'x' where id = 4",
      `update earnings set state = 'awarded', tip_id = 2, amount = 5 ${ofGig(1, 2)}`,
      'delete from payments where id = 3',
    ]);
    const off = refuse('not_drawn', ofGig(5, 2));
    await expectTaken(database.client, [earning(5, 2, { state: "'eligible'" }), ...DRAWN, off]);
    await expectTaken(database.client, [
      ...DIVIDED,
      refuse('share_too_small', ofGig(6, 2)),
      `update earnings set round = 3, weight = 1 ${ofGig(6, 3)}`,
      'update gigs set next_tip_number = 1 where id = 6',
      tip(20, { gigId: 6, number: 0, account: 1 }),
      `update earnings set state = 'awarded', tip_id = 20, amount = 5 ${ofGig(6, 1)}`,
      "update rounds set state = 'over', reserved = 0 where gig_id = 6",
      'update gigs set reserved_amount = 0 where id = 6',
    ]);
  });
});
