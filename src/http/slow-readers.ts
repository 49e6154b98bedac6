import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** Notes a request, so that the time its answer takes to be read is watched. */
export type WatchAnswer = (socket: Socket, outgoing: ServerResponse) => void;

/**
 * Ends connections whose client has not taken an answer `answerMs` after it was begun. A socket's own time limit counts
 * from the last byte, so a client that reads one byte a second would never reach it. One look at all connections every
 * `checkMs`, instead of a timer for each answer, so an answer costs next to nothing and may last `checkMs` longer.
 */
export function endSlowReaders(
  server: Server,
  { answerMs, checkMs }: { answerMs: number; checkMs: number },
): WatchAnswer {
  /** The oldest answer of each connection that is not taken whole; later ones wait behind it. */
  const answers = new Map<Socket, ServerResponse>();
  let begun = new Map<ServerResponse, number>();

  function look(): void {
    const now = performance.now();
    const still = new Map<ServerResponse, number>();
    for (const [socket, outgoing] of answers) {
      if (!outgoing.headersSent || outgoing.writableFinished) continue;
      const since = begun.get(outgoing) ?? now;
      still.set(outgoing, since);
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
    const before = answers.get(socket);
    if (before === undefined || before.writableFinished) answers.set(socket, outgoing);
  };
}
