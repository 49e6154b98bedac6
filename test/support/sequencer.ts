import { readFileSync } from 'node:fs';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** The most time that a test of a file asks for, in ms; 0 where none asks for more than the default. */
function asksFor({ moduleId }: TestSpecification): number {
  const timeouts = readFileSync(moduleId, 'utf8').matchAll(/(?:\btimeout: |\}, )(\d[\d_]{5,})\b/g);
  return Math.max(0, ...Array.from(timeouts, ([, ms = '0']) => Number(ms.replaceAll('_', ''))));
}

/** Starts the files first that ask for the most time, so that no worker is alone with one of them at the end. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const asked = new Map(sorted.map((file) => [file, asksFor(file)]));
    return sorted.toSorted((one, other) => (asked.get(other) ?? 0) - (asked.get(one) ?? 0));
  }
}
