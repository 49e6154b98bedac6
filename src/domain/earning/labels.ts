import type { AccountKey } from '../account.ts';
import type { SpamLabel } from './earning.ts';

/** The labels that the operator's file gives to accounts. */
export interface SpamLabels {
  labelOf(account: AccountKey): SpamLabel;
  counts(): LabelCounts;
  /** Reads the file again if it has changed. What was read last stays when it cannot be read. */
  refresh(): Promise<void>;
}

/** How many accounts a file of labels gives which label. */
export interface LabelCounts {
  readonly spam: number;
  readonly trusted: number;
  /** Lines that are no label. */
  readonly broken: number;
}

/** A file of labels cannot be used; the message says why, without its path. */
export class LabelsUnreadable extends Error {
  override readonly name = 'LabelsUnreadable';
}
