/** What went wrong in a step, as the page shows it. */
export class StepError extends Error {
  override readonly name = 'StepError';
}
