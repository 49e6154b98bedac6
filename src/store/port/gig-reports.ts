import type { GigSums, ListedTip } from '../../domain/gig-report.ts';

/** Reads for the statement of a gig. */
export interface GigReportReads {
  /** The sums of a gig and its payments but for the payouts, at one moment; null when there is no such gig. */
  gigSums(gigId: number): Promise<GigSums | null>;
  /** Tips of a gig, void ones too, the highest number first; `before` is a number. */
  tipsOfGig(gigId: number, page: { limit: number; before?: number | undefined }): Promise<ListedTip[]>;
}
