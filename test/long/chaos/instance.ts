import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { setTimeout as wait } from 'node:timers/promises';
import { MIGRATIONS } from '../../support/store.ts';
import type { Bench } from './bench.ts';
import type { Place } from './faults.ts';
import { COMMITTED, type Order, PAUSED } from './order.ts';
import { honest, type Passing, type RpcProxy, serveProxy } from './proxy.ts';
import { countQuestions, type Question } from './questions.ts';

/** What can be done to the process that asks. */
export interface Tools extends Place {
  /** Ends the process, and settles when it is dead. */
  kill(): Promise<void>;
  /** Lets the process stand still for as long as something else is done. */
  pausing<T>(run: () => Promise<T>): Promise<T>;
}

/** What is to happen in one life of the paying process. */
export interface Plan {
  readonly stop: Order['stop'];
  readonly copies: Order['copies'];
  /** What is done while the process has stopped itself. */
  onPause(tools: Place): Promise<void>;
  /** Handles a question. */
  handle(passing: Passing, tools: Tools): Promise<void>;
  /** The same at the second of two endpoints, which is honest without it. */
  handleSecond?(passing: Passing, tools: Tools): Promise<void>;
}

/** A life in which nothing goes wrong. */
export const UNDISTURBED: Plan = { stop: null, copies: null, handle: honest, onPause: async () => undefined };

/** How a life of the paying process has ended. */
export interface Life {
  /** Whether it was killed before the end. */
  readonly isKilled: boolean;
  /** What it asked its endpoints, in order. */
  readonly questions: readonly Question[];
  /** The last line of its output. */
  readonly output: string;
}

/** A ledger and an own way to the node, or two, with which one process after the other pays. */
export interface Instance {
  readonly ledger: string;
  readonly proxy: RpcProxy;
  /** Runs one life. @throws Error when it ends in another way than by its end or by being killed */
  run(plan: Plan): Promise<Life>;
  /** @throws whatever went wrong with a question */
  close(): Promise<void>;
}

/** The end of a log. The bundle's source is one long line, which tells nobody anything. */
function lastLines(text: string): string {
  const lines = text.split('\n').map((line) => line.slice(0, 300));
  return lines.slice(-20).join('\n');
}

/** A process says that it stops before it does; let go on in between, it would stand still for good. */
async function untilStopped({ pid }: ChildProcess): Promise<void> {
  while (!execFileSync('ps', ['-o', 'stat=', '-p', String(pid)], { encoding: 'utf8' }).startsWith('T')) await wait(1);
}

/** Hears the lines of a process, and answers the last one. */
async function listen(
  child: ChildProcess,
  { onCommit, onPause }: { onCommit: () => void; onPause: () => Promise<void> },
): Promise<string> {
  if (child.stdout === null) throw new Error('the process has no output');
  let last = '';
  for await (const line of createInterface({ input: child.stdout })) {
    last = line;
    if (line === COMMITTED) onCommit();
    if (line === PAUSED) {
      await untilStopped(child);
      await onPause();
      child.kill('SIGCONT');
    }
  }
  return last;
}

/** Opens an instance whose claims are those of `rounds`, and which has one endpoint, or two. */
export async function openInstance(
  bench: Bench,
  options: { script: string; endpoints: 1 | 2 } & Pick<Order, 'ledger' | 'rounds' | 'clocks'>,
): Promise<Instance> {
  const { script, ledger, rounds, clocks, endpoints } = options;
  let plan = UNDISTURBED;
  let counter = countQuestions();
  let child: ChildProcess | null = null;
  const { node } = bench;

  async function kill(life: ChildProcess | null): Promise<void> {
    if (life === null || life.exitCode !== null || life.signalCode !== null) return;
    const dead = once(life, 'exit');
    life.kill('SIGKILL');
    await dead;
  }

  async function pausing<T>(run: () => Promise<T>): Promise<T> {
    child?.kill('SIGSTOP');
    try {
      return await run();
    } finally {
      child?.kill('SIGCONT');
    }
  }

  const count = (method: string) => counter.asked(method);
  const serve = async (handler: () => Plan['handle']) =>
    await serveProxy(node, count, (passing, proxy) => {
      // A question of a life that is over by the time of its answer ends no later one.
      const asking = child;
      return handler()(passing, { node, proxy, kill: () => kill(asking), pausing });
    });
  const proxy = await serve(() => plan.handle);
  const second = endpoints === 1 ? null : await serve(() => plan.handleSecond ?? honest);
  const rpcUrls: Order['rpcUrls'] = second === null ? [proxy.url] : [proxy.url, second.url];
  return {
    ledger,
    proxy,
    async run(next) {
      plan = next;
      counter = countQuestions();
      const { all: questions, committed } = counter;
      const { stop, copies } = next;
      const order: Order = { ledger, migrationsFolder: MIGRATIONS, rpcUrls, rounds, clocks, stop, copies };
      const started = spawn(process.execPath, [script, JSON.stringify(order)], { stdio: ['ignore', 'pipe', 'pipe'] });
      child = started;
      const [[code, signal], output, errors] = await Promise.all([
        once(started, 'close'),
        listen(started, { onCommit: committed, onPause: () => next.onPause({ node, proxy }) }),
        text(started.stderr),
      ]);
      child = null;
      plan = UNDISTURBED;
      if (signal === 'SIGKILL' && next === UNDISTURBED) throw new Error('a life that nothing was to end was killed');
      if (code === 0 || signal === 'SIGKILL') return { isKilled: signal !== null, output, questions };
      throw new Error(`the process ended with ${code ?? signal}:\n${lastLines(errors)}`);
    },
    close: async () => void (await Promise.all([proxy.close(), second?.close()])),
  };
}
