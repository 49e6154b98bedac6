import type { AccountKey } from '../account.ts';
import type { SpamLabel } from './earning.ts';

export interface SpamLabels {
  labelOf(account: AccountKey): SpamLabel;
  counts(): LabelCounts;
  /** Reads the file again if it has changed. What was read last stays when it cannot be read. */
  refresh(): Promise<void>;
}

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
