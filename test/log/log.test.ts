import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createLog, createSourcePositions, summarizeError } from '../../src/log.ts';

const LOG_SOURCE = new URL('../../src/log.ts', import.meta.url).href;

function collect(options: Partial<Parameters<typeof createLog>[0]> = {}) {
  const lines: string[] = [];
  const destination = { write: (line: string) => lines.push(line) };
  return { log: createLog({ level: 'debug', ...options, destination }), lines };
}

describe('the log', () => {
  test('behavior: a line is one JSON object with level, time, fields and message', () => {
    const { log, lines } = collect();
    log.child({ job: 'answer' }).info({ mentionId: 4 }, 'mention stored');
    expect(lines).toHaveLength(1);
    expect(JSON.parse(lines[0] ?? '')).toEqual({
      level: 'info',
      time: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      job: 'answer',
      mentionId: 4,
      msg: 'mention stored',
    });
  });

  test('behavior: lines below the level are left out', () => {
    const { log, lines } = collect({ level: 'warn' });
    for (const level of ['debug', 'info', 'warn', 'error', 'fatal'] as const) log[level]({}, level);
    expect(lines.map((line) => JSON.parse(line).msg)).toEqual(['warn', 'error', 'fatal']);
  });

  test('security: a secret is cut out wherever it stands', () => {
    const { log, lines } = collect({ secrets: ['fake-secret'] });
    log.error({ deep: { list: ['x fake-secret y'] }, 'fake-secret': 1 }, 'it was fake-secret');
    log.child({ token: 'fake-secret' }).warn({}, 'again');
    expect(lines.join('')).not.toContain('fake-secret');
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({ deep: { list: ['x [redacted] y'] }, msg: 'it was [redacted]' });
  });

  test('security: a secret is recognised as JSON and URLs write it', () => {
    const secret = 'fake "quoted" & spaced';
    const { log, lines } = collect({ secrets: [secret] });
    log.info({ body: secret, url: `https://x.example/?key=${encodeURIComponent(secret)}` }, 'sent');
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({ body: '[redacted]', url: 'https://x.example/?key=[redacted]' });
  });

  test('security: of two secrets of which one begins the other nothing is left', () => {
    const { log, lines } = collect({ secrets: ['https://rpc.example', 'https://rpc.example/fake-key'] });
    log.info({ url: 'https://rpc.example/fake-key' }, 'asked');
    expect(lines.join('')).not.toContain('fake-key');
  });

  test('security: no secret gets to stdout, neither in lines that are gathered nor in the last ones of a process', () => {
    const program = `
      import { createLog } from '${LOG_SOURCE}';
      const log = createLog({ level: 'info', secrets: ['fake-secret'] });
      log.info({ path: '/fake-secret' }, 'one');
      log.info({ token: 'fake-secret' }, 'two');
      setTimeout(() => {
        log.error({ token: 'fake-secret' }, 'three');
        process.exit(0);
      }, 50);
    `;
    const output = execFileSync(process.execPath, ['--input-type=module', '--eval', program], { encoding: 'utf8' });
    // A busy machine may still be writing the gathered lines when the process writes its last ones.
    const lines = output.trimEnd().split('\n');
    const told = lines.map((line) => JSON.parse(line)).toSorted((a, b) => a.msg.localeCompare(b.msg));
    const cut = { token: '[redacted]' };
    expect(told).toMatchObject([
      { msg: 'one', path: '/[redacted]' },
      { ...cut, msg: 'three' },
      { ...cut, msg: 'two' },
    ]);
  });
});

describe('the summary of an error', () => {
  test('behavior: it holds name, message, code, stack and causes', () => {
    const cause = Object.assign(new Error('connection reset'), { code: 'ECONNRESET' });
    const summary = summarizeError(new TypeError('it broke', { cause }));
    expect(summary).toEqual({
      name: 'TypeError',
      message: 'it broke',
      stack: expect.stringContaining('TypeError: it broke'),
      cause: { name: 'Error', message: 'connection reset', code: 'ECONNRESET' },
    });
  });

  test('behavior: a numeric code becomes text', () => {
    expect(summarizeError(Object.assign(new Error('x'), { code: 429 }))).toMatchObject({ code: '429' });
  });

  test('security: what SDKs hang on their errors is left out', () => {
    const error = Object.assign(new Error('status 401'), {
      config: { headers: { 'x-api-key': 'fake-key' } },
      request: { url: 'https://x.example/fake-key' },
      response: { data: 'fake-key' },
    });
    expect(JSON.stringify(summarizeError(error))).not.toContain('fake-key');
  });

  test('behavior: long texts and long chains of causes are cut, and circles end', () => {
    const first = new Error('x'.repeat(5_000));
    first.cause = first;
    const summary = summarizeError(first);
    expect(summary.message).toHaveLength(2_001);
    expect(summary.cause?.cause?.cause?.cause).toBeDefined();
    expect(summary.cause?.cause?.cause?.cause?.cause).toBeUndefined();
  });

  test.each([
    ['a text', 'boom', { name: 'string', message: 'boom' }],
    ['nothing', undefined, { name: 'undefined', message: 'undefined' }],
    ['null', null, { name: 'object', message: '[object Null]' }],
    ['a number', 7, { name: 'number', message: '7' }],
    ['a symbol', Symbol('s'), { name: 'symbol', message: 'Symbol(s)' }],
    ['an object', { key: 'fake-key' }, { name: 'object', message: '[object Object]' }],
    ['an object without a prototype', Object.create(null), { name: 'object', message: '[object Object]' }],
  ])('behavior: %s can be thrown as well', (_, thrown, expected) => {
    expect(summarizeError(thrown)).toEqual(expected);
  });
});

describe('positions in a stack trace', () => {
  test('behavior: of a bundle name the sources, and stay as they are without a map', () => {
    const folder = mkdtempSync(join(tmpdir(), 'gigclaim-log-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const file = join(folder, 'main.js');
    // Line 1, column 11 of the bundle is line 4, column 3 of the source.
    const map = { version: 3, sources: ['../src/main.ts'], names: [], mappings: 'UAGE' };
    writeFileSync(`${file}.map`, JSON.stringify(map));
    const name = createSourcePositions();
    const other = `\\n at ${pathToFileURL(join(folder, 'other.js'))}:2:2`;
    expect(name(`at run (${pathToFileURL(file)}:1:11)${other}`)).toBe(`at run (../src/main.ts:4:3)${other}`);
  });

  test('behavior: are named in lines that hold a stack trace', () => {
    const { log, lines } = collect({ namePositions: (text) => text.replaceAll('log.test', 'named') });
    log.error({ error: summarizeError(new Error('it broke')) }, 'failed');
    log.info({ file: 'log.test' }, 'without');
    expect(lines[0]).toContain('named.ts');
    expect(lines[1]).toContain('log.test');
  });
});
