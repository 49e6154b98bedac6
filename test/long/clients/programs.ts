import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Service } from '../../http/service.ts';

/** The installed packages. */
export const PACKAGES = fileURLToPath(new URL('../../../node_modules', import.meta.url));

/** Nothing may be looked up or told anybody on the way. */
const QUIET = {
  REDOCLY_TELEMETRY: 'off',
  REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true',
  DO_NOT_TRACK: '1',
  NO_COLOR: '1',
  CI: 'true',
};

/** The path of a file beside this one. */
export function beside(name: string): string {
  return fileURLToPath(new URL(name, import.meta.url));
}

/** Runs the command of an installed package in a folder; resolves with its exit code and what it printed. */
export function runPackage(
  command: { file: string; args: readonly string[]; nodeArgs?: readonly string[] },
  folder: string,
): Promise<{ code: number; output: string }> {
  const { file, args, nodeArgs } = command;
  return runNode([join(PACKAGES, file), ...args], folder, nodeArgs);
}

/** As {@link runPackage}, for a script. */
export function runNode(
  args: readonly string[],
  folder: string,
  nodeArgs: readonly string[] = [],
): Promise<{ code: number; output: string }> {
  // The generators start a process of their own, which must load the same.
  const env = { PATH: process.env['PATH'] ?? '', HOME: folder, ...QUIET, NODE_OPTIONS: nodeArgs.join(' ') };
  return new Promise((resolve) => {
    execFile(process.execPath, args, { cwd: folder, env }, (error, stdout, stderr) => {
      const code = error === null ? 0 : Number(error.code ?? 1);
      resolve({ code, output: code === 0 ? stdout : `${stdout}\n${stderr}` });
    });
  });
}

/** Writes the document of a service into a folder. */
export async function writeDocument(service: Service, folder: string): Promise<string> {
  const path = join(folder, 'openapi.json');
  await writeFile(path, await (await service.app.request('/api/openapi.json')).text());
  return path;
}
