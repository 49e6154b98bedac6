import { accessSync, constants, existsSync, lstatSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { generateMnemonic } from '@scure/bip39';
import { wordlist } from '@scure/bip39/wordlists/english.js';
import type { Command } from 'commander';
import { ConfigError, loadConfig } from '../../config.ts';
import { CHAINS } from '../../domain/chains/chain.ts';
import { invalidRequest } from '../../domain/errors.ts';
import { PLATFORM_DEFINITIONS } from '../../platforms/index.ts';
import { examples } from '../arguments.ts';
import type { Context } from '../context.ts';
import type { Questions } from './questions.ts';
import { settingLine, settingsText, writeOnce } from './settings-file.ts';

const MNEMONIC = 'GIG_WALLET_MNEMONIC';
const SECRET = /KEY|SECRET|TOKEN|SIGNER|MNEMONIC/;
const YES_OR_NO: Readonly<Record<string, boolean>> = { y: true, yes: true, n: false, no: false, '': false };

type Settings = Record<string, string>;

/** What the questions are asked with, and the answers so far. */
interface Interview {
  readonly questions: Questions;
  readonly print: (line: string) => void;
  readonly settings: Settings;
}

interface Question {
  readonly name: string;
  /** What it is for, and what an empty answer means; null where the name says it. */
  readonly about: string | null;
  readonly isNeeded?: boolean;
}

async function answerTo({ questions }: Interview, prompt: string, isSecret = false): Promise<string> {
  const answer = await questions.ask(prompt, { isSecret });
  if (answer === null) throw invalidRequest('The input ended before the last question. Nothing was written.');
  return answer;
}

/** What is wrong with one setting among others, as the start of the service would say it; null when it is right. */
function problemOf(name: string, settings: Settings): string | null {
  try {
    loadConfig(settings);
    return settingLine(name, settings[name] ?? '') === null ? `${name} must not have all three kinds of quotes` : null;
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return error.problems.find((problem) => problem.startsWith(`${name} `)) ?? null;
  }
}

async function askSetting(interview: Interview, { name, about, isNeeded = false }: Question): Promise<void> {
  const { print, settings } = interview;
  if (about !== null) print(about);
  for (;;) {
    const value = await answerTo(interview, `${name}: `, SECRET.test(name));
    if (value === '' && !isNeeded) return;
    const problem = value === '' ? `${name} is needed here` : problemOf(name, { ...settings, [name]: value });
    if (problem === null) {
      settings[name] = value;
      return;
    }
    print(`  ${problem}.`);
  }
}

async function askWhether(interview: Interview, question: string): Promise<boolean> {
  for (;;) {
    const answer = YES_OR_NO[(await answerTo(interview, `${question} (yes or no) [no]: `)).toLowerCase()];
    if (answer !== undefined) return answer;
    interview.print('  Enter yes or no.');
  }
}

async function askChains(interview: Interview): Promise<void> {
  const known = CHAINS.map(({ key }) => key).join(', ');
  await askSetting(interview, {
    name: 'CHAINS',
    about: `Chains on which gigs pay, comma-separated: ${known}. Enter: base.`,
  });
  for (const { chain } of loadConfig(interview.settings).chains) {
    const isLocal = chain.publicRpcUrl.startsWith('http://127.');
    const usual = isLocal ? chain.publicRpcUrl : 'the public one, which is slow';
    const about = `JSON-RPC endpoint of ${chain.name}, or several, comma-separated. Enter: ${usual}.`;
    await askSetting(interview, { name: `RPC_URL_${chain.id}`, about });
  }
}

async function askMnemonic(interview: Interview): Promise<void> {
  const { print, settings } = interview;
  print('Mnemonic of all gig wallets. Enter "new" for a new one, your own 12 to 24 words, or nothing to set it later.');
  for (;;) {
    const value = await answerTo(interview, `${MNEMONIC}: `, true);
    if (value === '') return;
    const words = value.toLowerCase() === 'new' ? generateMnemonic(wordlist) : value;
    const problem = problemOf(MNEMONIC, { ...settings, [MNEMONIC]: words });
    if (problem === null) settings[MNEMONIC] = words;
    else print(`  ${problem}, or "new".`);
    if (problem !== null) continue;
    if (words !== value) await showMnemonic(interview, words);
    return;
  }
}

async function showMnemonic(interview: Interview, words: string): Promise<void> {
  interview.print('Write these words down, and keep them off this machine. Without them the money is lost:');
  interview.print(`  ${words}`);
  while (!(await askWhether(interview, 'Have you written them down?'))) {
    interview.print('  Write them down, then enter yes.');
  }
}

async function askPlatforms(interview: Interview): Promise<void> {
  const { print } = interview;
  for (const { facts, needed, issued } of PLATFORM_DEFINITIONS) {
    if (!(await askWhether(interview, `Is there a bot account on ${facts.label}, with its API keys?`))) continue;
    print(`docs/operate.md#accounts says where ${facts.label} gives these.`);
    for (const name of Object.keys(needed)) {
      const isIssued = issued?.variable === name;
      const about = isIssued ? 'Enter nothing if you have none yet: "webhooks register" prints it.' : null;
      await askSetting(interview, { name, about, isNeeded: !isIssued });
    }
  }
}

async function interviewAll(interview: Interview): Promise<void> {
  await askChains(interview);
  await askMnemonic(interview);
  await askSetting(interview, {
    name: 'TREASURY_ADDRESS',
    about: 'Address that receives the platform fee. Enter: the fee stays in the gig’s wallet.',
  });
  await askSetting(interview, {
    name: 'PUBLIC_URL',
    about: 'URL at which people and platforms reach this service. Enter: http://localhost:3000, for a first look.',
  });
  await askSetting(interview, {
    name: 'SIGN_IN',
    about: 'How owners sign in to the console: farcaster, wallet, or farcaster,wallet. Enter: there is no console.',
  });
  await askPlatforms(interview);
}

/** What is left to do for settings, in its order. */
function nextSteps(settings: Settings): string[] {
  const missing = PLATFORM_DEFINITIONS.flatMap(({ issued }) =>
    issued !== undefined && issued.after in settings && !(issued.variable in settings) ? [issued.variable] : [],
  );
  return [
    ...(MNEMONIC in settings ? [] : [`Set ${MNEMONIC} in .env: without it no gig can be created or paid.`]),
    ...missing.map((name) => `Run npm run admin -- webhooks register, and set ${name} in .env to what it prints.`),
    'Start the service: npm start',
    ...(MNEMONIC in settings ? ['Fund the gas tank that doctor names. Then run npm run admin -- payer deploy.'] : []),
    'Create an API key for your program: npm run admin -- api-key create --name my-client',
    'Run npm run admin -- doctor until no line is marked ✗.',
  ];
}

function refuseExisting(path: string): never {
  throw invalidRequest(`There is already ${path}. Edit it, or move it away and run init again. It was not changed.`);
}

function refuseReadOnly(folder: string): void {
  try {
    accessSync(folder, constants.W_OK);
  } catch {
    throw invalidRequest(`This account may not write to ${folder}. Run init in its own folder.`);
  }
}

async function init({ print, setup }: Context): Promise<void> {
  if (setup === null) throw new TypeError('init needs a place to set up');
  const path = join(setup.folder, '.env');
  if (lstatSync(path, { throwIfNoEntry: false }) !== undefined) refuseExisting(path);
  refuseReadOnly(setup.folder);
  const questions = setup.questions();
  const settings: Settings = {};
  print(`This writes ${path}. Nothing is written before the last answer; Ctrl-C stops.`);
  try {
    await interviewAll({ questions, print, settings });
  } finally {
    questions.close();
  }
  const example = join(setup.program, '.env.example');
  const text = settingsText(existsSync(example) ? readFileSync(example, 'utf8') : '', settings);
  if (!writeOnce(path, text)) refuseExisting(path);
  print(`Wrote ${path}, which only your account can read. It explains every other setting.`);
  print('');
  await setup.run(['doctor'], settings);
  print('');
  print('Next:');
  for (const [index, step] of nextSteps(settings).entries()) print(`  ${index + 1}. ${step}`);
}

/** `init`: asks for what a first start needs, and writes `.env`. */
export function addInitCommand(program: Command, context: Context): void {
  const command = program
    .command('init')
    .description(
      'ask for the settings that a first start needs, write them to .env in the current folder, and run doctor. It takes its ' +
        'answers from the terminal, or line by line from a pipe, and changes no .env that exists',
    )
    .action(() => init(context));
  examples(command, 'init');
}
