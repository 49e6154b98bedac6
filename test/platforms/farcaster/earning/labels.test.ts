import { renameSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openSpamLabels } from '../../../../src/platforms/farcaster/earning/labels.ts';
import { keepLog } from '../../../services/fakes.ts';
import { temporaryFolder } from '../../../support/store.ts';

let folder: ReturnType<typeof temporaryFolder>;
let path: string;
let log: ReturnType<typeof keepLog>;
let written: number;

beforeEach(() => {
  folder = temporaryFolder();
  path = join(folder.path, 'labels.jsonl');
  log = keepLog();
  written = 1_700_000_000;
});
afterEach(() => folder.remove());

const line = (fid: number, value: number, kind = 'spam') =>
  JSON.stringify({ type: { fid, target: 'fid' }, label_type: kind, label_value: value, timestamp: 1 });

/** Puts a new file in the place of the last one, as an operator should. */
function write(...lines: string[]): void {
  writeFileSync(`${path}.new`, `${lines.join('\n')}\n`);
  written += 1;
  utimesSync(`${path}.new`, written, written);
  renameSync(`${path}.new`, path);
}

const open = (mostLabels?: number) =>
  openSpamLabels(mostLabels === undefined ? { path, log: log.log } : { path, log: log.log, mostLabels });
const account = (platformUserId: string, platform = 'farcaster') => ({ platform, platformUserId });

describe('the file of spam labels', () => {
  test('behavior: 0 and 3 are spam, 2 is trusted, everything else is unknown', async () => {
    write(line(1, 0), line(2, 2), line(3, 3), line(4, 1), line(5, 0, 'other'));
    const { labelOf } = await open();
    expect(['1', '2', '3'].map((id) => labelOf(account(id)))).toEqual(['spam', 'trusted', 'spam']);
    for (const id of ['4', '5', '6', '99999999999999999999']) expect(labelOf(account(id))).toBe('unknown');
    expect(labelOf(account('1', 'twitter'))).toBe('unknown');
    expect(log.lines).toMatchObject([{ level: 'info', spam: 2, trusted: 1, broken: 0, msg: 'spam labels read' }]);
  });

  test('behavior: a byte order mark before the first line is no part of it', async () => {
    write(`\uFEFF${line(1, 0)}`, line(2, 2));
    const { labelOf, counts } = await open();
    expect([labelOf(account('1')), counts()]).toEqual(['spam', { spam: 1, trusted: 1, broken: 0 }]);
  });

  test('behavior: the last line about an account counts', async () => {
    write(line(1, 0), line(1, 2), line(2, 2), line(2, 1));
    const { labelOf } = await open();
    expect([labelOf(account('1')), labelOf(account('2'))]).toEqual(['trusted', 'unknown']);
  });

  test('error: lines that are no label are counted, and said in the log', async () => {
    const long = `{"type":{"fid":8},"label_type":"spam","label_value":0,"x":"${'x'.repeat(300_000)}"}`;
    const wrong = ['{', 'null', '[]', '"x"', line(0, 0), line(1.5, 0), '{"type":{"fid":"7"},"label_value":0}', long];
    write(...wrong, '{"type":{"fid":7},"label_type":"spam"}', '', line(9, 0), line(10, 2).slice(0, -3));
    const { labelOf } = await open();
    expect(['7', '8', '9', '10'].map((id) => labelOf(account(id)))).toEqual(['unknown', 'unknown', 'spam', 'unknown']);
    expect(log.lines).toMatchObject([{ level: 'warn', spam: 1, trusted: 0, broken: 10 }]);
  });

  test('behavior: many lines are read in whole, across the chunks of the file', async () => {
    write(...Array.from({ length: 50_000 }, (_, index) => line(index + 1, index % 2 === 0 ? 0 : 2)));
    const { labelOf } = await open();
    expect(log.lines).toMatchObject([{ spam: 25_000, trusted: 25_000, broken: 0 }]);
    expect([labelOf(account('49999')), labelOf(account('50000'))]).toEqual(['spam', 'trusted']);
  });

  test('behavior: it is read again when it has changed, and only then', async () => {
    write(line(1, 0));
    const labels = await open();
    await labels.refresh();
    expect(log.lines).toHaveLength(1);
    write(line(1, 2));
    await labels.refresh();
    expect(labels.labelOf(account('1'))).toBe('trusted');
    await labels.refresh();
    expect(log.lines).toHaveLength(2);
  });

  test('error: while it cannot be used the last labels stay, said once for each cause', async () => {
    write(line(1, 0));
    const labels = await open();
    rmSync(path);
    await labels.refresh();
    await labels.refresh();
    expect(labels.labelOf(account('1'))).toBe('spam');
    write('<html>');
    await labels.refresh();
    await labels.refresh();
    expect(labels.labelOf(account('1'))).toBe('spam');
    expect(log.lines.slice(1)).toMatchObject([
      { level: 'warn', msg: 'spam labels: the last ones stay', error: { message: 'the file does not exist' } },
      { level: 'warn', error: { message: 'the file holds no label' } },
    ]);
    write(line(2, 0));
    await labels.refresh();
    expect([labels.labelOf(account('1')), labels.labelOf(account('2'))]).toEqual(['unknown', 'spam']);
  });

  test('error: at the start it must be there, be a file, and hold labels, though not too many', async () => {
    await expect(open()).rejects.toThrow('the file does not exist');
    writeFileSync(path, '');
    await expect(open()).rejects.toThrow('the file holds no label');
    write(line(1, 0), line(2, 0), line(3, 0));
    await expect(open(2)).rejects.toThrow('the file labels more than 2 accounts');
    path = folder.path;
    await expect(open()).rejects.toThrow('the file cannot be read (EISDIR)');
  });
});
