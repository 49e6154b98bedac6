import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import type { Address } from '../../../src/domain/token.ts';
import { MIGRATIONS } from '../../support/store.ts';
import type { Bench } from './bench.ts';
import { CALL_FAULTS, type Place, SEND_FAULTS } from './faults.ts';
import type { Order, Suicide } from './order.ts';
import type { Census, Point } from './points.ts';
import { type Handler, honest, type Passing, type RpcProxy, SEND, serveProxy } from './proxy.ts';
import { CLAIMS } from './scenario.ts';
import { verify } from './verify.ts';

/** After so many deaths of the same kind the next process is left alone. */
const MAX_LIVES = 60;

/** What came of a point: whether the run got there, and what was wrong when all was paid. */
export interface Outcome {
  readonly reached: boolean;
  readonly problems: readonly string[];
}

interface Life {
  readonly end: number | NodeJS.Signals;
  readonly output: string;
  readonly errors: string;
}

/** Runs the paying process until it ends or dies. */
async function live(script: string, order: Order, onStart: (child: ChildProcess) => void): Promise<Life> {
  const child = spawn(process.execPath, [script, JSON.stringify(order)], { stdio: ['ignore', 'pipe', 'pipe'] });
  onStart(child);
  const [[code, signal], output, errors] = await Promise.all([
    once(child, 'close'),
    text(child.stdout),
    text(child.stderr),
  ]);
  return { end: code ?? signal, output, errors };
}

/** What is to happen in one life of the paying process. */
interface Plan {
  readonly suicide: Suicide | null;
  /** Handles a question; `kill` ends the process, and settles when it is dead. */
  readonly handle: (passing: Passing, tools: Place & { kill: () => Promise<void> }) => Promise<void>;
}

const UNDISTURBED: Plan = { suicide: null, handle: honest };

function killedAt({ at, when }: { at: number; when: Suicide['when'] }): Plan['handle'] {
  let count = 0;
  return async (passing, { kill }) => {
    count += 1;
    if (count !== at) return await honest(passing);
    if (when === 'after') await passing.deliver();
    await kill();
    passing.drop();
  };
}

function faulty(point: Extract<Point, { kind: 'send' | 'fault' }>, onReached: () => void): Plan['handle'] {
  const { kind, at } = point;
  const fault = (kind === 'send' ? SEND_FAULTS : CALL_FAULTS)[point.fault];
  if (fault === undefined) throw new Error(`there is no fault ${point.fault}`);
  let later: Handler = honest;
  return async (passing, place) => {
    if ((kind === 'send' ? passing.send : passing.call) !== at) return await later(passing);
    onReached();
    later = (await fault(passing, place)) ?? honest;
  };
}

function planOf(point: Point, onReached: () => void): Plan {
  if (point.kind === 'commit') return { suicide: { commit: point.at, when: point.when }, handle: honest };
  if (point.kind === 'call') return { suicide: null, handle: killedAt(point) };
  if (point.kind !== 'again') return { suicide: null, handle: faulty(point, onReached) };
  const { at, what } = point;
  return what === 'commits'
    ? { suicide: { commit: at, when: 'after' }, handle: honest }
    : { suicide: null, handle: killedAt({ at, when: 'after' }) };
}

interface Stage {
  readonly proxy: RpcProxy;
  readonly foreign: ReadonlyMap<Address, number>;
  /** Runs one life. @throws Error when it ends in another way than by its end or by being killed */
  run(plan: Plan): Promise<Life>;
}

async function openStage(bench: Bench, script: string, databasePath: string): Promise<Stage> {
  const foreign = new Map<Address, number>();
  let plan = UNDISTURBED;
  let kill = async (): Promise<void> => undefined;
  const onForeign = (sender: Address) => void foreign.set(sender, (foreign.get(sender) ?? 0) + 1);
  const proxy = await serveProxy(bench.node, async (passing, proxy) => {
    await plan.handle(passing, { node: bench.node, proxy, onForeign, kill });
  });
  const order = { databasePath, migrationsFolder: MIGRATIONS, rpcUrl: proxy.url, claims: CLAIMS };
  return {
    proxy,
    foreign,
    async run(next) {
      plan = next;
      const life = await live(script, { ...order, suicide: next.suicide }, (child) => {
        const dead = once(child, 'exit');
        kill = async () => {
          child.kill('SIGKILL');
          await dead;
        };
      });
      plan = UNDISTURBED;
      if (life.end === 0 || life.end === 'SIGKILL') return life;
      throw new Error(`the process ended with ${life.end}:\n${life.errors.slice(-4_000)}`);
    },
  };
}

/** Pays without any disturbance and counts what there is to disturb. @throws Error when even that goes wrong */
export async function takeCensus(bench: Bench, script: string): Promise<Census> {
  const databasePath = await bench.reset();
  const stage = await openStage(bench, script, databasePath);
  const { output } = await stage.run(UNDISTURBED);
  await stage.proxy.close();
  const problems = await verify(bench, databasePath, stage.foreign);
  if (problems.length > 0) throw new Error(`undisturbed, ${problems.join('; ')}`);
  const { asked } = stage.proxy;
  return { commits: Number(output), calls: asked.length, sends: asked.filter((method) => method === SEND).length };
}

async function runLives(stage: Stage, point: Point): Promise<boolean> {
  let reached = false;
  const onReached = () => {
    reached = true;
  };
  const most = point.kind === 'again' ? MAX_LIVES : 1;
  for (let lives = 0; lives < most; lives += 1) {
    if ((await stage.run(planOf(point, onReached))).end === 0) return reached;
    reached = true;
  }
  await stage.run(UNDISTURBED);
  return reached;
}

function explain(error: unknown): string {
  if (error instanceof AggregateError) return [error.message, ...error.errors.map(explain)].join(': ');
  return error instanceof Error ? error.message : String(error);
}

/** Makes and pays the claims with one disturbance, lets the payments finish, and looks at the chain and the ledger. */
export async function attempt(bench: Bench, script: string, point: Point): Promise<Outcome> {
  const databasePath = await bench.reset();
  const stage = await openStage(bench, script, databasePath);
  try {
    const reached = await runLives(stage, point).finally(() => stage.proxy.close());
    return { reached, problems: await verify(bench, databasePath, stage.foreign) };
  } catch (error) {
    return { reached: true, problems: [explain(error)] };
  }
}
