import { chainById } from '../../../domain/chains/chain.ts';
import { findSeenGig } from '../../../services/gigs/command-gig.ts';
import { gigIdOf } from '../../middleware/parameters.ts';
import { OWNERS } from '../audience.ts';
import type { MyRoute } from '../context.ts';

/** A chain as `wallet_addEthereumChain` takes it (EIP-3085). */
function chainFor(chainId: number) {
  const chain = chainById(chainId);
  if (chain === undefined) return null;
  const { id, name, nativeCurrency, publicRpcUrl, explorerUrl } = chain;
  return {
    chainId: `0x${id.toString(16)}`,
    chainName: name,
    nativeCurrency,
    rpcUrls: [publicRpcUrl],
    ...(explorerUrl === null ? {} : { blockExplorerUrls: [explorerUrl] }),
  };
}

/** `GET /my/gigs/:id/missing`: what the wallet of a gig needs, read from the chain, as the script that pays asks for it. */
export const missingRoute: MyRoute = OWNERS.page('/my/gigs/:id{[0-9]+}/missing', async ({ c, deps, actor }) => {
  const gig = await findSeenGig(deps.store, { gigId: gigIdOf(c), actor });
  const { funding, request } = await deps.funds.look(gig, true);
  const uri = funding === 'unknown' ? undefined : (request?.uri ?? null);
  const headers = { ...c.get('request').headers, 'cache-control': 'no-store' };
  return Response.json({ uri, chain: chainFor(gig.token.chainId) }, { status: uri === undefined ? 503 : 200, headers });
});
