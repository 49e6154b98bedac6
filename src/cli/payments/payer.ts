import type { Command } from 'commander';
import { type ContractState, PayerDeploymentFailed } from '../../chain/payer/deploy/deploy.ts';
import type { PayerContractState, PayerContracts } from '../../chain/payer/deploy/deployment.ts';
import { listPayerContracts } from '../../chain/registry.ts';
import { createWallets, type Wallets } from '../../chain/wallets.ts';
import { ConfigError } from '../../config.ts';
import { formatAmount } from '../../domain/amount.ts';
import type { Chain } from '../../domain/chains/chain.ts';
import { AdapterError, DomainError, invalidRequest } from '../../domain/errors.ts';
import { checksummed } from '../../domain/gigs/token.ts';
import { findMnemonicProblem } from '../../services/payments/mnemonic.ts';
import type { Store } from '../../store/port/index.ts';
import { chain, examples } from '../arguments.ts';
import type { Context } from '../context.ts';
import { plain, printFields, printJson } from '../output.ts';

interface Row {
  readonly chain: string;
  readonly chain_id: number;
  readonly contracts: readonly { readonly name: string; readonly address: string; readonly state: ContractState }[];
  /** Names of the contracts that this run has deployed. */
  readonly deployed: readonly string[];
  /** Whole coins, as decimal text. */
  readonly gas_spent: string;
  readonly symbol: string;
  readonly error: string | null;
}

const STATES = { deployed: 'deployed', absent: 'not deployed', foreign: 'OTHER CODE' } as const;

/** @throws DomainError for a chain that is not enabled */
function contractsOf(context: Context, named: readonly Chain[]): PayerContracts[] {
  const enabled = context.config().chains.map(({ chain: { key } }) => key);
  const off = named.filter(({ key }) => !enabled.includes(key)).map(({ key }) => key);
  if (off.length > 0) {
    const are = off.length === 1 ? 'is' : 'are';
    throw invalidRequest(`${off.join(', ')} ${are} not enabled: CHAINS names ${enabled.join(', ')}.`);
  }
  const all = listPayerContracts(context.endpoints());
  return named.length === 0 ? all : all.filter((each) => named.some(({ id }) => id === each.chain.id));
}

function rowOf(on: Chain, found: Partial<Row> & { states?: readonly PayerContractState[] }): Row {
  const { states = [], deployed = [], gas_spent = '0', error = null } = found;
  return {
    chain: on.key,
    chain_id: on.id,
    contracts: states.map(({ name, address, state }) => ({ name, address: checksummed(address), state })),
    deployed,
    gas_spent,
    symbol: on.nativeCurrency.symbol,
    error,
  };
}

/** A failure becomes a row, so that one chain does not keep the others from their work. */
async function attempted(on: Chain, work: () => Promise<Row>): Promise<Row> {
  try {
    return await work();
  } catch (error) {
    const isExpected =
      error instanceof AdapterError || error instanceof DomainError || error instanceof PayerDeploymentFailed;
    if (!isExpected) throw error;
    return rowOf(on, { error: error.message });
  }
}

function print(context: Context, rows: readonly Row[], { json }: { json: boolean }): void {
  if (json) printJson(context, rows);
  for (const row of json ? [] : rows) {
    const states = row.contracts.map(({ name, address, state }): [string, string] => {
      return [name, `${address} ${row.deployed.includes(name) ? 'deployed now' : STATES[state]}`];
    });
    const spent: [string, string][] =
      row.deployed.length === 0 ? [] : [['gas spent', `${row.gas_spent} ${row.symbol}`]];
    context.print(`${row.chain}:`);
    printFields(context, Object.fromEntries([...states, ...spent]));
  }
  for (const { chain: key, error } of rows) {
    if (error !== null) context.fail(plain(`${key}: ${error.replace(`chain ${key}: `, '')}`));
  }
}

async function status(context: Context, named: readonly Chain[], options: { json: boolean }): Promise<void> {
  const contracts = contractsOf(context, named);
  const rows = contracts.map((each) =>
    attempted(each.chain, async () => rowOf(each.chain, { states: await each.state() })),
  );
  const found = await Promise.all(rows);
  print(context, found, options);
  for (const { chain: key, contracts: states } of found) {
    const lacking = states.filter(({ state }) => state !== 'deployed').map(({ name }) => name);
    if (lacking.length > 0) context.fail(`${key}: nothing is paid there without ${lacking.join(' and ')}.`);
  }
}

async function deployOn(on: PayerContracts, wallets: Wallets): Promise<Row> {
  const before = await on.state();
  if (before.every(({ state }) => state === 'deployed')) return rowOf(on.chain, { states: before });
  const { deployed, cost } = await on.deploy(wallets.gasTankAccount());
  const spent = formatAmount(cost, on.chain.nativeCurrency.decimals);
  return rowOf(on.chain, { states: await on.state(), deployed, gas_spent: spent });
}

async function deploy(context: Context, named: readonly Chain[], options: { json: boolean }): Promise<void> {
  const contracts = contractsOf(context, named);
  const { gigWalletMnemonic } = context.config();
  if (gigWalletMnemonic === null) throw new DomainError({ code: 'wallets_off' });
  const wallets = createWallets(gigWalletMnemonic);

  async function all(store: Store | null): Promise<Row[]> {
    const problem = store === null ? null : await findMnemonicProblem(store, wallets);
    if (problem !== null) throw new ConfigError([problem]);
    const rows = await Promise.all(contracts.map((each) => attempted(each.chain, () => deployOn(each, wallets))));
    const tank = checksummed(wallets.gasTankAddress());
    const withTank = (error: string) => (error.includes(tank) ? error : `${error} (gas tank ${tank})`);
    return rows.map((row) => (row.error === null ? row : { ...row, error: withTank(row.error) }));
  }

  print(context, context.hasDatabase() ? await context.withStore(all) : await all(null), options);
}

const JSON_OPTION =
  'as a JSON array of {chain, chain_id, contracts: [{name, address, state}], deployed, gas_spent, symbol, error}';

function chains(key: string, before: readonly Chain[] = []): Chain[] {
  return [...before, chain(key)];
}

/** `payer deploy|status`: the contracts by which gig wallets pay each number once. */
export function addPayerCommands(program: Command, context: Context): void {
  const payer = program.command('payer').description('the contracts by which gig wallets pay each tip once');
  const deployment = payer
    .command('deploy')
    .description(
      'deploy the contracts where they are missing, with the gas tank’s key and money; doing it again does nothing. ' +
        'They have the same address and code on every chain. Nothing is paid on a chain without them.',
    )
    .argument('[chain...]', 'keys of enabled chains; all of CHAINS when left out', chains)
    .option('--json', JSON_OPTION, false)
    .action((named: Chain[], options: { json: boolean }) => deploy(context, named, options));
  examples(deployment, 'payer deploy', 'payer deploy base optimism');
  const shown = payer
    .command('status')
    .description(
      'whether the contracts are deployed with the committed code; nothing is changed. Exits with 1 when an enabled chain ' +
        'lacks one or does not answer.',
    )
    .argument('[chain...]', 'keys of enabled chains; all of CHAINS when left out', chains)
    .option('--json', JSON_OPTION, false)
    .action((named: Chain[], options: { json: boolean }) => status(context, named, options));
  examples(shown, 'payer status', 'payer status --json');
}
