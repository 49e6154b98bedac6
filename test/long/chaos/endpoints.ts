import { type AnvilProcess, startAnvil } from '../../../sandbox/anvil.ts';
import { DISHONEST } from '../../support/dishonest.ts';
import { type Plan, UNDISTURBED } from './instance.ts';
import { createNode, type Node } from './node.ts';
import type { EndpointPoint } from './points.ts';
import { honest, type Passing } from './proxy.ts';
import { isAt, SEND } from './questions.ts';

/** For how long endpoints are dishonest where nothing could be paid before they are honest again. */
const WHILE_MS = 3_000;
/** A branch of the chain with a life of its own. */
async function openFork(url: string): Promise<{ node: Node; anvil: AnvilProcess }> {
  const anvil = await startAnvil({ forkOf: url });
  return { node: createNode(anvil.url), anvil };
}

/** Whether everybody can be paid although it lasts: a liar, a fork, and two that are dishonest, are waited for. */
function canLast({ way, who }: EndpointPoint): boolean {
  return who !== 'both' && way !== 'lies' && way !== 'forks';
}

/**
 * From a question on, at either endpoint, one of them or both are dishonest.
 * @returns the plan, whether it got there, and what is to be done when the run has ended
 */
export function dishonestAt(real: Node, point: EndpointPoint) {
  const { at, way, who } = point;
  let since: number | null = null;
  let fork: ReturnType<typeof openFork> | null = null;

  async function answer(passing: Passing): Promise<void> {
    const { method, params, deliver } = passing;
    if (way !== 'forks') return passing.answer(await DISHONEST[way]({ method, params, deliver }));
    fork ??= openFork(real.url);
    const { node } = await fork;
    // It is stopped while it is asked when the run ends.
    const told = await node.ask(method, params).catch(() => null);
    if (told === null) return passing.drop();
    // Both branches grow at the same pace: what is beyond the others' settled blocks nobody can compare.
    if (method === SEND) await real.mine();
    if (method === 'eth_blockNumber') await Promise.all([node.mine().catch(() => undefined), deliver()]);
    passing.answer(told);
  }

  const handleOf =
    (place: 'first' | 'second') =>
    async (passing: Passing): Promise<void> => {
      if (isAt(passing.question, at)) since ??= Date.now();
      const isOver = since === null || (!canLast(point) && Date.now() > since + WHILE_MS);
      if (isOver || (who !== 'both' && who !== place)) return await honest(passing);
      await answer(passing);
    };

  const plan: Plan = { ...UNDISTURBED, handle: handleOf('first'), handleSecond: handleOf('second') };
  return {
    plan,
    isReached: () => since !== null,
    close: async () => {
      await (await fork)?.anvil.stop();
    },
  };
}
