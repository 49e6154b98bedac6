import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** Notes a request, so that the time its answer takes to be read is watched. */
export type WatchAnswer = (socket: Socket, outgoing: ServerResponse) => void;

/** Removes the answers at the front that the client has taken whole. */
function dropTaken(waiting: ServerResponse[]): void {
  const open = waiting.findIndex((outgoing) => !outgoing.writableFinished);
  waiting.splice(0, open === -1 ? waiting.length : open);
}

/**
 * Ends connections whose client has not taken an answer `answerMs` after it was begun. A socket's own time limit counts
 * from the last byte, so a client that reads one byte a second would never reach it. One look at all connections every
 * `checkMs`, instead of a timer for each answer, so an answer costs next to nothing and may last `checkMs` longer.
 */
export function endSlowReaders(
  server: Server,
  { answerMs, checkMs }: { answerMs: number; checkMs: number },
): WatchAnswer {
  /** The answers of each connection that are not taken whole, in the order in which they are sent. */
  const answers = new Map<Socket, ServerResponse[]>();
  /** When the answer that is being sent was first seen. One behind it has its own time, from when it is its turn. */
  let begun = new Map<ServerResponse, number>();

  function look(): void {
    const now = performance.now();
    const still = new Map<ServerResponse, number>();
    for (const [socket, waiting] of answers) {
      dropTaken(waiting);
      const [sending] = waiting;
      if (!sending?.headersSent) continue;
      const since = begun.get(sending) ?? now;
      still.set(sending, since);
      if (now - since >= answerMs) socket.destroy();
    }
    begun = still;
  }

  server.on('connection', (socket: Socket) => socket.once('close', () => answers.delete(socket)));
  server.once('listening', () => {
    const looking = setInterval(look, checkMs).unref();
    server.once('close', () => clearInterval(looking));
  });
  return (socket, outgoing) => {
    const waiting = answers.get(socket);
    if (waiting === undefined) {
      answers.set(socket, [outgoing]);
      return;
    }
    dropTaken(waiting);
    waiting.push(outgoing);
  };
}
