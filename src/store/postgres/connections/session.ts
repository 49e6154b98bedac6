import pg, { type ClientBase, type QueryArrayConfig } from 'pg';

export interface SqlStatement {
  /** The same name always has the same text; a statement without one is not prepared. */
  readonly name?: string;
  readonly text: string;
  readonly values?: readonly unknown[];
}

/** What a statement returned: each row as an array, and how many rows it returned or changed. */
export interface Answer {
  readonly rows: readonly (readonly unknown[])[];
  readonly count: number;
  /** Such as `COMMIT`. */
  readonly command: string;
}

/** Runs statements one after another. */
export interface DatabaseSession {
  query(statement: SqlStatement): Promise<Answer>;
}

function readInteger(text: string): number | string {
  const number = Number(text);
  return Number.isSafeInteger(number) ? number : text;
}

const TYPES: NonNullable<QueryArrayConfig['types']> = {
  getTypeParser: ((oid: number) =>
    oid === pg.types.builtins.INT8 ? readInteger : pg.types.getTypeParser(oid)) as typeof pg.types.getTypeParser,
};

interface Corked {
  cork(): void;
  uncork(): void;
}

const gathering = new WeakSet<Corked>();

/** Has the statements leave in one write that are sent before the event loop goes on. */
function gather(client: ClientBase): void {
  // The driver corks its stream for the parts of a statement in the same way; its types do not show it.
  const { stream } = (client as unknown as { connection: { stream: Corked } }).connection;
  if (gathering.has(stream)) return;
  gathering.add(stream);
  stream.cork();
  process.nextTick(() => {
    gathering.delete(stream);
    stream.uncork();
  });
}

/** A connection as a session. Statements are sent at once and answered in their order. */
export function openDatabaseSession(client: ClientBase): DatabaseSession {
  return {
    async query({ name, text, values }) {
      const config: QueryArrayConfig = { text, types: TYPES, rowMode: 'array' };
      if (name !== undefined) config.name = name;
      if (values !== undefined) config.values = [...values];
      gather(client);
      const { rows, rowCount, command } = await client.query(config);
      return { rows, count: rowCount ?? 0, command };
    },
  };
}

/** The session for one statement; a second one is refused. */
export function createOneStatement(session: DatabaseSession): DatabaseSession {
  let isUsed = false;
  return {
    async query(statement) {
      if (isUsed) throw new TypeError('a read that is said to run one statement runs two');
      isUsed = true;
      return await session.query(statement);
    },
  };
}
