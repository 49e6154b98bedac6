const QUERY = 'Q'.charCodeAt(0);
const PARSE = 'P'.charCodeAt(0);

/** A message of a client of PostgreSQL, whole, and the statement in it if it has one. */
export interface ClientMessage {
  readonly bytes: Buffer;
  /** By the simple protocol; null for any other message. */
  readonly query: string | null;
  /** The same message with another statement, by either protocol; unchanged where it has none. */
  rewritten(rewrite: (statement: string) => string): Buffer;
}

function withStatement(bytes: Buffer, start: number, rewrite: (statement: string) => string): Buffer {
  const end = bytes.indexOf(0, start);
  const statement = Buffer.from(rewrite(bytes.toString('utf8', start, end)));
  const changed = Buffer.concat([bytes.subarray(0, start), statement, bytes.subarray(end)]);
  changed.writeInt32BE(changed.length - 1, 1);
  return changed;
}

function createMessage(bytes: Buffer, isFirst: boolean): ClientMessage {
  const type = isFirst ? null : bytes[0];
  return {
    bytes,
    query: type === QUERY ? bytes.toString('utf8', 5, bytes.length - 1) : null,
    rewritten(rewrite) {
      if (type === QUERY) return withStatement(bytes, 5, rewrite);
      // The name of the statement precedes it.
      return type === PARSE ? withStatement(bytes, bytes.indexOf(0, 5) + 1, rewrite) : bytes;
    },
  };
}

/** Reads the messages of a client: the first one has no type, see "Message Formats" in PostgreSQL's manual. */
export function createMessageReader(take: (message: ClientMessage) => void): (chunk: Buffer) => void {
  let rest = Buffer.alloc(0);
  let isFirst = true;
  return (chunk) => {
    rest = Buffer.concat([rest, chunk]);
    for (;;) {
      const head = isFirst ? 0 : 1;
      if (rest.length < head + 4) return;
      const length = head + rest.readInt32BE(head);
      if (rest.length < length) return;
      const message = createMessage(rest.subarray(0, length), isFirst);
      rest = rest.subarray(length);
      isFirst = false;
      take(message);
    }
  };
}
