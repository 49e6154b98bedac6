import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { createIdsFile } from '../../../../src/store/sqlite/files/ids-file.ts';
import { temporaryFolder } from '../../../support/store.ts';

const IDS = { word: 'a word', gigId: 42, tipFloor: 35_184_372_088_832 };

let folder: ReturnType<typeof temporaryFolder>;
let path: string;

beforeEach(() => {
  folder = temporaryFolder();
  path = join(folder.path, 'gigclaim.db');
});
afterEach(() => folder.remove());

describe('the file of ids', () => {
  test('behavior: is beside the database, and gives back what was written last', () => {
    const file = createIdsFile(path);
    expect(file.read()).toBeNull();
    file.write({ ...IDS, gigId: 41 });
    file.write(IDS);
    expect(JSON.parse(readFileSync(`${path}.ids`, 'utf8'))).toEqual(IDS);
    expect(createIdsFile(path).read()).toEqual(IDS);
    expect(existsSync(`${path}.ids.new`)).toBe(false);
  });

  test('security: can be read by its user alone, whatever the umask, also where an older one was open to all', () => {
    const before = process.umask(0);
    onTestFinished(() => void process.umask(before));
    writeFileSync(`${path}.ids.new`, '');
    chmodSync(`${path}.ids.new`, 0o666);
    createIdsFile(path).write(IDS);
    expect(statSync(`${path}.ids`).mode & 0o777).toBe(0o600);
    process.umask(0o777);
    createIdsFile(path).write(IDS);
    expect(statSync(`${path}.ids`).mode & 0o777).toBe(0o600);
  });

  test.each([
    ['', 'nothing'],
    ['{"word":"a word","gigId":42', 'half of it'],
    ['{"word":"a word","gigId":-1,"tipFloor":0}', 'a negative id'],
    ['{"word":"a word","gigId":"42","tipFloor":0}', 'an id as text'],
    ['{"word":"","gigId":42,"tipFloor":0}', 'an empty word'],
    ['[]', 'something else'],
  ])('error: %j is as good as no file: it holds %s', (text) => {
    writeFileSync(`${path}.ids`, text);
    expect(createIdsFile(path).read()).toBeNull();
  });

  test('error: what cannot be read or written is named', () => {
    mkdirSync(`${path}.ids`);
    expect(() => createIdsFile(path).read()).toThrow(`${path}.ids: it cannot be read; make it readable`);
    expect(() => createIdsFile(path).write(IDS)).toThrow(`${path}.ids: it cannot be written; gigs get no ids`);
    rmSync(`${path}.ids`, { recursive: true });
    expect(() => createIdsFile(join(folder.path, 'none', 'db')).write(IDS)).toThrow(
      'none/db.ids: it cannot be written',
    );
  });
});
