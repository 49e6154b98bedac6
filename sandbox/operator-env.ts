import { rmSync, writeFileSync } from 'node:fs';

const CLOCK = new URL('./operator-clock.js', import.meta.url).href;

/** The file beside that of the state from which a shell takes the variables of operator's commands. */
export function operatorEnvFile(stateFile: string): string {
  return `${stateFile.replace(/\.json$/u, '')}.env`;
}

function exported([name, value]: readonly [string, string]): string {
  return `export ${name}='${value.replaceAll("'", "'\\''")}'\n`;
}

/** Writes the variables with which the operator's commands have what the service has, and its time. */
export function writeOperatorEnv(stateFile: string, env: Readonly<Record<string, string>>): void {
  const all = { ...env, SANDBOX_STATE_FILE: stateFile, NODE_OPTIONS: `--import=${CLOCK}` };
  writeFileSync(operatorEnvFile(stateFile), Object.entries(all).map(exported).join(''));
}

/** Removes what {@link writeOperatorEnv} wrote. */
export function clearOperatorEnv(stateFile: string): void {
  rmSync(operatorEnvFile(stateFile), { force: true });
}
