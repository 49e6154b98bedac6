import {
  and,
  count,
  desc,
  eq,
  getTableColumns,
  gte,
  inArray,
  isNotNull,
  lt,
  lte,
  min,
  type SQL,
  sql,
} from 'drizzle-orm';
import { OPEN_STATES, TRANSFER_KINDS, TRANSFER_STATES, type Transfer } from '../../domain/transfer.ts';
import type { Sender } from '../port/index.ts';
import { type Db, prepare, type SyncReads } from '../sqlite/kit.ts';
import { createAccountReads } from './accounts.ts';
import {
  claims,
  TRANSFER_OPEN,
  TRANSFER_PLANNED,
  TRANSFER_SIGNED,
  tips,
  transferAttempts,
  transfers,
} from './tables.ts';
import { TIP_COLUMNS } from './tips.ts';
import { createTokenLookup } from './tokens.ts';

const placeholder = sql.placeholder;

const { transferId: _transfer, ...attemptColumns } = getTableColumns(transferAttempts);
const ofSender = and(eq(transfers.chainId, placeholder('chainId')), eq(transfers.sender, placeholder('sender')));

type Row = typeof transfers.$inferSelect;

/** Builds a transfer from its row, its token and its signed attempts. */
function createCompletion(db: Db): (row: Row) => Transfer {
  const tokenById = createTokenLookup(db);
  const attempts = prepare(
    db,
    db
      .select(attemptColumns)
      .from(transferAttempts)
      .where(eq(transferAttempts.transferId, placeholder('id')))
      // Sorted by rowid, because times repeat and clocks can go back.
      .orderBy(sql`rowid`),
  );
  return ({ tokenId, ...row }) => {
    const token = tokenById(tokenId);
    if (token === undefined) throw new TypeError(`transfer ${row.id} of an unknown token ${tokenId}`);
    return { ...row, token, attempts: attempts.all({ id: row.id }) };
  };
}

/** Finds a transfer by its id, with its token and its attempts, or null. */
export function createTransferLookup(db: Db): (id: number) => Transfer | null {
  const complete = createCompletion(db);
  const byId = prepare(
    db,
    db
      .select()
      .from(transfers)
      .where(eq(transfers.id, placeholder('id'))),
  );
  return (id) => {
    const row = byId.get({ id });
    return row === undefined ? null : complete(row);
  };
}

/** Finds a wallet's open transfer, and its next planned one. */
export function createTurnLookups(db: Db): Record<'open' | 'planned', (sender: Sender) => Row | undefined> {
  const select = () => db.select().from(transfers).$dynamic();
  const open = prepare(db, select().where(and(TRANSFER_OPEN, ofSender)));
  const planned = prepare(db, select().where(and(TRANSFER_PLANNED, ofSender)).orderBy(transfers.id));
  return {
    open: ({ chainId, sender }) => open.get({ chainId, sender }),
    planned: ({ chainId, sender }) => planned.get({ chainId, sender }),
  };
}

/** Lists the wallets in two indices, which together hold only transfers that are not over. */
function createBusySenders(db: Db): SyncReads['busySenders'] {
  const { chainId, sender, id } = transfers;
  const waiting = (condition: SQL) =>
    prepare(
      db,
      db
        .select({ chainId, sender, oldest: sql<number>`${min(id)}` })
        .from(transfers)
        .where(condition)
        .groupBy(chainId, sender),
    );
  const parts = [waiting(TRANSFER_PLANNED), waiting(TRANSFER_OPEN)];
  // One snapshot: another process may move a transfer from one index to the other meanwhile.
  return db.$client.transaction(() => {
    const found = parts.flatMap((part) => part.all()).sort((a, b) => a.oldest - b.oldest);
    const wallets = new Map<string, Sender>();
    for (const { chainId, sender } of found) wallets.set(`${chainId}:${sender}`, { chainId, sender });
    return [...wallets.values()];
  });
}

/**
 * Builds pages from one index, which orders the transfers of each kind and state; those of one gig have their own
 * index.
 */
function createTransferList(db: Db): SyncReads['transfers'] {
  const complete = createCompletion(db);
  const older = lt(transfers.id, placeholder('before'));
  const page = (condition: SQL | undefined) =>
    prepare(db, db.select().from(transfers).where(condition).orderBy(desc(transfers.id)).limit(placeholder('limit')));
  const newest = page(older);
  const part = page(and(eq(transfers.state, placeholder('state')), eq(transfers.kind, placeholder('kind')), older));
  const isOrAny = (column: typeof transfers.state | typeof transfers.kind, name: string) =>
    sql`coalesce(${placeholder(name)}, ${column}) = ${column}`;
  const ofGig = page(
    and(
      eq(transfers.gigId, placeholder('gigId')),
      older,
      isOrAny(transfers.state, 'state'),
      isOrAny(transfers.kind, 'kind'),
    ),
  );
  const find: SyncReads['transfers'] = ({ state, kind, gigId, limit, before = Number.MAX_SAFE_INTEGER }) => {
    if (gigId !== undefined) {
      return ofGig.all({ gigId, limit, before, state: state ?? null, kind: kind ?? null }).map(complete);
    }
    if (state === undefined && kind === undefined) return newest.all({ limit, before }).map(complete);
    const states = state === undefined ? TRANSFER_STATES : [state];
    const kinds = kind === undefined ? TRANSFER_KINDS : [kind];
    const found = states.flatMap((state) => kinds.flatMap((kind) => part.all({ state, kind, limit, before })));
    return found
      .sort((a, b) => b.id - a.id)
      .slice(0, limit)
      .map(complete);
  };
  // One snapshot: otherwise a transfer that another process changes meanwhile would appear in two parts.
  return db.$client.transaction(find);
}

/** Joins account, claims, transfers, so that the cost does not grow with other accounts' failures. */
function createFailedLandings(db: Db): SyncReads['countRevertedPayouts'] {
  const ofAccount = db
    .select({ id: claims.id })
    .from(claims)
    .where(and(eq(claims.platform, placeholder('platform')), eq(claims.platformUserId, placeholder('platformUserId'))));
  const failed = prepare(
    db,
    db
      .select({ n: count() })
      .from(transfers)
      .where(
        and(
          inArray(transfers.claimId, ofAccount),
          eq(transfers.state, 'failed'),
          isNotNull(transfers.hash),
          gte(transfers.updatedAt, placeholder('since')),
          lte(transfers.updatedAt, placeholder('until')),
        ),
      ),
  );
  return ({ platform, platformUserId }, { since, until = Number.MAX_SAFE_INTEGER }) =>
    failed.get({ platform, platformUserId, since, until })?.n ?? 0;
}

function createTipsOfTransfer(db: Db): SyncReads['tipsOfTransfer'] {
  const { account } = createAccountReads(db);
  const paid = prepare(
    db,
    db
      .select(TIP_COLUMNS)
      .from(tips)
      .where(eq(tips.transferId, placeholder('transferId'))),
  );
  return (transferId) => {
    const found = paid.all({ transferId });
    return found
      .map((tip) => ({ ...tip, username: account(tip)?.username ?? null }))
      .sort((a, b) => a.createdAt - b.createdAt || a.id - b.id);
  };
}

/** Ledger checks before each payment of a gig; they do not load its transfers, which may be thousands. */
function createGigLookups(db: Db): Pick<SyncReads, 'awaitsGas' | 'newestBlockOf'> {
  const coming = prepare(
    db,
    db
      .select({ id: transfers.id })
      .from(transfers)
      .where(
        and(
          eq(transfers.kind, 'gas'),
          eq(transfers.state, placeholder('state')),
          sql`+${transfers.gigId} = ${placeholder('gigId')}`,
        ),
      ),
  );
  // The plus and one query per state keep SQLite from scanning all of the gig's transfers.
  const states = ['planned', ...OPEN_STATES];
  // The column is text, as amounts are; a block number fits into an integer.
  const newest = db.$client
    .prepare<[number, number], number | null>(
      `select max(cast(block_number as integer)) from (
         select block_number from transfers where gig_id = ? and block_number is not null
         union all select block_number from gig_transactions where gig_id = ?)`,
    )
    .pluck();
  return {
    newestBlockOf: (gigId) => {
      const block = newest.get(gigId, gigId) ?? null;
      return block === null ? null : BigInt(block);
    },
    awaitsGas: (gigId) => states.some((state) => coming.get({ gigId, state }) !== undefined),
  };
}

type TransferReads = Pick<
  SyncReads,
  | 'transfer'
  | 'transfersOfClaim'
  | 'transfersOfGig'
  | 'newestBlockOf'
  | 'awaitsGas'
  | 'transfers'
  | 'countRevertedPayouts'
  | 'transferByNonce'
  | 'busySenders'
  | 'openTransfer'
  | 'nextPlanned'
  | 'nextNonce'
  | 'tipsOfTransfer'
>;

export function createTransferReads(db: Db): TransferReads {
  const complete = createCompletion(db);
  const turns = createTurnLookups(db);
  const oldestFirst = (condition: SQL) =>
    prepare(db, db.select().from(transfers).where(condition).orderBy(transfers.id));
  const ofClaim = oldestFirst(eq(transfers.claimId, placeholder('claimId')));
  const ofGig = oldestFirst(eq(transfers.gigId, placeholder('gigId')));
  const lastNonce = prepare(
    db,
    db
      .select({ nonce: sql<number>`${transfers.nonce}` })
      .from(transfers)
      .where(and(TRANSFER_SIGNED, ofSender))
      .orderBy(desc(transfers.nonce)),
  );
  const byNonce = prepare(
    db,
    db
      .select()
      .from(transfers)
      .where(and(TRANSFER_SIGNED, ofSender, eq(transfers.nonce, placeholder('nonce')))),
  );
  const orNull = (row: Row | undefined) => (row === undefined ? null : complete(row));
  return {
    transfer: createTransferLookup(db),
    transfersOfClaim: (claimId) => ofClaim.all({ claimId }).map(complete),
    transfersOfGig: (gigId) => ofGig.all({ gigId }).map(complete),
    ...createGigLookups(db),
    transfers: createTransferList(db),
    countRevertedPayouts: createFailedLandings(db),
    transferByNonce: ({ chainId, sender }, nonce) => orNull(byNonce.get({ chainId, sender, nonce })),
    busySenders: createBusySenders(db),
    openTransfer: (sender) => orNull(turns.open(sender)),
    nextPlanned: (sender) => orNull(turns.planned(sender)),
    nextNonce({ chainId, sender }) {
      const last = lastNonce.get({ chainId, sender });
      return last === undefined ? null : last.nonce + 1;
    },
    tipsOfTransfer: createTipsOfTransfer(db),
  };
}
