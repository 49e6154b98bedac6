import { setImmediate } from 'node:timers/promises';
import { FEE_NUMBER } from '../../../../domain/payments/payment.ts';
import { addNumbers, hasNumber, type NumberBits, wordOf } from '../../../../domain/payments/payment-numbers.ts';
import type { StoreReads } from '../../../../store/port/index.ts';

const PAGE = 500;

/** The numbers that a gig's confirmed payments have marked. They are read page by page, so that a large gig delays nothing. */
export async function readKnownMarks(reads: StoreReads, gigId: number): Promise<NumberBits> {
  const known = new Map<bigint, bigint>();
  addNumbers(known, await reads.markedByOthers(gigId));
  for (let after = 0; ; await setImmediate()) {
    const page = await reads.markedByPayouts(gigId, { after, limit: PAGE });
    for (const { id, numbers } of page) {
      addNumbers(known, numbers);
      after = id;
    }
    if (page.length < PAGE) return known;
  }
}

/** The words of marks that hold the numbers of a gig's tips and of its own payments. */
export async function readWords(reads: StoreReads, gigId: number): Promise<bigint[]> {
  const words = [wordOf(FEE_NUMBER)];
  for (let next: number | null = 0; next !== null; await setImmediate()) {
    const page: { words: readonly bigint[]; next: number | null } = await reads.tipWords(gigId, next);
    words.push(...page.words);
    next = page.next;
  }
  return words;
}

/** The void tips of a gig with numbers that are marked: the chain has paid them all the same. */
export async function findVoidPaid(reads: StoreReads, gigId: number, marked: NumberBits): Promise<number[]> {
  const found: number[] = [];
  for (let after = -1; ; await setImmediate()) {
    const page = await reads.voidTips(gigId, { after, limit: PAGE });
    for (const { id, number } of page) {
      if (hasNumber(marked, BigInt(number))) found.push(id);
      after = number;
    }
    if (page.length < PAGE) return found;
  }
}
