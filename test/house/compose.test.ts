import { execFileSync } from 'node:child_process';
import { globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { SERVICE_PATIENCE } from '../../src/http/patience.ts';

const ROOT = join(import.meta.dirname, '../..');
const compose = readFileSync(join(ROOT, 'compose.yaml'), 'utf8');
const unit = readFileSync(join(ROOT, 'deploy/gigclaim.service'), 'utf8');
const documents = ['README.md', 'SECURITY.md', ...globSync('docs/**/*.md', { cwd: ROOT })].map((path) =>
  readFileSync(join(ROOT, path), 'utf8'),
);
/** The lines of all documents' shell examples. */
const commands = documents
  .flatMap((text) => [...text.matchAll(/```sh\n([\s\S]*?)```/g)].map(([, code]) => code ?? ''))
  .flatMap((code) => code.split('\n'));

/** A top-level block of the file: its lines without its own name. */
function block(name: string): string {
  return new RegExp(`^${name}:.*\\n((?:(?: .*)?\\n)+)`, 'm').exec(compose)?.[1] ?? '';
}

test('security: each container is read-only, without capabilities, and cannot gain privileges', () => {
  const lines = block('x-hardened').split('\n');
  expect(lines).toContain('  read_only: true');
  expect(lines).toContain('  cap_drop: [ALL]');
  expect(lines).toContain('  security_opt: ["no-new-privileges:true"]');
  expect(block('x-service').split('\n')[0]).toBe('  <<: *hardened');
  const services = [...block('services').matchAll(/^ {2}([\w-]+):\n {4}(.*)$/gm)].map(([, name, first]) => [
    name,
    first,
  ]);
  expect(services).toEqual([
    ['gigclaim', '<<: *service'],
    ['gigclaim-2', '<<: *service'],
    ['postgres', '<<: *hardened'],
    ['caddy', '<<: *hardened'],
    ['litestream', '<<: *hardened'],
  ]);
});

/** The lines of one service. */
function service(name: string): string {
  return new RegExp(`^ {2}${name}:\\n((?: {4}.*\\n)+)`, 'm').exec(compose)?.[1] ?? '';
}

/** The ports of a service that are open to others than its containers. */
function portsOf(name: string): (string | undefined)[] {
  return [...service(name).matchAll(/^ {4}ports: (.*)$/gm)].map(([, ports]) => ports);
}

test('security: the operator’s ports are open to the machine alone, and the service’s own port to Caddy alone', () => {
  expect(block('x-service')).toContain('    ADMIN_PORT: "3001"\n');
  expect(block('x-service')).not.toContain('ports:');
  expect(portsOf('gigclaim')).toEqual(['["127.0.0.1:3001:3001"]']);
  expect(portsOf('gigclaim-2')).toEqual(['["127.0.0.1:3002:3001"]']);
});

test('behavior: the bucket’s backup, PostgreSQL and the second instance are asked for by name', () => {
  expect(service('litestream')).toContain('    profiles: [backup]\n');
  expect(service('postgres')).toContain('    profiles: [postgres]\n');
  expect(service('gigclaim-2')).toContain('    profiles: [postgres]\n');
});

test('security: PostgreSQL has no port outside, and takes over the network only who knows the password', () => {
  expect(portsOf('postgres')).toEqual([]);
  expect(service('postgres')).toMatch(/^ {6}POSTGRES_PASSWORD: \$\{POSTGRES_PASSWORD:-\}$/m);
  expect(service('postgres')).toContain('      POSTGRES_INITDB_ARGS: --auth-host=scram-sha-256\n');
  expect(compose).not.toContain('POSTGRES_HOST_AUTH_METHOD');
});

test('behavior: PostgreSQL keeps its files in a volume, and both instances wait until it answers', () => {
  expect(service('postgres')).toContain('    volumes: ["postgres:/var/lib/postgresql"]\n');
  expect(compose).toMatch(/^volumes:\n(?: {2}.*\n)*? {2}postgres:\n/m);
  expect(service('postgres')).toContain('pg_isready');
  expect(block('x-service')).toMatch(
    / {4}postgres:\n {6}condition: service_healthy\n(?: {6}#.*\n)? {6}required: false\n/,
  );
});

test('behavior: by default the service has a file, and Caddy one instance', () => {
  expect(block('x-service')).toMatch(/^ {4}DATABASE_URL: \$\{DATABASE_URL:-file:\/data\/gigclaim\.db\}$/m);
  expect(service('caddy')).toMatch(/^ {6}UPSTREAM: \$\{UPSTREAM:-gigclaim:3000\}$/m);
});

test('behavior: systemd and Compose give the service more than the 10 seconds in which it drains', () => {
  expect(block('x-service')).toContain('  stop_grace_period: 15s\n');
  expect(unit).toContain('TimeoutStopSec=15\n');
});

test('security: the systemd unit runs as an account of its own, writes to its own folder and dumps no core', () => {
  for (const line of [
    ...['User=gigclaim', 'StateDirectory=gigclaim', 'UMask=0077', 'LimitCORE=0'],
    ...['NoNewPrivileges=true', 'CapabilityBoundingSet=', 'ProtectSystem=strict'],
  ]) {
    expect(unit.split('\n')).toContain(line);
  }
});

/** The shell example of a document's section that contains a text. */
function example(section: string, text: string): string {
  const operate = readFileSync(join(ROOT, 'docs/operate.md'), 'utf8');
  const body = operate.split(/^#{2,3} /m).find((part) => part.startsWith(`${section}\n`)) ?? '';
  const found = [...body.matchAll(/```sh\n([\s\S]*?)```/g)].map(([, code]) => code ?? '');
  return found.find((code) => code.includes(text)) ?? '';
}

/** The commands of an example that the next one does not depend on, except the last. */
function unchained(code: string): string[] {
  const lines = code.split('\n').filter((line) => line.trim() !== '');
  return lines.slice(0, -1).filter((line) => !line.endsWith('&&'));
}

test('security: no documented command starts the stopped service beside the one that it runs', () => {
  const runs = documents.flatMap((text) => [...text.matchAll(/docker compose run[^`\n]*/g)].map(([run]) => run));
  expect(runs.length).toBeGreaterThanOrEqual(2);
  expect(runs.filter((run) => !run.startsWith('docker compose run --rm --no-deps '))).toEqual([]);
});

test('behavior: a backup can be made again, because its name has the time in it', () => {
  const backups = commands.filter((line) => line.includes('VACUUM INTO'));
  expect(backups.length).toBeGreaterThanOrEqual(4);
  const time = /VACUUM INTO '[^']*(?:\$\(date \+%F-%H%M%S\)\.db|\/\$copy)'/;
  expect(backups.filter((line) => !time.test(line))).toEqual([]);
  expect(commands.map((line) => line.trim())).toContain('copy=gigclaim-$(date +%F-%H%M%S).db');
});

test('security: only the owner can read a backup or a restored database', () => {
  const backups = commands.filter((line) => /VACUUM INTO|pg_dump/.test(line));
  expect(backups.filter((line) => !/umask 077|umask\(0o077\)/.test(line))).toEqual([]);
  expect(example('Restore', 'systemctl')).toContain('sudo install -o gigclaim -g gigclaim -m 600 ');
  expect(example('Restore', 'litestream')).toContain('chmod 600 restored.db');
  expect(example('With npm', 'npm start').split('\n')[0]).toMatch(/^umask 077\b/);
});

test('error: an update and a restore stop at the step that fails', () => {
  expect(unchained('a &&\nb\nc\n')).toEqual(['b']);
  for (const code of [
    example('Update', 'systemctl'),
    example('Update', 'docker'),
    example('Restore', 'systemctl'),
    example('Restore', 'litestream'),
  ]) {
    expect(code.split('\n').length).toBeGreaterThan(3);
    expect(unchained(code)).toEqual([]);
  }
});

/** The steps of an example that are git's, without `sudo`. */
function gitSteps(code: string): string[] {
  return code.split('\n').flatMap((line) => /\bgit [^&]*/.exec(line)?.[0].trim() ?? []);
}

test.each(['systemctl', 'docker'])('behavior: the update with %s brings a clone to the newest version', (way) => {
  const folder = mkdtempSync(join(tmpdir(), 'gigclaim-update-'));
  const git = (at: string, ...args: string[]) => {
    const author = ['-c', 'user.name=a', '-c', 'user.email=a@example.org'];
    return execFileSync('git', ['-C', at, ...author, ...args], { encoding: 'utf8', stdio: 'pipe' }).trim();
  };
  const [origin, clone] = [join(folder, 'origin'), join(folder, 'clone')];
  execFileSync('git', ['init', '--quiet', origin]);
  git(origin, 'commit', '--quiet', '--allow-empty', '-m', '0.2.0');
  git(folder, 'clone', '--quiet', origin, clone);
  git(origin, 'commit', '--quiet', '--allow-empty', '-m', '0.3.0');
  const steps = gitSteps(example('Update', way));
  expect(steps.length).toBeGreaterThan(0);
  for (const step of steps) git(clone, ...step.split(' ').slice(1));
  expect(git(clone, 'log', '-1', '--format=%s')).toBe('0.3.0');
  rmSync(folder, { recursive: true });
});

test('behavior: each documented proxy closes an idle connection before the service does, or has a remedy', () => {
  const kept = SERVICE_PATIENCE.keepAliveTimeout / 1_000;
  const section = readFileSync(join(ROOT, 'docs/operate/proxies.md'), 'utf8');
  expect(section).toContain(`The service keeps an idle connection for ${kept} seconds.`);
  const rows = [...section.matchAll(/^\| (.*) \| ([0-9]+) s \| (.*) \|$/gm)].map(([, , seconds, remedy]) => ({
    isShorter: Number(seconds) < kept,
    needsNothing: remedy?.startsWith('nothing'),
  }));
  expect(rows.map(({ isShorter }) => isShorter)).toEqual([true, false, false, false, false]);
  expect(rows.filter(({ isShorter, needsNothing }) => isShorter !== needsNothing)).toEqual([]);
  const caddy = readFileSync(join(ROOT, 'deploy/Caddyfile'), 'utf8');
  expect(/^\s+keepalive ([0-9]+)s$/m.exec(caddy)?.[1]).toBe('60');
});

test('behavior: systemd starts the service again however often it fails', () => {
  expect(/^\[Unit\]\n([\s\S]*?)\n\[/m.exec(unit)?.[1]).toMatch(/^StartLimitIntervalSec=0$/m);
  expect(unit).toMatch(/^Restart=always$/m);
  expect(unit).toMatch(/^RestartSec=5$/m);
});

test('behavior: systemd does not start the service again on a database that was moved', () => {
  expect(unit).toMatch(/^RestartPreventExitStatus=78$/m);
});

test('behavior: after a restore from the bucket, the backup to the bucket is started, too', () => {
  const operate = readFileSync(join(ROOT, 'docs/operate.md'), 'utf8');
  expect(/^3\. Start the service[\s\S]*?\n\n/m.exec(operate)?.[0]).toContain(
    'docker compose --profile backup up --detach',
  );
});
