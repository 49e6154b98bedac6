import type { Bench } from './bench.ts';
import { copyDatabase } from './copy-database.ts';
import { CALL_FAULTS, type Place, SEND_FAULTS } from './faults.ts';
import { type Instance, openInstance, type Plan, UNDISTURBED } from './instance.ts';
import type { Order, Stop } from './order.ts';
import { type Census, COPY_OF, type Point } from './points.ts';
import { type Handler, honest, SEND } from './proxy.ts';
import { AGAIN, OTHER, USUAL } from './scenario.ts';
import { verify } from './verify.ts';

/** After so many deaths of the same kind the next process is left alone. */
const MAX_LIVES = 60;

/** What came of a point: whether the run got there, and what was wrong when all was paid. */
export interface Outcome {
  readonly reached: boolean;
  readonly problems: readonly string[];
}

type PointOf<K extends Point['kind']> = Extract<Point, { kind: K }>;

/** Where a point is tried. */
interface Stage {
  readonly bench: Bench;
  readonly main: Instance;
  /** Opens another instance, on a database that is there. It is closed and verified with the first one. */
  open(databasePath: string, rounds: Order['rounds']): Promise<Instance>;
}

/** Does something before the node gets its question `at`, counted from 1, or before the answer is back. */
function atCall(at: number, act: (tools: Parameters<Plan['handle']>[1]) => Promise<void>): Plan['handle'] {
  let count = 0;
  return async (passing, tools) => {
    count += 1;
    if (count === at) await act(tools);
    await honest(passing);
  };
}

function killedAt({ at, when }: { at: number; when: Stop['when'] }): Plan['handle'] {
  let count = 0;
  return async (passing, { kill }) => {
    count += 1;
    if (count !== at) return await honest(passing);
    if (when === 'after') await passing.deliver();
    await kill();
    passing.drop();
  };
}

function dyingAt(commit: number, when: Stop['when']): Plan {
  return { ...UNDISTURBED, stop: { commit, when, how: 'die' } };
}

/** Stops the process at a point of its run for as long as something is done. */
function pausedAt({ at, of }: { at: number; of: 'commit' | 'call' }, act: (place: Place) => Promise<void>): Plan {
  if (of === 'commit') return { ...UNDISTURBED, stop: { commit: at, when: 'after', how: 'pause' }, onPause: act };
  return { ...UNDISTURBED, handle: atCall(at, (tools) => tools.pausing(() => act(tools))) };
}

/** Runs a life that may be killed, and after that one that is not. */
async function runAndHeal({ main }: Stage, plan: Plan): Promise<boolean> {
  const { isKilled } = await main.run(plan);
  if (isKilled) await main.run(UNDISTURBED);
  return isKilled;
}

async function again({ main }: Stage, { at, what }: PointOf<'again'>): Promise<boolean> {
  for (let lives = 0; lives < MAX_LIVES; lives += 1) {
    const handle = killedAt({ at, when: 'after' });
    const plan = what === 'commits' ? dyingAt(at, 'after') : { ...UNDISTURBED, handle };
    if (!(await main.run(plan)).isKilled) return lives > 0;
  }
  await main.run(UNDISTURBED);
  return true;
}

async function faulty({ main }: Stage, point: PointOf<'send' | 'fault'>): Promise<boolean> {
  const { kind, at } = point;
  const fault = (kind === 'send' ? SEND_FAULTS : CALL_FAULTS)[point.fault];
  if (fault === undefined) throw new Error(`there is no fault ${point.fault}`);
  let reached = false;
  let later: Handler = honest;
  const handle: Plan['handle'] = async (passing, place) => {
    if ((kind === 'send' ? passing.send : passing.call) !== at) return await later(passing);
    reached = true;
    later = (await fault(passing, place)) ?? honest;
  };
  await main.run({ ...UNDISTURBED, handle });
  return reached;
}

async function restored({ bench, main, open }: Stage, { at, to }: PointOf<'restore'>): Promise<boolean> {
  const { isKilled } = await main.run({ ...dyingAt(at, 'after'), copies: bench.copiesFolder() });
  if (!isKilled) return false;
  const { databasePath } = main;
  bench.restore(databasePath, to);
  await (await open(databasePath, AGAIN)).run(UNDISTURBED);
  return true;
}

async function undone({ bench, main, open }: Stage, { at, left }: PointOf<'undo'>): Promise<boolean> {
  const handle = killedAt({ at, when: 'after' });
  const { isKilled } = await main.run({ ...UNDISTURBED, handle, copies: bench.copiesFolder() });
  if (!isKilled) return false;
  const { databasePath } = main;
  bench.restore(databasePath, COPY_OF[left](bench.countCopies()));
  await (await open(databasePath, OTHER)).run(UNDISTURBED);
  return true;
}

async function twinned({ main, open }: Stage, point: PointOf<'twin'>): Promise<boolean> {
  const twins: Promise<Instance>[] = [];
  const plan = pausedAt(point, async () => {
    const path = `${main.databasePath}.twin`;
    copyDatabase(main.databasePath, path);
    const running = open(path, OTHER).then(async (twin) => {
      await twin.run(UNDISTURBED);
      return twin;
    });
    twins.push(running);
    // Its failure is told when both have ended.
    if (point.how === 'meanwhile') await Promise.allSettled([running]);
    else running.catch(() => undefined);
  });
  await main.run(plan).finally(() => Promise.allSettled(twins));
  // What one did last, for tips that the other one has not, the other one hears at its next audit.
  for (const instance of [...(await Promise.all(twins)), main]) await instance.run(UNDISTURBED);
  return twins.length > 0;
}

async function reorganized(stage: Stage, point: PointOf<'reorg'>): Promise<boolean> {
  const { main } = stage;
  const { at, of, depth, how } = point;
  let reached = false;
  const act = async ({ node, proxy }: Place) => {
    reached = true;
    await proxy.stopMining();
    if (how === 'shorter') await node.result('anvil_rollback', [depth]);
    else await node.result('anvil_reorg', [depth, []]);
    await node.setClock();
    proxy.mining = true;
  };
  await main.run(of === 'end' ? UNDISTURBED : pausedAt({ at, of }, act));
  if (of === 'end') await act({ node: stage.bench.node, proxy: main.proxy });
  // A service looks at the chain again when it is idle; this process ended when everybody was paid.
  await main.run(UNDISTURBED);
  return reached;
}

async function runPoint(stage: Stage, point: Point): Promise<boolean> {
  switch (point.kind) {
    case 'commit':
      return await runAndHeal(stage, dyingAt(point.at, point.when));
    case 'call':
      return await runAndHeal(stage, { ...UNDISTURBED, handle: killedAt(point) });
    case 'again':
      return await again(stage, point);
    case 'send':
    case 'fault':
      return await faulty(stage, point);
    case 'restore':
      return await restored(stage, point);
    case 'undo':
      return await undone(stage, point);
    case 'twin':
      return await twinned(stage, point);
    case 'reorg':
      return await reorganized(stage, point);
  }
}

async function openStage(bench: Bench, script: string): Promise<{ stage: Stage; instances: Instance[] }> {
  const instances: Instance[] = [];
  const open: Stage['open'] = async (databasePath, rounds) => {
    const instance = await openInstance(bench, { script, databasePath, rounds });
    instances.push(instance);
    return instance;
  };
  const main = await open(await bench.reset(), USUAL);
  return { stage: { bench, main, open }, instances };
}

async function closeAll(instances: readonly Instance[]): Promise<void> {
  for (const { close } of instances) await close();
}

/** Pays without any disturbance and counts what there is to disturb. @throws Error when even that goes wrong */
export async function takeCensus(bench: Bench, script: string): Promise<Census> {
  const { stage, instances } = await openStage(bench, script);
  const { main } = stage;
  const { output } = await main.run(UNDISTURBED);
  await closeAll(instances);
  const problems = await verify(bench, [main.databasePath]);
  if (problems.length > 0) throw new Error(`undisturbed, ${problems.join('; ')}`);
  const { asked } = main.proxy;
  return { commits: Number(output), calls: asked.length, sends: asked.filter((method) => method === SEND).length };
}

function explain(error: unknown): string {
  if (error instanceof AggregateError) return [error.message, ...error.errors.map(explain)].join(': ');
  return error instanceof Error ? error.message : String(error);
}

/** Makes and pays the claims with one disturbance, lets the payments finish, and looks at the chain and the ledgers. */
export async function attempt(bench: Bench, script: string, point: Point): Promise<Outcome> {
  const { stage, instances } = await openStage(bench, script);
  try {
    const reached = await runPoint(stage, point).finally(() => closeAll(instances));
    const ledgers = new Set(instances.map(({ databasePath }) => databasePath));
    return { reached, problems: await verify(bench, [...ledgers]) };
  } catch (error) {
    return { reached: true, problems: [explain(error)] };
  }
}
