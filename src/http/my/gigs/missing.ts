import { chainById } from '../../../domain/chains/chain.ts';
import { invalidRequest } from '../../../domain/errors.ts';
import type { Funding, Gig } from '../../../domain/gigs/gig.ts';
import { type PaymentCall, paymentCall } from '../../../domain/payments/payment-uri.ts';
import { findSeenGig } from '../../../services/gigs/command-gig.ts';
import { gigIdOf } from '../../middleware/parameters.ts';
import { isShort } from '../../pages/gigs/gig-page.ts';
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

/** The transaction that pays what a gig's wallet lacks. */
function callFor({ token, walletAddress: to }: Gig, { expected, actual }: Funding): PaymentCall {
  return paymentCall(token, { to, amount: expected - actual });
}

/** `GET /my/gigs/:id/missing`: what the wallet of a gig needs, read from the chain, as the script that pays asks for it. */
const missing = OWNERS.page('/my/gigs/:id{[0-9]+}/missing', async ({ c, deps, actor }) => {
  const gig = await findSeenGig(deps.store, { gigId: gigIdOf(c), actor });
  const { funding, request } = await deps.funds.look(gig, true);
  const uri = funding === 'unknown' ? undefined : (request?.uri ?? null);
  const payment = isShort(funding) ? callFor(gig, funding) : null;
  const call = payment && { to: payment.to, value: `0x${payment.value.toString(16)}`, data: payment.data ?? '0x' };
  const headers = { ...c.get('request').headers, 'cache-control': 'no-store' };
  return Response.json(
    { uri, call, chain: chainFor(gig.token.chainId) },
    { status: uri === undefined ? 503 : 200, headers },
  );
});

/**
 * `GET /my/gigs/:id/safe.json`: the same as a batch file of Safe's Transaction Builder (version 1.0, whose checksum may be absent), with
 * exactly this transfer.
 */
const safe = OWNERS.page('/my/gigs/:id{[0-9]+}/safe.json', async ({ c, deps, actor }) => {
  const gig = await findSeenGig(deps.store, { gigId: gigIdOf(c), actor });
  const { funding } = await deps.funds.look(gig, true);
  if (funding === 'unknown')
    throw invalidRequest('The wallet of the gig could not be read just now: try again in a minute.');
  if (!isShort(funding)) throw invalidRequest('Nothing is missing in the wallet of this gig.');
  const { to, value, data } = callFor(gig, funding);
  const batch = {
    version: '1.0',
    chainId: String(gig.token.chainId),
    createdAt: deps.clock(),
    meta: { name: `Gig ${gig.id}`, description: `Pays what gig ${gig.id} needs` },
    transactions: [{ to, value: String(value), data, contractMethod: null, contractInputsValues: null }],
  };
  const disposition = `attachment; filename="gig-${gig.id}-safe.json"`;
  const headers = { ...c.get('request').headers, 'cache-control': 'no-store', 'content-disposition': disposition };
  return Response.json(batch, { headers });
});

/** `GET /my/gigs/:id/missing` and `/my/gigs/:id/safe.json`. */
export const MISSING_ROUTES: readonly MyRoute[] = [missing, safe];
