import { chainById } from '../../../domain/chains/chain.ts';
import { invalidRequest } from '../../../domain/errors.ts';
import type { Funding, Gig } from '../../../domain/gigs/gig.ts';
import { type PaymentCall, paymentCall } from '../../../domain/payments/payment-uri.ts';
import { findSeenGig } from '../../../services/gigs/command-gig.ts';
import {
  besideFunding,
  findFundingPayment,
  readFundingHash,
  tellFundingPayment,
} from '../../../services/owners/funding-payment.ts';
import { logDeed } from '../../frame/deeds.ts';
import { gigIdOf } from '../../middleware/parameters.ts';
import { isShort } from '../../pages/gigs/gig-page.ts';
import { OWNERS } from '../audience.ts';
import type { MyRoute } from '../context.ts';
import { viewMyGig } from './gig-view.ts';

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

/**
 * `GET /my/gigs/:id/missing`: what the wallet of a gig needs, read from the chain, and the payment that its owner named last, as
 * the script that pays asks for them.
 */
const missing = OWNERS.page('/my/gigs/:id{[0-9]+}/missing', async ({ c, deps, actor }) => {
  const gig = await findSeenGig(deps.store, { gigId: gigIdOf(c), actor });
  // The payment first, and by one endpoint: what has arrived by then is no longer missing.
  const { payment, funding, request } = await deps.chains.reader(gig.token.chainId).decide(async () => {
    return { payment: await findFundingPayment(deps, gig), ...(await deps.funds.look(gig, true)) };
  });
  const uri = funding === 'unknown' ? undefined : (request?.uri ?? null);
  const sent = besideFunding(payment, funding);
  const asked = isShort(funding) ? callFor(gig, funding) : null;
  const call = asked && { to: asked.to, value: `0x${asked.value.toString(16)}`, data: asked.data ?? '0x' };
  const headers = { ...c.get('request').headers, 'cache-control': 'no-store' };
  return Response.json(
    { uri, call, sent: sent && { hash: sent.hash, state: sent.state }, chain: chainFor(gig.token.chainId) },
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

/** The transaction that pays for a gig, or none, in every browser of its owners. */
const told = OWNERS.form('/my/gigs/:id{[0-9]+}/payment', {
  read: ({ c }, sent) => ({ gigId: gigIdOf(c), hash: sent.get('hash') ?? '', was: sent.get('was') ?? '' }),
  act: async (visit, { gigId, hash, was }) => {
    const { deps, actor } = visit;
    await tellFundingPayment(deps, { gigId, hash: readFundingHash(hash), was: readFundingHash(was), actor });
    logDeed(visit, 'payment of a gig told', { gigId });
    return `/my/gigs/${gigId}`;
  },
  again: (visit, { text }) => viewMyGig(visit, text),
});

/** `GET /my/gigs/:id/missing` and `/my/gigs/:id/safe.json`, and `POST /my/gigs/:id/payment`. */
export const MISSING_ROUTES: readonly MyRoute[] = [missing, safe, told];
