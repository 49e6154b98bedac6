import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** Registers a request, so that the time limit for reading its response applies. */
export type WatchAnswer = (socket: Socket, outgoing: ServerResponse) => void;

function dropFinished(waiting: ServerResponse[]): void {
  const open = waiting.findIndex((outgoing) => !outgoing.writableFinished);
  waiting.splice(0, open === -1 ? waiting.length : open);
}

/**
 * Closes connections whose client has not read a response `answerMs` after its start. Node's socket timeout restarts
 * with each byte, so a slow reader would never reach it. One check of all connections every `checkMs` replaces a timer
 * per response, so a response may last `checkMs` longer.
 */
export function endSlowReaders(
  server: Server,
  { answerMs, checkMs }: { answerMs: number; checkMs: number },
): WatchAnswer {
  /** The unfinished responses of each connection, in sending order. */
  const answers = new Map<Socket, ServerResponse[]>();
  /** When the response that is being sent was first seen; the time of a later one starts at its turn. */
  let begun = new Map<ServerResponse, number>();

  function check(): void {
    const now = performance.now();
    const still = new Map<ServerResponse, number>();
    for (const [socket, waiting] of answers) {
      dropFinished(waiting);
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
