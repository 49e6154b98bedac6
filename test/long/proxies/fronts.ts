import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { vi } from 'vitest';
import { freePort } from '../../../sandbox/port.ts';
import { findProgram } from '../../support/programs.ts';
import { send } from './client.ts';

const DOCUMENT = readFileSync(join(import.meta.dirname, '../../../docs/operate/proxies.md'), 'utf8');
const HOST = 'gigs.example.org';
const BODIES = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];

/** A way to the service: a proxy, or one behind another. */
export type Way = 'nginx' | 'caddy' | 'nginx behind caddy';
export const WAYS: readonly Way[] = ['nginx', 'caddy', 'nginx behind caddy'];

/** Where a front answers with TLS, and how its certificate is checked. */
export interface Front {
  readonly host: string;
  readonly port: number;
  readonly ca: string;
}

/** The block of this language in the document. @throws Error when there is not exactly one */
function snippetOf(language: string): string {
  const blocks = [...DOCUMENT.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, 'gm'))];
  const [, text] = blocks.length === 1 ? (blocks[0] ?? []) : [];
  if (text === undefined) throw new Error(`the document has ${blocks.length} blocks of ${language}`);
  return text;
}

/** Puts a test's own places into a snippet. @throws Error when one of the replaced texts is not there */
function adapt(snippet: string, changes: Readonly<Record<string, string>>): string {
  return Object.entries(changes).reduce((text, [from, to]) => {
    if (!text.includes(from)) throw new Error(`the snippet has no ${from}`);
    return text.replace(from, () => to);
  }, snippet);
}

interface Places {
  readonly folder: string;
  readonly service: number;
  readonly ports: Readonly<Record<Way | 'plain nginx', number>>;
}

function nginxConfig({ folder, service, ports }: Places): string {
  const [upstream = '', server = ''] = snippetOf('nginx').split(/^(?=server \{)/m);
  const tls = adapt(server, {
    'listen 443 ssl http2': `listen 127.0.0.1:${ports.nginx} ssl http2`,
    [`/etc/ssl/${HOST}.pem`]: `${folder}/tls.pem`,
    [`/etc/ssl/${HOST}.key`]: `${folder}/tls.key`,
  });
  const plain = adapt(server, { 'listen 443 ssl http2': `listen 127.0.0.1:${ports['plain nginx']}` });
  return [
    // Root's workers would be `nobody`, who cannot write to the folder.
    ...(process.getuid?.() === 0 ? ['user root;'] : []),
    `daemon off;\nworker_processes 1;\npid ${folder}/nginx.pid;\nerror_log stderr;\nevents {}\nhttp {\naccess_log off;`,
    ...BODIES.map((name) => `${name}_temp_path ${folder}/${name};`),
    adapt(upstream, { '127.0.0.1:3000': `127.0.0.1:${service}` }),
    tls,
    plain.replaceAll(/^ *ssl_.*$/gm, ''),
    '}',
  ].join('\n');
}

function caddyConfig({ folder, service, ports }: Places): string {
  const site = (way: Way, upstream: number) =>
    adapt(snippetOf('caddyfile'), {
      [`${HOST} {`]: `https://${HOST}:${ports[way]} {\nbind 127.0.0.1\ntls ${folder}/tls.pem ${folder}/tls.key`,
      '127.0.0.1:3000': `127.0.0.1:${upstream}`,
    });
  return [
    '{\nadmin off\nauto_https off\n}',
    site('caddy', service),
    site('nginx behind caddy', ports['plain nginx']),
  ].join('\n');
}

function makeCertificate(folder: string): string {
  const subject = ['-subj', `/CN=${HOST}`, '-addext', `subjectAltName=DNS:${HOST}`, '-days', '2'];
  const files = ['-keyout', join(folder, 'tls.key'), '-out', join(folder, 'tls.pem')];
  execFileSync('openssl', ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', ...subject, ...files], { stdio: 'ignore' });
  return readFileSync(join(folder, 'tls.pem'), 'utf8');
}

/** Starts a program that stays in the foreground; the answer ends it. */
function start(name: string, args: readonly string[], folder: string) {
  const homes = { HOME: folder, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder };
  const child = spawn(findProgram(name) ?? name, args, {
    env: { PATH: process.env['PATH'] ?? '', ...homes },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => (output += String(text)));
  return {
    output: () => output,
    stop: async () => {
      if (child.exitCode !== null || child.signalCode !== null) return;
      child.kill('SIGTERM');
      await once(child, 'close');
    },
  };
}

/** Runs nginx and Caddy with the snippets of the document before a service on this port of loopback. */
export async function openFronts(service: number) {
  const folder = mkdtempSync(join(tmpdir(), 'gigclaim-proxies-'));
  for (const name of BODIES) mkdirSync(join(folder, name));
  const ports = {
    nginx: await freePort(0),
    caddy: await freePort(0),
    'nginx behind caddy': await freePort(0),
    'plain nginx': await freePort(0),
  };
  const places = { folder, service, ports };
  const ca = makeCertificate(folder);
  writeFileSync(join(folder, 'nginx.conf'), nginxConfig(places));
  writeFileSync(join(folder, 'Caddyfile'), caddyConfig(places));
  const programs = [
    start('nginx', ['-p', folder, '-c', join(folder, 'nginx.conf')], folder),
    start('caddy', ['run', '--config', join(folder, 'Caddyfile'), '--adapter', 'caddyfile'], folder),
  ];
  const front = (way: Way): Front => ({ host: HOST, port: ports[way], ca });
  async function close() {
    await Promise.all(programs.map(({ stop }) => stop()));
    rmSync(folder, { recursive: true, force: true });
  }
  try {
    // An operator's path is answered by the proxies themselves.
    for (const way of WAYS) await vi.waitFor(() => send(front(way), { path: '/metrics' }), { timeout: 20_000 });
  } catch (error) {
    await close();
    throw new Error(programs.map(({ output }) => output()).join('\n'), { cause: error });
  }
  return { front, close };
}

export type Fronts = Awaited<ReturnType<typeof openFronts>>;
