import type { Bench } from './bench.ts';
import { type Clocks, clocksOf, RIGHT } from './clocks.ts';
import { runPoint, type Stage } from './disturbances.ts';
import { type Instance, openInstance, UNDISTURBED } from './instance.ts';
import { type Census, nameOf, type Point } from './points.ts';
import { placesOf } from './questions.ts';
import { USUAL } from './scenario.ts';
import { verify } from './verify.ts';

/** What came of a point: whether the run got there, and what was wrong when all was paid. */
export interface Outcome {
  readonly reached: boolean;
  readonly problems: readonly string[];
}

async function openStage(
  bench: Bench,
  { script, clocks, endpoints = 1 }: { script: string; clocks: Clocks; endpoints?: 1 | 2 },
): Promise<{ stage: Stage; instances: Instance[] }> {
  const instances: Instance[] = [];
  const open: Stage['open'] = async (ledger, rounds) => {
    const instance = await openInstance(bench, { script, ledger, rounds, clocks, endpoints });
    instances.push(instance);
    return instance;
  };
  const main = await open(await bench.reset(clocks.pace), USUAL);
  return { stage: { bench, main, open }, instances };
}

async function closeAll(instances: readonly Instance[]): Promise<void> {
  for (const { close } of instances) await close();
}

/** Pays without any disturbance and counts what there is to disturb. @throws Error when even that goes wrong */
export async function takeCensus(bench: Bench, script: string): Promise<Census> {
  const { stage, instances } = await openStage(bench, { script, clocks: RIGHT });
  const { main } = stage;
  const { output, questions } = await main.run(UNDISTURBED);
  await closeAll(instances);
  const problems = await verify(bench, [main.ledger]);
  if (problems.length > 0) throw new Error(`undisturbed, ${problems.join('; ')}`);
  const sends = questions.filter(({ send }) => send !== null).length;
  return { commits: Number(output), questions: questions.length, places: placesOf(questions), sends };
}

function explain(error: unknown): string {
  if (error instanceof AggregateError) return [error.message, ...error.errors.map(explain)].join(': ');
  return error instanceof Error ? error.message : String(error);
}

/** Makes and pays the claims with one disturbance, lets the payments finish, and looks at the chain and the ledgers. */
export async function attempt(bench: Bench, script: string, point: Point): Promise<Outcome> {
  const endpoints = point.kind === 'endpoint' ? 2 : 1;
  const { stage, instances } = await openStage(bench, { script, clocks: clocksOf(nameOf(point)), endpoints });
  try {
    const reached = await runPoint(stage, point).finally(() => closeAll(instances));
    // What a liar tells of a payment that it alone is asked about stays in the ledger; the chain pays once all the same.
    const isDeceived = point.kind === 'endpoint' && point.way === 'lies';
    const ledgers = new Set(isDeceived ? [] : instances.map(({ ledger }) => ledger));
    return { reached, problems: await verify(bench, [...ledgers]) };
  } catch (error) {
    return { reached: true, problems: [explain(error)] };
  }
}
