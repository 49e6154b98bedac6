import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const ROOT = join(import.meta.dirname, '..');
const compose = readFileSync(join(ROOT, 'compose.yaml'), 'utf8');
const unit = readFileSync(join(ROOT, 'deploy/gigclaim.service'), 'utf8');

/** A top-level block of the file: its lines without its own name. */
function block(name: string): string {
  return new RegExp(`^${name}:.*\\n((?:(?: .*)?\\n)+)`, 'm').exec(compose)?.[1] ?? '';
}

test('security: each container is read-only, without capabilities, and cannot gain privileges', () => {
  const lines = block('x-hardened').split('\n');
  expect(lines).toContain('  read_only: true');
  expect(lines).toContain('  cap_drop: [ALL]');
  expect(lines).toContain('  security_opt: ["no-new-privileges:true"]');
  const services = [...block('services').matchAll(/^ {2}(\w+):\n {4}(.*)$/gm)].map(([, name, first]) => [name, first]);
  expect(services).toEqual([
    ['gigclaim', '<<: *hardened'],
    ['caddy', '<<: *hardened'],
    ['litestream', '<<: *hardened'],
  ]);
});

test('security: the operator’s port is open to the machine alone, and the service’s own port to Caddy alone', () => {
  const service = /^ {2}gigclaim:\n((?: {4}.*\n)+)/m.exec(compose)?.[1] ?? '';
  expect(service).toContain('ADMIN_PORT: "3001"');
  expect([...service.matchAll(/^ {4}ports: (.*)$/gm)].map(([, ports]) => ports)).toEqual(['["127.0.0.1:3001:3001"]']);
});

test('behavior: the bucket’s backup is asked for by name', () => {
  expect(compose).toContain('  litestream:\n    <<: *hardened\n    profiles: [backup]\n');
});

test('behavior: systemd and Compose give the service more than the 10 seconds in which it drains', () => {
  expect(compose).toContain('    stop_grace_period: 15s\n');
  expect(unit).toContain('TimeoutStopSec=15\n');
});

test('security: the systemd unit runs as an account of its own, writes to its own folder and dumps no core', () => {
  for (const line of [
    'User=gigclaim',
    'StateDirectory=gigclaim',
    'UMask=0077',
    'LimitCORE=0',
    'NoNewPrivileges=true',
    'CapabilityBoundingSet=',
    'ProtectSystem=strict',
  ]) {
    expect(unit.split('\n')).toContain(line);
  }
});
