import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { expect } from 'vitest';
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

/** What programs for browsers are checked with. */
export const FOR_BROWSERS: readonly string[] = [
  ...['--lib', 'es2024,dom,dom.iterable', '--types', '', '--module', 'esnext', '--moduleResolution', 'bundler'],
];

/** Checks the types of a program in a folder strictly, with these options of the compiler. */
export async function checkTypes(folder: string, file: string, options: readonly string[]): Promise<void> {
  const args = ['--noEmit', '--strict', '--target', 'es2024', ...options, file];
  expect(await runPackage({ file: 'typescript/bin/tsc', args }, folder)).toEqual({ code: 0, output: '' });
}

/** Bundles a program of a folder and loads it. */
export async function load<Program>(folder: string, file: string): Promise<Program> {
  const outfile = join(folder, file.replace(/ts$/, 'mjs'));
  const entryPoints = [join(folder, file)];
  await build({ entryPoints, outfile, bundle: true, format: 'esm', platform: 'node', logLevel: 'silent' });
  return await import(pathToFileURL(outfile).href);
}
