import http from 'node:http';
import https from 'node:https';
import { Socket } from 'node:net';

/** A longer answer is none: the largest pages of the platforms have some hundred kilobytes. */
export const MOST_BYTES = 16 * 1024 * 1024;
const TOO_LONG = 'ANSWER_TOO_LONG';

function limitSocket(socket: Socket): void {
  let size = 0;
  socket.on('data', (chunk: Uint8Array) => {
    size += chunk.byteLength;
    if (size > MOST_BYTES) socket.destroy(Object.assign(new Error('the answer is too long'), { code: TOO_LONG }));
  });
}

/**
 * An agent for an SDK that keeps whatever comes: of each connection it takes {@link MOST_BYTES}. Connections are not kept alive:
 * if the server closed one during a request, it would be unknown whether a reply was posted.
 */
export function limitingAgent({ plainHttp }: { readonly plainHttp: boolean }): http.Agent {
  const agent = plainHttp ? new http.Agent() : new https.Agent();
  const connect = agent.createConnection.bind(agent);
  agent.createConnection = (...to) => {
    const socket = connect(...to);
    if (!(socket instanceof Socket)) throw new TypeError('the connection cannot be limited');
    limitSocket(socket);
    return socket;
  };
  return agent;
}

/** Whether a call failed because its answer was too long. X's SDK keeps the error of the connection in a hidden field. */
export function wasTooLong(error: unknown): boolean {
  if (typeof error !== 'object' || error === null) return false;
  if (Reflect.get(error, 'code') === TOO_LONG) return true;
  return ['_options', 'error', 'responseError'].some((name) => wasTooLong(Reflect.get(error, name)));
}
