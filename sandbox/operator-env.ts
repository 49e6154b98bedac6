import { rmSync, writeFileSync } from 'node:fs';

const CLOCK = new URL('./operator-clock.js', import.meta.url).href;

/** The file beside that of the state from which a shell takes the variables of operator's commands. */
export function operatorEnvFile(stateFile: string): string {
  return `${stateFile.replace(/\.json$/u, '')}.env`;
}

/** The file beside that of the state with the sandbox's key for the API, for `listen`. */
export function operatorKeyFile(stateFile: string): string {
  return `${stateFile.replace(/\.json$/u, '')}.key`;
}

function exported([name, value]: readonly [string, string]): string {
  return `export ${name}='${value.replaceAll("'", "'\\''")}'\n`;
}

/** Writes the variables with which the operator's commands have what the service has, and its time. */
export function writeOperatorEnv(stateFile: string, env: Readonly<Record<string, string>>): void {
  const all = { ...env, SANDBOX_STATE_FILE: stateFile, NODE_OPTIONS: `--import=${CLOCK}` };
  writeFileSync(operatorEnvFile(stateFile), Object.entries(all).map(exported).join(''));
}

/** Writes the sandbox's key for the API, which is worthless anywhere else. */
export function writeOperatorKey(stateFile: string, apiKey: string): void {
  writeFileSync(operatorKeyFile(stateFile), `${apiKey}\n`);
}

/** Removes what {@link writeOperatorEnv} and {@link writeOperatorKey} wrote. */
export function clearOperatorEnv(stateFile: string): void {
  rmSync(operatorEnvFile(stateFile), { force: true });
  rmSync(operatorKeyFile(stateFile), { force: true });
}
