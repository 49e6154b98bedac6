import type { Client } from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createGigIds } from '../../../src/store/postgres/gig-ids.ts';
import { createPostgresSql } from '../../../src/store/postgres/sql.ts';
import { lockStatements } from '../../../src/store/postgres/transactions/locks.ts';
import { subjectsOf } from '../../../src/store/sql/noun.ts';
import { createNouns } from '../../../src/store/sql/nouns.ts';
import { byGigs, KINDS, MOST_SUBJECTS, type Subjects } from '../../../src/store/sql/subjects.ts';
import { openTestDatabase, type TestDatabase } from '../../support/postgres.ts';
import { sampleAttempt, sampleMention, seedAddress } from '../../support/store.ts';
import { mention, payment, seedLedger } from './ledger.ts';

const ALICE = { platform: 'farcaster', platformUserId: '1001' };
const TIP = { tokenId: 1, amount: 5n, userAddress: null, ...ALICE };

const FEE = { kind: 'fee', chainId: 8453, gigId: 7, claimId: null, tokenId: 1, amount: 5n } as const;
const NEW_PAYMENT = { ...FEE, recipient: seedAddress(9) };

const EVENT = {
  at: 1,
  actor: 'job',
  actorName: 'ids',
  apiKeyId: null,
  client: null,
  requestId: null,
  action: 'ids.skip',
  subject: 'store',
  subjectId: 'ids',
  gigId: null,
  detail: '{}',
} as const;

const sql = createPostgresSql(() => {
  throw new TypeError('nothing is run');
});
const nounSql = {
  ...sql,
  gigIds: createGigIds(sql),
  beforeNumbers: async () => undefined,
  rest: async () => undefined,
};
const { reads, writes } = createNouns(nounSql);
const tx = { ...reads, ...writes };

function locks<Args extends readonly unknown[]>(method: (...args: Args) => unknown, ...args: Args): Subjects {
  return subjectsOf(method, args);
}

describe('the subjects of a method', () => {
  test('behavior: name what its transaction decides about', () => {
    const window = { platform: 'farcaster' };
    const named: [Subjects, string][] = [
      [locks(tx.findIdempotentResponse, 'client:a POST /api/gigs', 'k'), 'key:client:a POST /api/gigs k'],
      [locks(tx.claimByPost, 'farcaster', '0xab'), 'post:farcaster:0xab'],
      [locks(tx.paymentsOfClaim, 3), 'claim:3'],
      [locks(tx.countRepliesSent, 'x', { since: 1, until: 2 }), 'budget:x'],
      [locks(tx.gig, 7), 'gig:7'],
      [locks(tx.planPayment, NEW_PAYMENT, { now: 1, tipIds: [] }), 'gig:7'],
      [locks(tx.insertMention, sampleMention(), { now: 1, source: 'poll' }), 'author:farcaster:1001'],
      [locks(tx.replyWindow, { ...window, authorId: '1001' }, { since: 1 }), 'author:farcaster:1001'],
      [locks(tx.replyWindow, { ...window, threadId: '0xcd' }, { since: 1 }), 'thread:farcaster:0xcd'],
      [locks(tx.chainAnchor, 8453), 'chain:8453'],
    ];
    for (const [subjects, name] of named) expect(subjects).toEqual([name]);
  });

  test('behavior: are none where a condition of its own decides, or nothing does', () => {
    expect(locks(tx.markAnswered, 1, 'lease')).toEqual([]);
    expect(locks(tx.gigs, { phase: 'all', now: 1, limit: 1 })).toEqual([]);
    expect(locks(tx.insertAuditEvent, EVENT)).toEqual([]);
  });

  test('behavior: of payments that are confirmed together are their gigs, locked by one statement', () => {
    const made = { recipient: seedAddress(1), numbers: [1n], hash: '0x01', blockNumber: 1n, gasUsed: 1n } as const;
    const ids = [9, 4];
    const all = ids.map((id) => ({ ...made, id }));
    expect(locks(tx.confirmPayments, all, 1)).toEqual([{ rows: 'gigsOfPayments', ids }]);
    expect(locks(tx.confirmPayments, [], 1)).toEqual([]);
  });

  test('behavior: come in one order, whatever order the arguments have', () => {
    const tips = [10, 9, 10, 2].map((gigId) => ({ ...TIP, gigId }));
    expect(locks(tx.insertTips, tips, 1)).toEqual(['gig:2', 'gig:9', 'gig:10']);
    expect(locks(tx.gasOfGigs, [10, 9, 10, 2])).toEqual(['gig:2', 'gig:9', 'gig:10']);
  });

  test('behavior: are read from a row that the method knows by its id alone, before those of later kinds', () => {
    expect(locks(tx.voidTip, 5, { reason: 'wrong', now: 1 })).toEqual([{ rows: 'gigsOfTips', ids: [5] }]);
    const payments = [4, 3].map((id) => ({ id, numbers: [0n], gas: 1n }));
    const sent = locks(
      tx.insertTankTransaction,
      { chainId: 8453, nonce: 0, attempt: sampleAttempt(1) },
      { payments, now: 1 },
    );
    expect(sent).toEqual([{ rows: 'gigsOfPayments', ids: [4, 3] }, 'chain:8453']);
  });

  test('error: of one method are at most 256', () => {
    const gigs = (count: number) => Array.from({ length: count }, (_, gigId) => ({ gigId }));
    expect(byGigs(gigs(MOST_SUBJECTS))).toHaveLength(256);
    expect(() => byGigs(gigs(MOST_SUBJECTS + 1))).toThrow(new TypeError('a method locks 257 subjects at once'));
  });
});

describe('the statements that lock', () => {
  let database: TestDatabase;
  let client: Client;

  beforeAll(async () => {
    database = await openTestDatabase();
    client = database.client;
    await seedLedger(client);
    for (const statement of [
      payment('mark', 2, { amount: 0, id: 41 }),
      payment('mark', 1, { amount: 0, id: 42 }),
      `insert into verifier_batches (id, gig_id, candidates, tries, next_at, made_at, state)
        values ('asked', 3, '[7]', 1, 1, 1, 'open')`,
      mention('m', 7),
    ])
      await client.query(statement);
  });
  afterAll(() => database.close());
  beforeEach(() => client.query('begin'));
  afterEach(() => client.query('rollback'));

  /** The keys that the transaction has locked. */
  async function held(): Promise<string[]> {
    const { rows } = await client.query<{ key: string }>(
      `select ((classid::bigint << 32) | objid::bigint)::text as key from pg_locks
        where locktype = 'advisory' and pid = pg_backend_pid() order by 1`,
    );
    return rows.map(({ key }) => key);
  }

  async function lock(subjects: Subjects): Promise<string[]> {
    for (const { text, values } of lockStatements(subjects)) await client.query(text, [...values]);
    return await held();
  }

  async function keysOf(subjects: readonly string[]): Promise<string[]> {
    const { rows } = await client.query<{ key: string }>(
      'select hashtextextended(subject, 0)::text as key from unnest($1::text[]) as named (subject) order by 1',
      [subjects],
    );
    return rows.map(({ key }) => key);
  }

  test.each<[string, Subjects, readonly string[]]>([
    ['subjects', ['gig:2', 'gig:9', 'chain:8453'], ['gig:2', 'gig:9', 'chain:8453']],
    ['the gig of a tip', locks(tx.voidTip, 1, { reason: 'wrong', now: 1 }), ['gig:1']],
    ['the gig of a batch', locks(tx.tryBatch, 'asked', { nextAt: 1 }), ['gig:3']],
    ['the author of a mention', locks(tx.repliesTo, 1), ['author:farcaster:7']],
    [
      'the author and the thread of a mention',
      locks(tx.queueReply, { mentionId: 1, kind: 'answer', text: 'hi' }, 1),
      ['author:farcaster:7', 'thread:farcaster:t'],
    ],
    ['nothing where there is no such row', locks(tx.voidTip, 99, { reason: 'wrong', now: 1 }), []],
    ['nothing', locks(tx.markSent, 1, { lease: 'l', postId: 'p', now: 1 }), []],
  ])('behavior: lock %s', async (_what, subjects, expected) => {
    expect(await lock(subjects)).toEqual(await keysOf(expected));
  });

  test('behavior: lock the gigs of several payments in the order of their ids, and the chain after them', async () => {
    const payments = [41, 42].map((id) => ({ id, numbers: [0n], gas: 1n }));
    const transaction = { chainId: 8453, nonce: 0, attempt: sampleAttempt(1) };
    const subjects = locks(tx.insertTankTransaction, transaction, { payments, now: 1 });
    const texts = lockStatements(subjects).map(({ name }) => name);
    expect(texts).toEqual(['lock gigsOfPayments', 'lock subjects']);
    expect(await lock(subjects)).toEqual(await keysOf(['gig:1', 'gig:2', 'chain:8453']));
    const [first] = lockStatements(subjects);
    const read = first?.text.slice(first.text.indexOf('(select') + 1, first.text.lastIndexOf(')')) ?? '';
    const { rows } = await client.query<{ subject: string }>(read, [[41, 42]]);
    expect(rows.map(({ subject }) => subject)).toEqual(['gig:1', 'gig:2']);
  });

  test('behavior: name kinds in the order in which a transaction takes them', () => {
    expect(KINDS).toEqual(['key', 'client', 'post', 'claim', 'budget', 'gig', 'author', 'thread', 'chain', 'lease']);
  });
});

test('behavior: nouns that are made when they are needed have the same methods with the same locks', async () => {
  const late = createNouns(nounSql, { isLate: true });
  expect(Object.keys(late.reads)).toEqual(Object.keys(reads));
  expect(Object.keys(late.writes)).toEqual(Object.keys(writes));
  expect(locks(late.reads.draw, 7)).toEqual(['gig:7']);
  expect(locks(late.writes.closeDraw, 8, 1)).toEqual(['gig:8']);
  await expect(late.reads.draw(7)).rejects.toThrow(new TypeError('nothing is run'));
});
