import type { Chain, ChainReader } from '../../../domain/chains/chain.ts';
import type { EndpointFault, EndpointStatus } from '../../../domain/chains/endpoint-status.ts';
import { type ConditionContext, defineCondition } from './define-condition.ts';

/** Each chain is asked once a minute; after three missed answers it counts as unreachable. Milliseconds. */
const CHAIN_SILENT_MS = 180_000;

/** Whether a chain has not answered for a while. */
export function isSilent({ lastSuccess }: ChainReader, { clock, startedAt }: ConditionContext): boolean {
  return clock() - (lastSuccess() ?? startedAt) > CHAIN_SILENT_MS;
}

/** The endpoint of a chain gives no valid answer; `why` follows a colon when it is known. One that has never answered is unknown at first. */
export const chainUnreachable = defineCondition({
  kind: 'chain_unreachable',
  reach: 'chain',
  say: ({ key, id, name }: Chain, why?: string) => ({
    subject: key,
    text: `The endpoint of ${name} gives no valid answer${why === undefined ? '' : `: ${why}`}`,
    remedy: `Set RPC_URL_${id} to a JSON-RPC endpoint of ${name} that answers, or take ${key} out of CHAINS.`,
  }),
  find: (context, tell) =>
    context.chains.list().map((reader) => {
      if (isSilent(reader, context)) return tell(reader.chain);
      return reader.lastSuccess() === null && { unknownOf: reader.chain.key };
    }),
});

type Faulty = Omit<EndpointStatus, 'fault' | 'newest'> & { readonly fault: EndpointFault };

function remedyOf(kind: EndpointFault['kind'], { key, id, name }: Chain): string {
  if (kind === 'other_chain')
    return `Correct RPC_URL_${id}: an endpoint of another chain is asked for nothing but its chain id.`;
  if (kind === 'forked')
    return (
      `Compare that block with an explorer of ${name}, and take the endpoint that is wrong out of RPC_URL_${id}. If the ` +
      `ledger counts on a block of the wrong one, run npm run admin -- payment anchor ${key} --to BLOCK.`
    );
  return `The other endpoints of ${name} are asked meanwhile. If it lasts, replace that one in RPC_URL_${id}.`;
}

/** One of several endpoints of a chain is not asked, because it fails, lags, forks or serves another chain. */
export const endpointPassedOver = defineCondition({
  kind: 'endpoint_passed_over',
  reach: 'chain',
  say: (chain: Chain, { place, name: endpoint, fault: { kind, why } }: Faulty) => ({
    subject: `${chain.key} endpoint ${place}`,
    text: `${chain.name} is not asked through ${endpoint}: ${why}`,
    remedy: remedyOf(kind, chain),
  }),
  find: ({ chains }, tell) =>
    chains
      .list()
      .flatMap(({ chain, endpoints }) =>
        endpoints().map(({ fault, ...endpoint }) => fault !== null && tell(chain, { ...endpoint, fault })),
      ),
});
