import type { Command } from 'commander';
import { createPayerChains, listPayerContracts } from '../../chain/registry.ts';
import { createWallets } from '../../chain/wallets.ts';
import { type Config, ConfigError } from '../../config.ts';
import type { BlockRef } from '../../domain/chains/block.ts';
import { checksummed } from '../../domain/gigs/token.ts';
import type { CheckMark } from '../../domain/mentions/mention.ts';
import { examples } from '../arguments.ts';
import type { Context } from '../context.ts';
import { plain, printJson } from '../output.ts';
import { checkAnswers } from './doctor-answers.ts';
import {
  type Check,
  checkChain,
  checkEndpoints,
  checkEvents,
  checkFiles,
  checkGas,
  checkPayer,
  checkPlatforms,
  checkPublicUrl,
  checkSettings,
  checkStore,
  checkTreasury,
  type GasBalance,
  noGasTank,
  unknownGas,
} from './doctor-checks.ts';
import { checkAlerts, checkConditions, checkDisk, checkSeen } from './doctor-conditions.ts';
import { checkLabels, checkWatching } from './doctor-earning.ts';
import { checkLost } from './doctor-lost.ts';
import { checkNotifications } from './doctor-notifications.ts';
import { checkMnemonic, checkPayments, checkRefunds } from './doctor-payments.ts';
import { checkSignIn } from './doctor-sign-in.ts';
import { checkConsole, checkSite } from './doctor-site.ts';
import { checkSnaps } from './doctor-snaps.ts';
import { checkIds, checkStoreStatus } from './doctor-store.ts';
import { checkKeyWebhooks } from './doctor-webhooks.ts';

const MARKS = {
  passed: { sign: '✓', words: 'passed' },
  warning: { sign: '!', words: 'to look at' },
  off: { sign: '–', words: 'off' },
  failed: { sign: '✗', words: 'failed' },
} as const satisfies Record<CheckMark, { sign: string; words: string }>;

interface Report {
  readonly checks: readonly Check[];
  /** Without a mnemonic there is no address and no balance. */
  readonly gas_tank: { readonly address: string | null; readonly balances: readonly GasBalance[] };
}

const NO_TANK: Report['gas_tank'] = { address: null, balances: [] };

/** A strange store belongs to another mnemonic: its wallets are not derived from this one. */
async function inspectChains(
  context: Context,
  config: Config,
  options: { strange: boolean; anchors: ReadonlyMap<number, BlockRef> },
): Promise<Report> {
  const { gigWalletMnemonic: mnemonic } = config;
  const chains = context.chains();
  const wallets = mnemonic === null || options.strange ? null : createWallets(mnemonic);
  const tank = wallets?.gasTankAddress() ?? null;
  const payerChains = wallets && createPayerChains({ ...context.endpoints(), wallets });
  const found = await Promise.all(
    config.chains.map(async ({ chain, rpcUrls: [rpcUrl] }) => {
      const reader = chains.reader(chain.id);
      const check = await checkChain(reader, { rpcUrl, anchor: options.anchors.get(chain.id) ?? null });
      const checks = [check, ...checkEndpoints(reader)];
      if (tank === null || payerChains === null) return { checks, gas: null };
      const gas = check.ok ? await checkGas(payerChains.payer(chain.id), tank) : unknownGas(reader, tank);
      return { checks, gas };
    }),
  );
  const gas = found.flatMap((each) => (each.gas === null ? [] : [each.gas]));
  const off = options.strange ? [] : [noGasTank()];
  return {
    checks: [...found.flatMap(({ checks }) => checks), ...(tank === null ? off : gas.map(({ check }) => check))],
    gas_tank: { address: tank && checksummed(tank), balances: gas.map(({ balance }) => balance) },
  };
}

async function readAnchors(context: Context, config: Config): Promise<ReadonlyMap<number, BlockRef>> {
  return await context.withStore(async (store) => {
    const anchors = config.chains.map(async ({ chain }) => [chain.id, await store.chainAnchor(chain.id)] as const);
    return new Map((await Promise.all(anchors)).flatMap(([id, anchor]) => (anchor === null ? [] : [[id, anchor]])));
  });
}

async function inspectStore(context: Context, config: Config): Promise<Check[]> {
  const check = await checkStore(context, config);
  if (!check.ok) return [check];
  const mnemonic = await checkMnemonic(context, config);
  return [
    check,
    ...checkFiles(config),
    ...(await checkStoreStatus(context, config)),
    ...mnemonic,
    await checkIds(context),
    await checkDisk(context),
    ...(await checkConditions(context, config)),
    ...(mnemonic.length === 0 ? await checkLost(context, config) : []),
    await checkWatching(context, config),
    await checkPayments(context, config),
    ...(await checkSeen(context, config)),
    await checkAlerts(context, config),
    await checkNotifications(context, config),
    await checkAnswers(context),
    ...(await checkKeyWebhooks(context)),
    await checkRefunds(context, config),
  ];
}

async function inspect(context: Context): Promise<Report> {
  let config: Config;
  try {
    config = context.config();
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    const remedy = 'Fix it in .env or in the environment; .env.example explains every variable.';
    const checks = error.problems.map((detail) => ({ name: 'configuration', ok: false, detail, remedy }));
    return { checks: [...checks, ...checkSettings(context)], gas_tank: NO_TANK };
  }
  const store = await inspectStore(context.withoutFloors(), config);
  const strange = store.some(({ name, ok }) => name === 'mnemonic' && !ok);
  const payerContracts = listPayerContracts(context.endpoints());
  const isRead = store.every(({ name, ok }) => name !== 'store' || ok);
  const anchors = isRead ? await readAnchors(context.withoutFloors(), config) : new Map<number, BlockRef>();
  const [chains, platforms] = await Promise.all([
    inspectChains(context, config, { strange, anchors }),
    checkPlatforms(context, config),
  ]);
  const pays = config.gigWalletMnemonic !== null;
  const answers = (key: string) => chains.checks.some(({ name, ok }) => name === `chain ${key}` && ok);
  const payers = await Promise.all(
    payerContracts.map((each) => checkPayer(each, { pays, answers: answers(each.chain.key) })),
  );
  const configuration = { name: 'configuration', ok: true, detail: 'All variables are valid', remedy: '' };
  const known = [
    configuration,
    ...checkSettings(context),
    ...store,
    ...chains.checks,
    ...payers,
    checkTreasury(config),
    checkEvents(config),
    checkPublicUrl(config),
    checkConsole(config),
    ...(await checkSignIn(config)),
    await checkSnaps(context, config),
    ...(await checkSite(config)),
    await checkLabels(context, config),
    ...platforms,
  ];
  return { checks: known, gas_tank: chains.gas_tank };
}

function markOf({ mark, ok }: Check): CheckMark {
  return mark ?? (ok ? 'passed' : 'failed');
}

function printChecks(context: Context, checks: readonly Check[]): void {
  for (const check of checks) {
    const { name, detail, remedy } = check;
    context.print(`${MARKS[markOf(check)].sign} ${name}: ${plain(detail)}`);
    if (remedy !== '') context.print(`    ${plain(remedy)}`);
  }
  const counts = Object.entries(MARKS).map(([mark, { sign, words }]) => {
    return `${sign} ${checks.filter((check) => markOf(check) === mark).length} ${words}`;
  });
  context.print(`${checks.length === 1 ? '1 check' : `${checks.length} checks`}: ${counts.join(', ')}`);
}

async function diagnose(context: Context, options: { json: boolean }): Promise<void> {
  const { checks, gas_tank } = await inspect(context);
  if (options.json)
    printJson(context, { checks: checks.map((check) => ({ ...check, mark: markOf(check) })), gas_tank });
  else printChecks(context, checks);
  const failed = checks.filter(({ ok }) => !ok).length;
  if (failed > 0) context.fail(`${failed} of ${checks.length} checks failed.`);
}

/** `doctor`: whether everything that the configuration names works. */
export function addDoctorCommand(program: Command, context: Context): void {
  const command = program
    .command('doctor')
    .description(
      'check the configuration, the store, the disk, the gigs, the chains, the gas tank and both platforms, and say what to do about each ' +
        'problem. The database is created if it does not exist; nothing else is changed. Exits with 1 when a check fails.',
    )
    .option(
      '--json',
      'as one JSON object: {checks: [{name, ok, mark, detail, remedy}], gas_tank: {address, balances}}',
      false,
    )
    .action((options: { json: boolean }) => diagnose(context, options));
  examples(command, 'doctor', 'doctor --json');
}
