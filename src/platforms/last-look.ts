import http from 'node:http';
import https from 'node:https';
import { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { TOO_LATE } from './failure.ts';

/** Tells whether the time in which something may be sent is over. */
export type LastLook = () => boolean;

/**
 * A {@link LastLook} for what may be sent until `notAfter` (epoch milliseconds). The time that is left now is also held
 * against `uptime`, a clock in milliseconds that is never set: a clock that is set back does not make it longer.
 */
export function createLastLook(
  { notAfter, clock }: { notAfter: number; clock: () => number },
  uptime: () => number = () => performance.now(),
): LastLook {
  const end = uptime() + (notAfter - clock());
  return () => clock() >= notAfter || uptime() >= end;
}

/**
 * Looks at the clock.
 * @throws Error with the code `TOO_LATE` when the time is over
 */
export function lookAtClock(isOver: LastLook): void {
  if (isOver()) throw Object.assign(new Error('the time to send was over'), { code: TOO_LATE });
}

type OnConnection = (error: Error | null, stream: Duplex) => void;

/**
 * Hands a connection over once it stands and the time is not over yet: what it is for is written right after that. A
 * connection that is not handed over is closed, also when `signal` fires meanwhile.
 */
function handOver(socket: Socket, ready: string, { look, signal, done }: HandOver): void {
  const refuse = (error: Error) => {
    release();
    socket.destroy();
    done(error, socket);
  };
  const giveUp = () => refuse(Object.assign(new Error('the call was given up'), { code: 'ABORT_ERR' }));
  const stand = () => {
    try {
      lookAtClock(look);
    } catch (error) {
      return refuse(error instanceof Error ? error : new Error(String(error)));
    }
    release();
    done(null, socket);
  };
  function release(): void {
    socket.off('error', refuse);
    socket.off(ready, stand);
    signal.removeEventListener('abort', giveUp);
  }
  socket.on('error', refuse);
  socket.on(ready, stand);
  signal.addEventListener('abort', giveUp);
}

interface HandOver {
  readonly look: LastLook;
  readonly signal: AbortSignal;
  readonly done: OnConnection;
}

/**
 * An agent for one request, which looks at the clock when the connection stands: a process may be stopped for long while
 * it connects.
 * @param options.signal ends the connecting
 */
export function lastLookAgent(look: LastLook, options: { plainHttp: boolean; signal: AbortSignal }): http.Agent {
  const { plainHttp, signal } = options;
  const agent = plainHttp ? new http.Agent() : new https.Agent();
  const connect = agent.createConnection.bind(agent);
  agent.createConnection = (to, done) => {
    const socket = connect(to);
    // Node's own agents answer a socket at once; another one could not be held back.
    if (done === undefined || !(socket instanceof Socket)) throw new TypeError('the connection cannot be held back');
    handOver(socket, plainHttp ? 'connect' : 'secureConnect', { look, signal, done });
    return undefined;
  };
  return agent;
}
