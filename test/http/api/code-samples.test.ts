import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { read, shareDocument } from '../document.ts';
import { shareService } from '../service.ts';

shareService();
shareDocument();

function sampleOf(path: string, method: string): string {
  const samples: unknown = Reflect.get(read.operation(path, method), 'x-codeSamples');
  const [first]: { lang: string; label: string; source: string }[] = Array.isArray(samples) ? samples : [];
  expect(first).toMatchObject({ lang: 'Shell', label: 'curl' });
  return first?.source ?? '';
}

test('behavior: every operation has a command, which leaves nothing to fill in', () => {
  for (const [path, methods] of Object.entries(read.document.paths)) {
    for (const method of Object.keys(methods)) {
      expect(sampleOf(path, method)).toMatch(/^curl (?:-X [A-Z]+ )?'http:\/\/gigclaim\.test\/[^'{}<>]*'/);
      expect(sampleOf(path, method)).not.toMatch(/undefined|\[object/);
    }
  }
});

test('behavior: a command has the verb, the key, the idempotency key and the body that its operation takes', () => {
  expect(sampleOf('/api/gigs/{id}/tips', 'post').split('\n')).toEqual([
    "curl -X POST 'http://gigclaim.test/api/gigs/1/tips' \\",
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the shell's own expansion.
    '  -H "x-api-key: ${KEY:-gck_Z2lnY2xhaW0tc2FuZGJveC1naWdjbGFpbS1zYW5kYm8}" \\',
    "  -H 'idempotency-key: order-7f3a' \\",
    "  -H 'content-type: application/json' \\",
    `  -d '{"tips":[{"platform":"farcaster","platform_user_id":"8004","username":"alice","value":12.5}]}'`,
  ]);
  expect(sampleOf('/api/claim', 'get')).toBe("curl 'http://gigclaim.test/api/claim?identifiers=8004%2Calice'");
  expect(sampleOf('/health', 'get')).toBe("curl 'http://gigclaim.test/health'");
});

test('behavior: the key and the token are those of the sandbox', () => {
  const walkThrough = readFileSync(new URL('../../../docs/first-gig.md', import.meta.url), 'utf8');
  const [, key = '', token = ''] = /KEY=(\S+)\nT=(\S+)/.exec(walkThrough) ?? [];
  expect(key).toMatch(/^gck_/);
  expect(sampleOf('/api/gigs/create', 'post')).toContain(key);
  expect(sampleOf('/api/gigs/create', 'post')).toContain(token);
});
