import { PAPER_FORMS } from '../../domain/papers/paper-csv.ts';
import { readAllPapers } from '../../services/papers/read-papers.ts';
import { answerPapers } from '../papers.ts';
import { OPERATORS } from './audience.ts';
import type { AdminRoute } from './context.ts';

/** `GET /admin/papers/…`: what all gigs' wallets have moved, in each form. */
export const PAPER_PAGES: readonly AdminRoute[] = PAPER_FORMS.map((form) =>
  OPERATORS.page(`/admin/papers/${form.name}.csv`, async ({ c, deps }) =>
    answerPapers(c, deps, { form, papers: readAllPapers(deps), about: 'gigs' }),
  ),
);
