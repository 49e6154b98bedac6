import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '../../support/store.ts';
import type { Bench } from './bench.ts';
import { dishonestAt } from './endpoints.ts';
import { CALL_FAULTS, type Place, SEND_FAULTS } from './faults.ts';
import { type Instance, type Plan, UNDISTURBED } from './instance.ts';
import type { Order } from './order.ts';
import { dyingAt, killedAt, pausedAt } from './plans.ts';
import { COPY_OF, type Point } from './points.ts';
import { type Handler, honest } from './proxy.ts';
import { isAt } from './questions.ts';
import { AGAIN, OTHER } from './scenario.ts';

/** After so many deaths of the same kind the next process is left alone. */
const MAX_LIVES = 60;

type PointOf<K extends Point['kind']> = Extract<Point, { kind: K }>;

/** Where a point is tried. */
export interface Stage {
  readonly bench: Bench;
  readonly main: Instance;
  /** Opens another instance, on a ledger that is there. It is closed and verified with the first one. */
  open(ledger: string, rounds: Order['rounds']): Promise<Instance>;
}

/** Runs a life that may be killed, and after that one that is not. */
async function runAndHeal({ main }: Stage, plan: Plan): Promise<boolean> {
  const { isKilled } = await main.run(plan);
  if (isKilled) await main.run(UNDISTURBED);
  return isKilled;
}

async function again({ main }: Stage, { at, what }: PointOf<'again'>): Promise<boolean> {
  for (let lives = 0; lives < MAX_LIVES; lives += 1) {
    const plan = what === 'commits' ? dyingAt(at, 'after') : killedAt({ at, when: 'after' });
    if (!(await main.run(plan)).isKilled) return lives > 0;
  }
  await main.run(UNDISTURBED);
  return true;
}

async function faulty({ main }: Stage, point: PointOf<'send' | 'fault'>): Promise<boolean> {
  const fault = (point.kind === 'send' ? SEND_FAULTS : CALL_FAULTS)[point.fault];
  if (fault === undefined) throw new Error(`there is no fault ${point.fault}`);
  let reached = false;
  let later: Handler = honest;
  const handle: Plan['handle'] = async (passing, place) => {
    const { question } = passing;
    const isHere = point.kind === 'send' ? question.send === point.at : !reached && isAt(question, point.at);
    if (!isHere) return await later(passing);
    reached = true;
    later = (await fault(passing, place)) ?? honest;
  };
  await main.run({ ...UNDISTURBED, handle });
  return reached;
}

/**
 * Runs a life that is killed, with a copy of the file after each of its commits, puts the file back to the copy that `choose`
 * names (0 is the file before them all), and pays from there.
 */
async function fallBack(
  { bench: { ledgers }, main, open }: Stage,
  { plan, choose, rounds }: { plan: Plan; choose: (copies: number) => number; rounds: Order['rounds'] },
): Promise<boolean> {
  const copies = temporaryFolder();
  try {
    const { isKilled } = await main.run({ ...plan, copies: copies.path });
    if (!isKilled) return false;
    const copy = choose(readdirSync(copies.path).filter((name) => name.endsWith('.db')).length);
    await ledgers.putBack(main.ledger, copy === 0 ? ledgers.prepared : join(copies.path, `${copy}.db`));
  } finally {
    copies.remove();
  }
  await (await open(main.ledger, rounds)).run(UNDISTURBED);
  return true;
}

/** As on a file, though a database of a server is copied between two lives: nobody may use it meanwhile. */
async function restoredOnServer(
  { bench: { ledgers }, main, open }: Stage,
  point: PointOf<'restore'>,
): Promise<boolean> {
  const { at, to } = point;
  if (to > 0 && !(await main.run(dyingAt(to, 'after'))).isKilled) return false;
  const copy = await ledgers.copy(main.ledger);
  if (!(await main.run(dyingAt(at - to, 'after'))).isKilled) return false;
  await ledgers.putBack(main.ledger, copy);
  await (await open(main.ledger, AGAIN)).run(UNDISTURBED);
  return true;
}

async function restored(stage: Stage, point: PointOf<'restore'>): Promise<boolean> {
  if (stage.bench.ledgers.engine === 'postgres') return await restoredOnServer(stage, point);
  return await fallBack(stage, { plan: dyingAt(point.at, 'after'), choose: () => point.to, rounds: AGAIN });
}

async function undone(stage: Stage, { at, left }: PointOf<'undo'>): Promise<boolean> {
  return await fallBack(stage, { plan: killedAt({ at, when: 'after' }), choose: COPY_OF[left], rounds: OTHER });
}

async function twinned({ bench: { ledgers }, main, open }: Stage, point: PointOf<'twin'>): Promise<boolean> {
  const twins: Promise<Instance>[] = [];
  const plan = pausedAt(point, async () => {
    const path = await ledgers.copy(main.ledger);
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

/** Two pay from one ledger, and one of them dies and comes back. */
async function paired({ main, open }: Stage, point: PointOf<'pair'>): Promise<boolean> {
  const other = await open(main.ledger, OTHER);
  const [victim, survivor] = point.who === 'first' ? [main, other] : [other, main];
  const plan = point.of === 'commit' ? dyingAt(point.at, point.when) : killedAt(point);
  const dying = victim.run(plan).then(async ({ isKilled }) => {
    if (isKilled) await victim.run(UNDISTURBED);
    return isKilled;
  });
  const [isKilled] = await Promise.all([dying, survivor.run(UNDISTURBED)]);
  return isKilled;
}

/** One stands still, with its transaction open or just committed, until another one has paid everything from the same ledger. */
async function halted({ main, open }: Stage, point: PointOf<'halt'>): Promise<boolean> {
  const other = await open(main.ledger, OTHER);
  let reached = false;
  const plan = pausedAt(point, async () => {
    reached = true;
    await other.run(UNDISTURBED);
  });
  await main.run(plan);
  return reached;
}

/** The server of the ledger crashes, and the process goes on by itself. */
async function crashed({ bench: { ledgers }, main }: Stage, point: PointOf<'crash'>): Promise<boolean> {
  let reached = false;
  const plan = pausedAt(point, async () => {
    reached = true;
    await ledgers.crash();
  });
  await main.run(plan);
  return reached;
}

async function reorganized(stage: Stage, point: PointOf<'reorg'>): Promise<boolean> {
  const { main } = stage;
  const { of, depth, how } = point;
  let reached = false;
  const act = async ({ node, proxy }: Place) => {
    reached = true;
    await proxy.stopMining();
    if (how === 'shorter') await node.result('anvil_rollback', [depth]);
    else await node.result('anvil_reorg', [depth, []]);
    await node.setClock();
    proxy.mining = true;
  };
  await main.run(point.of === 'end' ? UNDISTURBED : pausedAt(point, act));
  if (of === 'end') await act({ node: stage.bench.node, proxy: main.proxy });
  // A service looks at the chain again when it is idle; this process ended when everybody was paid.
  await main.run(UNDISTURBED);
  return reached;
}

/** Of two endpoints one is dishonest, or both are for a while. */
async function deceived({ bench, main }: Stage, point: PointOf<'endpoint'>): Promise<boolean> {
  const { plan, isReached, close } = dishonestAt(bench.node, point);
  await main.run(plan).finally(close);
  return isReached();
}

/** Pays with one disturbance. @returns whether the run got to it */
export async function runPoint(stage: Stage, point: Point): Promise<boolean> {
  switch (point.kind) {
    case 'commit':
      return await runAndHeal(stage, dyingAt(point.at, point.when));
    case 'call':
      return await runAndHeal(stage, killedAt(point));
    case 'again':
      return await again(stage, point);
    case 'send':
    case 'fault':
      return await faulty(stage, point);
    case 'endpoint':
      return await deceived(stage, point);
    case 'restore':
      return await restored(stage, point);
    case 'undo':
      return await undone(stage, point);
    case 'twin':
      return await twinned(stage, point);
    case 'pair':
      return await paired(stage, point);
    case 'halt':
      return await halted(stage, point);
    case 'crash':
      return await crashed(stage, point);
    case 'reorg':
      return await reorganized(stage, point);
  }
}
