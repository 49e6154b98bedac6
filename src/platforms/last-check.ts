import type http from 'node:http';
import { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { limitingAgent } from './answer-limit.ts';
import { TOO_LATE } from './failure.ts';

export type LastCheck = () => boolean;

/**
 * A {@link LastCheck} for requests that may be sent until `notAfter` (epoch milliseconds). It also measures the
 * remaining time on `uptime`, a monotonic clock in milliseconds, so setting the clock back does not extend it.
 */
export function createLastCheck(
  { notAfter, clock }: { notAfter: number; clock: () => number },
  uptime: () => number = () => performance.now(),
): LastCheck {
  const end = uptime() + (notAfter - clock());
  return () => clock() >= notAfter || uptime() >= end;
}

/**
 * Checks the time limit right before a request is written.
 * @throws Error with the code `TOO_LATE` when it has passed
 */
export function lookAtClock(isOver: LastCheck): void {
  if (isOver()) throw Object.assign(new Error('the time to send was over'), { code: TOO_LATE });
}

type OnConnection = (error: Error | null, stream: Duplex) => void;

/**
 * Hands over a connected socket if the time limit has not passed; the request is written right after that. Otherwise
 * the socket is destroyed, also when `signal` fires first.
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
  readonly look: LastCheck;
  readonly signal: AbortSignal;
  readonly done: OnConnection;
}

/**
 * An agent for one request that checks the time limit once connected: a process may be suspended for long while it
 * connects.
 * @param options.signal aborts the connection attempt
 */
export function lastCheckAgent(look: LastCheck, options: { plainHttp: boolean; signal: AbortSignal }): http.Agent {
  const { plainHttp, signal } = options;
  const agent = limitingAgent({ plainHttp });
  const connect = agent.createConnection.bind(agent);
  agent.createConnection = (to, done) => {
    const socket = connect(to);
    // Node's agents return a socket synchronously; any other result could not be held back.
    if (done === undefined || !(socket instanceof Socket)) throw new TypeError('the connection cannot be held back');
    handOver(socket, plainHttp ? 'connect' : 'secureConnect', { look, signal, done });
    return undefined;
  };
  return agent;
}
