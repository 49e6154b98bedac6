import type { PayerContracts } from '../../chain/payer/deploy/deployment.ts';
import { type Config, variablesOf } from '../../config.ts';
import { formatAmount } from '../../domain/amount.ts';
import { refuseBehind } from '../../domain/chains/anchor.ts';
import type { BlockRef } from '../../domain/chains/block.ts';
import type { Chain, ChainReader } from '../../domain/chains/chain.ts';
import { whyUnreachable } from '../../domain/chains/endpoint-trouble.ts';
import { AdapterError } from '../../domain/errors.ts';
import { type Address, checksummed } from '../../domain/gigs/token.ts';
import type { PlatformCheck } from '../../domain/mentions/mention.ts';
import type { PayerChain } from '../../domain/payments/payer-chain.ts';
import { PLATFORMS, type PlatformFacts } from '../../domain/platforms/platforms.ts';
import { databaseRemedy } from '../../domain/settings/database-url.ts';
import { chainUnreachable, endpointPassedOver } from '../../services/operators/conditions/chains.ts';
import { gasTankLow } from '../../services/operators/conditions/gas-tank.ts';
import { readTank } from '../../services/payments/gas-tank.ts';
import { exposedFiles, nameDatabase } from '../../store/open.ts';
import { type Context, StoreUnusable } from '../context.ts';
import { publicUrlProblem, webhookUrl } from '../operators/public-url.ts';
import { findWatched } from '../operators/webhooks.ts';
import { checkOf } from './doctor-conditions.ts';

/** One check of the set-up. A remedy of a passed check is only a hint. */
export type Check = PlatformCheck;

/** What the gas tank holds on one chain: whole coins as decimal text, or null when the chain does not answer. */
export interface GasBalance {
  readonly chain: string;
  readonly chain_id: number;
  readonly symbol: string;
  readonly balance: string | null;
  /** Whether it is less than a reserve of payments costs now; null when the chain does not answer. */
  readonly low: boolean | null;
}

function well(name: string, detail: string): Check {
  return { name, ok: true, detail, remedy: '' };
}

function warned(name: string, detail: string, remedy: string): Check {
  return { name, ok: true, mark: 'warning', detail, remedy };
}

function off(name: string, detail: string, remedy = ''): Check {
  return { name, ok: true, mark: 'off', detail, remedy };
}

function wrong(name: string, detail: string, remedy: string): Check {
  return { name, ok: false, detail, remedy };
}

/** Names variables that have no effect. The service runs without them, so this is only a hint. */
export function checkSettings(context: Context): Check[] {
  const remedy = 'Correct the name or remove the variable, in .env or in the environment.';
  return context.settingWarnings().map((warning) => warned('settings', warning, remedy));
}

/** Whether the database opens, migrates and is writable. */
export async function checkStore(context: Context, config: Config): Promise<Check> {
  const name = 'store';
  const database = nameDatabase(config.databaseUrl);
  let isNew = false;
  try {
    isNew = !context.hasDatabase();
    await context.withStore((store) => store.checkWritable(), { create: true });
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    const detail = error instanceof StoreUnusable ? error.message : `database ${database}: ${error.message}`;
    return wrong(name, detail, databaseRemedy(config.databaseUrl, error));
  }
  return well(name, `${database} is up to date and writable${isNew ? '; it did not exist and was created' : ''}`);
}

/** Files of the database that other accounts can reach: those that this account may not close itself. */
export function checkFiles({ databaseUrl: url }: Config): Check[] {
  return exposedFiles({ url }).map(({ path, mode, wanted }) => {
    const detail = `Other accounts of this machine can reach ${path}: its mode is ${mode.toString(8)}`;
    return warned('files', detail, `As the owner of ${path} run chmod ${wanted.toString(8)} on it.`);
  });
}

function isOwnMachine(url: string): boolean {
  return ['127.0.0.1', 'localhost', '[::1]'].includes(URL.parse(url)?.hostname ?? '');
}

/**
 * Whether a chain can be asked: its endpoint, or one of several, answers, serves it, and is as far as the ledger's block. One
 * endpoint alone is believed, so operators read that it is.
 */
export async function checkChain(
  reader: ChainReader,
  { rpcUrl, anchor }: { rpcUrl: string; anchor: BlockRef | null },
): Promise<Check> {
  const { key, id, publicRpcUrl } = reader.chain;
  try {
    const { blockNumber } = await reader.ping();
    refuseBehind(blockNumber, { chainKey: key, anchor });
    const all = reader.endpoints();
    if (all.length > 0) {
      const asked = all.filter(({ fault }) => fault === null).length;
      return well(
        `chain ${key}`,
        `Chain id ${id}, newest block ${blockNumber}; ${asked} of ${all.length} endpoints can be asked`,
      );
    }
    const shared = rpcUrl === publicRpcUrl && !isOwnMachine(rpcUrl) ? ', through its public endpoint' : '';
    const seen = `Chain id ${id}, newest block ${blockNumber}${shared}`;
    return well(`chain ${key}`, `${seen}; its one endpoint is the only witness`);
  } catch (error) {
    if (!(error instanceof AdapterError)) throw error;
    return checkOf(`chain ${key}`, [chainUnreachable.tell(reader.chain, whyUnreachable(reader.chain, error))], '');
  }
}

/**
 * Each of several endpoints of a chain, once it was asked. One that fails or lags is a hint while another can be asked; one
 * of another chain, or of a fork, is a wrong setting.
 */
export function checkEndpoints(reader: ChainReader): Check[] {
  const all = reader.endpoints();
  const isServed = all.some(({ fault }) => fault === null);
  return all.map((endpoint) => {
    const name = `chain ${reader.chain.key} endpoint ${endpoint.place}`;
    const { fault, newest } = endpoint;
    if (fault === null) return well(name, `Newest block ${newest} at ${endpoint.name}`);
    const { text, remedy } = endpointPassedOver.tell(reader.chain, { ...endpoint, fault });
    const isHint = isServed && (fault.kind === 'failed' || fault.kind === 'behind');
    return isHint ? warned(name, text, remedy) : wrong(name, text, remedy);
  });
}

/** With fewer blocks of events at a time, what others have paid takes long to find. */
const FEW_BLOCKS = 1_000n;
const FEW_BLOCKS_HINT =
  'Payments go on. To find what another instance or an older database has paid takes many requests: use a plan that lists events of 1,000 blocks or more before gig rebuild.';

/**
 * Whether the payer contracts are deployed with the committed code: nothing is paid on a chain without them. Only a
 * hint for a service without wallets, which pays nothing. `answers` is whether {@link checkChain} has passed.
 */
export async function checkPayer(
  contracts: PayerContracts,
  { pays, answers }: { pays: boolean; answers: boolean },
): Promise<Check> {
  const amiss = pays ? wrong : warned;
  const { key } = contracts.chain;
  const name = `payer ${key}`;
  const unknown = () =>
    amiss(name, 'Unknown, because the chain does not answer', `Fix the check of chain ${key} first.`);
  if (!answers) return unknown();
  try {
    const states = await contracts.state();
    const foreign = states.filter(({ state }) => state === 'foreign').map((each) => each.name);
    if (foreign.length > 0) {
      const detail = `Other code is at the address of ${foreign.join(' and ')}, so nothing is paid on ${key}`;
      return amiss(name, detail, `Take ${key} out of CHAINS.`);
    }
    if (states.every(({ state }) => state === 'deployed')) {
      const blocks = await contracts.eventSpan();
      const detail = `Deployed with the committed code; the endpoint lists events of ${blocks} blocks at a time`;
      return blocks < FEW_BLOCKS ? warned(name, detail, FEW_BLOCKS_HINT) : well(name, detail);
    }
    const detail = `Not deployed, so payments on ${key} wait`;
    return amiss(name, detail, `Run npm run admin -- payer deploy ${key}.`);
  } catch (error) {
    if (!(error instanceof AdapterError)) throw error;
    return unknown();
  }
}

/** Whether the gas tank has a reserve on a chain. */
export async function checkGas(payer: PayerChain, owner: Address): Promise<{ check: Check; balance: GasBalance }> {
  const { key, id, name: chainName, nativeCurrency } = payer.chain;
  const { symbol, decimals } = nativeCurrency;
  const name = `gas tank ${key}`;
  const shown = checksummed(owner);
  const entry = { chain: key, chain_id: id, symbol };
  try {
    const level = await readTank(payer);
    const balance = formatAmount(level.balance, decimals);
    const detail = `${shown} holds ${balance} ${symbol} on ${chainName}`;
    const low = level.low ? [gasTankLow.tell(payer.chain, { address: owner, ...level })] : [];
    return { check: checkOf(name, low, detail), balance: { ...entry, balance, low: level.low } };
  } catch (error) {
    if (!(error instanceof AdapterError)) throw error;
    return unknownGas(payer, owner);
  }
}

/** As {@link checkGas}, for a chain that does not answer. */
export function unknownGas(
  { chain }: { readonly chain: Chain },
  owner: Address,
): { check: Check; balance: GasBalance } {
  const detail = `The balance of ${checksummed(owner)} on ${chain.name} is unknown, because the chain does not answer`;
  return {
    check: wrong(`gas tank ${chain.key}`, detail, `Fix the check of chain ${chain.key} first.`),
    balance: { chain: chain.key, chain_id: chain.id, symbol: chain.nativeCurrency.symbol, balance: null, low: null },
  };
}

/** The check when there is no gas tank. */
export function noGasTank(): Check {
  const detail = 'Off: without GIG_WALLET_MNEMONIC gigs can neither be created nor paid';
  return off(
    'gas tank',
    detail,
    'To turn it on, set GIG_WALLET_MNEMONIC to 12 or 24 BIP-39 words and keep a copy of them.',
  );
}

/** Checks the treasury. Without one the platform fee stays in the gig wallets, which is only a hint. */
export function checkTreasury({ treasuryAddress }: Config): Check {
  return treasuryAddress === null
    ? off('treasury', 'Not set: platform fees stay in the gig wallets', 'To collect them, set TREASURY_ADDRESS.')
    : well('treasury', `Platform fees go to ${checksummed(treasuryAddress)}`);
}

/** Whether clients can have events sent to them. */
export function checkEvents({ signingKey, webhookAllowPrivate }: Config): Check {
  if (signingKey === null)
    return off(
      'events',
      'Clients can read events, but none is sent to webhooks',
      'To turn webhooks on, set SIGNING_KEY.',
    );
  return webhookAllowPrivate
    ? well('events', 'Events are sent, also to private addresses, because WEBHOOK_ALLOW_PRIVATE is true')
    : well('events', 'Events are sent to public addresses');
}

/** Whether the platforms that are on can reach this service. */
export function checkPublicUrl(config: Config): Check {
  const problem = publicUrlProblem(config);
  return problem === null ? well('public url', config.publicUrl) : wrong('public url', problem.detail, problem.remedy);
}

/** The credentials and the webhook of every platform that is on. */
export async function checkPlatforms(context: Context, config: Config): Promise<Check[]> {
  const platforms = await context.platforms(config);
  const isOff = ({ id, slug }: PlatformFacts) => off(slug, `Off; to turn it on, set ${variablesOf(id).join(', ')}`);
  const results = PLATFORMS.map(
    async (row) =>
      (await platforms.get(row.id)?.check(webhookUrl(config, row.id), await findWatched(context, config, row.id))) ?? [
        isOff(row),
      ],
  );
  return (await Promise.all(results)).flat();
}
