import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** Registers a request, so that the time limit for reading its response applies. */
export type WatchAnswer = (socket: Socket, outgoing: ServerResponse) => void;

/** A client that takes less of a response in its time does not read it. It is what a line of 17 kbit a second takes in two minutes. */
const LEAST_BYTES = 256 * 1_024;

/** Since when a response, or the part of it that is counted, is being sent, and what its client had taken before. */
interface Reading {
  readonly since: number;
  readonly taken: number;
}

function dropFinished(waiting: ServerResponse[]): void {
  const open = waiting.findIndex((outgoing) => !outgoing.writableFinished);
  waiting.splice(0, open === -1 ? waiting.length : open);
}

/**
 * Closes connections whose client takes less than {@link LEAST_BYTES} of a response in `answerMs`, although there is more for
 * it. Node's socket timeout restarts with each byte, so a slow reader would never reach it. One check of all connections every
 * `checkMs` replaces a timer per response, so a response may last `checkMs` longer.
 */
export function endSlowReaders(
  server: Server,
  { answerMs, checkMs }: { answerMs: number; checkMs: number },
): WatchAnswer {
  /** The unfinished responses of each connection, in sending order. */
  const answers = new Map<Socket, ServerResponse[]>();
  /** How far the responses are that are being sent; a later one begins at its turn. */
  let begun = new Map<ServerResponse, Reading>();

  function check(): void {
    const now = performance.now();
    const still = new Map<ServerResponse, Reading>();
    for (const [socket, waiting] of answers) {
      dropFinished(waiting);
      const [sending] = waiting;
      if (!sending?.headersSent) continue;
      const taken = socket.bytesWritten - socket.writableLength;
      const before = begun.get(sending) ?? { since: now, taken };
      const hasRead = socket.writableLength === 0 || taken - before.taken >= LEAST_BYTES;
      still.set(sending, hasRead ? { since: now, taken } : before);
      if (!hasRead && now - before.since >= answerMs) socket.destroy();
    }
    begun = still;
  }

  server.on('connection', (socket: Socket) => socket.once('close', () => answers.delete(socket)));
  server.once('listening', () => {
    const looking = setInterval(check, checkMs).unref();
    server.once('close', () => clearInterval(looking));
  });
  return (socket, outgoing) => {
    const waiting = answers.get(socket);
    if (waiting === undefined) {
      answers.set(socket, [outgoing]);
      return;
    }
    dropFinished(waiting);
    waiting.push(outgoing);
  };
}
