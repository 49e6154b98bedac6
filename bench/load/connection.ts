import { connect, type Socket } from 'node:net';

/** What came back for one request. */
export interface Arrival {
  readonly status: number;
  /** Bytes of the body. */
  readonly length: number;
}

/** One HTTP/1.1 connection that is kept open and carries one request at a time. */
export interface Connection {
  /** Sends the bytes of a whole request; `arrived` of {@link openConnection} is called when the answer is complete. */
  send(request: Buffer): void;
  close(): void;
}

const STATUS_AT = 'HTTP/1.1 '.length;
const HEAD_END = Buffer.from('\r\n\r\n');
const LAST_CHUNK = Buffer.from('0\r\n\r\n');
const LENGTH = /\r\ncontent-length: *([0-9]+)/i;

/**
 * A client that reads only what a measurement needs: the status and where the answer ends. A whole HTTP client costs more
 * than most of the servers that are measured, and would measure itself.
 */
export function openConnection(options: {
  port: number;
  arrived: (arrival: Arrival, connection: Connection) => void;
  broken: (error: Error) => void;
}): Promise<Connection> {
  const { port, arrived, broken } = options;
  return new Promise((resolve, reject) => {
    const socket: Socket = connect({ port, host: '127.0.0.1', noDelay: true });
    let status = 0;
    /** Bytes of the body that are still to come; -1 before the head is complete, -2 for a chunked body. */
    let missing = -1;
    let length = 0;
    let kept: Buffer | null = null;
    const connection: Connection = {
      send: (request) => socket.write(request),
      close: () => socket.destroy(),
    };

    function finish(): void {
      missing = -1;
      kept = null;
      arrived({ status, length }, connection);
    }

    function readHead(bytes: Buffer): void {
      const end = bytes.indexOf(HEAD_END);
      if (end < 0) {
        kept = bytes;
        return;
      }
      const head = bytes.toString('latin1', 0, end + 2);
      status = Number(head.slice(STATUS_AT, STATUS_AT + 3));
      const declared = LENGTH.exec(head)?.[1];
      const body = bytes.length - end - HEAD_END.length;
      kept = null;
      if (declared !== undefined) {
        length = Number(declared);
        missing = length - body;
        if (missing === 0) finish();
        return;
      }
      missing = -2;
      length = body;
      if (bytes.subarray(-LAST_CHUNK.length).equals(LAST_CHUNK)) finish();
    }

    socket.on('data', (bytes: Buffer) => {
      if (missing === -1) {
        readHead(kept === null ? bytes : Buffer.concat([kept, bytes]));
      } else if (missing === -2) {
        length += bytes.length;
        if (bytes.subarray(-LAST_CHUNK.length).equals(LAST_CHUNK)) finish();
      } else {
        missing -= bytes.length;
        if (missing === 0) finish();
      }
    });
    socket.once('connect', () => resolve(connection));
    socket.once('error', (error) => {
      reject(error);
      broken(error);
    });
    socket.once('close', () => broken(new Error('the server closed a connection')));
  });
}
