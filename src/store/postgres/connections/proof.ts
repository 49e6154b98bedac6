import { randomBytes, randomUUID } from 'node:crypto';
import pg, { type ClientBase } from 'pg';
import { Unproven } from '../errors.ts';
import { askPromptly } from './pools.ts';

// What the store rests on and no setting tells is tried at each start. Everything in a proof is its own, so that proofs of
// several instances do not meet.

/** Holds a text for as long as a session lives. */
const MARK = 'gigclaim.proof';

/** Gives a connection of its own for as long as the work takes. */
export type InSession = <T>(work: (client: ClientBase) => Promise<T>) => Promise<T>;

interface Look {
  /** The process of the server that answered. */
  readonly process: number;
  readonly mark: string | null;
  readonly answer: unknown;
}

function pooled(seen: string): Unproven {
  return new Unproven(
    `a pooler gives each transaction another session of the server (${seen}), so that locks and settings are lost; ` +
      'take the direct address of the server, or a pooler with pool_mode = session',
  );
}

/** The function is not there, or this user may not call it. */
const FORBIDDEN = new Set(['42883', '42501', '0A000']);

function explainForbidden(error: unknown): unknown {
  const code = error instanceof pg.DatabaseError ? (error.code ?? '') : '';
  return FORBIDDEN.has(code)
    ? new Unproven(`the service cannot do without what the server refuses: ${(error as Error).message} (${code})`)
    : error;
}

/** A session of the server, on one connection. */
interface Session {
  readonly client: ClientBase;
  /** The process of the server that it is. */
  readonly process: number;
  /** @throws Unproven when another session answers than before */
  ask(expression: string): Promise<unknown>;
}

async function followSession(client: ClientBase): Promise<Session> {
  const mark = randomUUID();
  async function look(expression: string): Promise<Look> {
    const text = `select pg_backend_pid() as process, current_setting('${MARK}', true) as mark, ${expression} as answer`;
    const { rows } = await askPromptly<Look>(client, text).catch((error: unknown) => {
      throw explainForbidden(error);
    });
    const [found] = rows;
    if (found === undefined) throw new Error('the server does not identify itself');
    return found;
  }
  const { process } = await look(`set_config('${MARK}', '${mark}', false)`);
  return {
    client,
    process,
    async ask(expression: string): Promise<unknown> {
      const now = await look(expression);
      if (now.process !== process) throw pooled(`process ${process}, then ${now.process}`);
      if (now.mark !== mark) throw pooled(`process ${process} forgot a setting`);
      return now.answer;
    },
  };
}

async function expectAnswer(session: Session, expression: string, expected: boolean): Promise<void> {
  if ((await session.ask(expression)) === expected) return;
  const what = expected
    ? 'an advisory lock is not granted after its release'
    : 'an advisory lock does not exclude: two sessions hold the same one, so that two instances would pay twice';
  throw new Unproven(`${what}; take PostgreSQL itself, without what answers in its place`);
}

/** Each kind of lock that the store takes is taken by one session, refused to the other, and granted after its release. */
async function proveLocks(one: Session, other: Session): Promise<void> {
  const key = randomBytes(8).readBigInt64BE();
  await askPromptly(one.client, 'begin');
  await one.ask(`pg_advisory_xact_lock(${key})::text`);
  await expectAnswer(other, `pg_try_advisory_xact_lock(${key})`, false);
  await askPromptly(one.client, 'commit');
  await expectAnswer(other, `pg_try_advisory_lock(${key})`, true);
  await expectAnswer(one, `pg_try_advisory_lock(${key})`, false);
  await expectAnswer(other, `pg_advisory_unlock(${key})`, true);
  await expectAnswer(one, `pg_try_advisory_xact_lock(${key})`, true);
}

/**
 * Proves with two connections that each keeps a session of its own, and that an advisory lock excludes.
 * @throws Error saying what was found instead, and what to do
 */
export async function proveSessions(client: ClientBase, inSession: InSession): Promise<void> {
  const one = await followSession(client);
  await inSession(async (second) => {
    const other = await followSession(second);
    if (other.process === one.process) throw pooled(`process ${one.process} answers two connections`);
    // Before any lock, which would stay behind in a pooler. It may hand out its sessions in turn: one asks twice in a row.
    for (const session of [one, one, other]) await session.ask('null');
    await proveLocks(one, other).catch(async (error: unknown) => {
      await askPromptly(client, 'rollback').catch(() => undefined);
      throw error;
    });
  });
}

/**
 * Proves that a new connection finds what was committed before it.
 * @param inSession on a connection that is made for it
 * @throws Error saying what to do
 */
export async function proveCommit(client: ClientBase, inSession: InSession): Promise<void> {
  const id = randomUUID();
  await askPromptly(client, 'insert into receipts (id) values ($1)', [id]);
  try {
    const { rowCount } = await inSession((other) => other.query('select from receipts where id = $1', [id]));
    if (rowCount !== 1)
      throw new Unproven(
        'a committed row is missing in a new session: the address leads to several servers; name the primary alone',
      );
  } finally {
    // A row that is left behind is deleted with the receipts of its age.
    await askPromptly(client, 'delete from receipts where id = $1', [id]).catch(() => undefined);
  }
}
