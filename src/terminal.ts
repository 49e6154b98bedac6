import { isIPv6 } from 'node:net';
import { type Config, variablesOf } from './config.ts';
import { consoleWords } from './domain/owners/console-words.ts';
import type { Problem } from './domain/payments/hold-up.ts';
import { plain } from './domain/plain-text.ts';
import { PLATFORMS } from './domain/platforms/platforms.ts';
import { databaseRemedy, isPostgres, serverDatabaseName } from './domain/settings/database-url.ts';

export interface ServicePart {
  readonly name: string;
  /** What it is set to; null while it is off. */
  readonly on: string | null;
  /** The variables that turn it on. */
  readonly variables: readonly string[];
}

/** The parts of a configuration that can be off. */
export function partsOf(config: Config): ServicePart[] {
  const { gigWalletMnemonic, alertWebhooks } = config;
  const platforms = PLATFORMS.map(({ id, label }) => {
    const username = config.platforms.find((platform) => platform.id === id)?.settings.botUsername;
    return { name: label, on: username === undefined ? null : `@${username}`, variables: variablesOf(id) };
  });
  return [
    ...platforms,
    { name: 'Gig wallets', on: gigWalletMnemonic === null ? null : 'on', variables: ['GIG_WALLET_MNEMONIC'] },
    { name: 'Console', on: consoleWords(config), variables: ['SIGN_IN', 'OWNER_CREATE'] },
    { name: 'Alerts', on: alertWebhooks.length === 0 ? null : 'on', variables: ['ALERT_WEBHOOK_URL'] },
  ];
}

/** What a part is set to, or what turns it on. */
export function partText({ on, variables }: ServicePart): string {
  return on ?? `off; to turn it on, set ${variables.join(', ')}`;
}

function localUrl(host: string, port: number): string {
  const isAny = host === '0.0.0.0' || host === '::';
  const name = isIPv6(host) && !isAny ? `[${host}]` : host;
  return `http://${isAny ? 'localhost' : name}:${port}`;
}

function table(rows: readonly (readonly [name: string, value: string])[]): string[] {
  const width = Math.max(...rows.map(([name]) => name.length));
  return rows.map(([name, value]) => `  ${name.padEnd(width)}  ${value}`);
}

/** What a start prints on a terminal: what listens where, and which parts are on. */
export function listeningText(
  config: Config,
  { version, port, adminPort }: { version: string; port: number; adminPort: number | null },
): string {
  const { host, publicUrl, databaseUrl, chains } = config;
  const local = localUrl(host, port);
  const operators = adminPort === null ? local : localUrl(host, adminPort);
  const listening: [string, string][] = [
    ['API and pages', local],
    ['API reference', `${local}/api/docs`],
    ['Operator', `${operators}/admin, ${operators}/ready, ${operators}/metrics`],
    ['For others', publicUrl],
  ];
  const parts: [string, string][] = [
    ['Database', isPostgres(databaseUrl) ? serverDatabaseName(databaseUrl) : databaseUrl],
    ['Chains', chains.map(({ chain }) => chain.key).join(', ')],
    ...partsOf(config).map((part): [string, string] => [part.name, partText(part)]),
  ];
  const lines = ['', `gigclaim ${version} listens.`, '', ...table([...listening, ...parts])];
  return [...lines, '', 'Ctrl-C stops it. Its log follows.', '', ''].join('\n');
}

function listenProblem(code: string, { host, port }: { host: string; port: number }): Problem | null {
  switch (code) {
    case 'EADDRINUSE':
      return {
        detail: `Another program uses port ${port} of ${host}`,
        remedy: 'Stop it, or set PORT or ADMIN_PORT to another port.',
      };
    case 'EACCES':
      return {
        detail: `This account may not listen on port ${port} of ${host}`,
        remedy: 'Set PORT and ADMIN_PORT above 1023, and let a proxy listen on 80 and 443.',
      };
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return {
        detail: `${host} is no address of this machine`,
        remedy: 'Set HOST to one that it has, such as 0.0.0.0.',
      };
    default:
      return null;
  }
}

interface Place {
  readonly databaseUrl: string;
  readonly host: string;
}

/** Why the service cannot start, if an operator can mend that; null of any other error. */
export function knownProblem(error: unknown, { databaseUrl, host }: Place): Problem | null {
  const text = plain(error instanceof Error ? error.message : String(error));
  if (error instanceof Error && 'code' in error && 'port' in error) {
    const found = listenProblem(String(error.code), { host, port: Number(error.port) });
    if (found !== null) return found;
  }
  if (text.startsWith('database ')) return { detail: `The ${text}`, remedy: databaseRemedy(databaseUrl, error) };
  return null;
}

/** Why the service cannot start, for the person at the terminal. Of an error that is not known, the log has the stack. */
export function startProblem(error: unknown, place: Place): Problem {
  const detail = plain(error instanceof Error ? error.message : String(error));
  return knownProblem(error, place) ?? { detail, remedy: 'To see where it happened, run npm start | cat.' };
}

export function problemText({ detail, remedy }: Problem): string {
  return `gigclaim cannot start. ${detail}.\n${remedy}\n`;
}

/** Fields that a person at a terminal does not need beside the message. */
const UNSHOWN = new Set(['level', 'time', 'msg', 'requestId']);

function fieldText(name: string, value: unknown): string {
  if (typeof value !== 'object' || value === null) return `${name} ${String(value)}`;
  // An error is summarized already; its stack is for the log.
  return 'message' in value ? String(value.message) : `${name} ${JSON.stringify(value)}`;
}

function parseLine(line: string): Readonly<Record<string, unknown>> | null {
  try {
    return JSON.parse(line);
  } catch {
    // A secret that was cut out of a number leaves no JSON.
    return null;
  }
}

/** A line of the log, which is JSON, as a person reads it: time, level above info, message, fields. */
export function terminalLine(line: string): string {
  const entry = parseLine(line);
  if (entry === null) return `${plain(line)}\n`;
  const time = String(entry['time']).slice(11, 19);
  const level = entry['level'] === 'info' ? '' : `${String(entry['level']).toUpperCase()} `;
  const fields = Object.entries(entry)
    .filter(([name]) => !UNSHOWN.has(name))
    .map(([name, value]) => fieldText(name, value));
  const more = fields.length === 0 ? '' : ` (${fields.join(', ')})`;
  return `${plain(`${time} ${level}${String(entry['msg'])}${more}`)}\n`;
}
