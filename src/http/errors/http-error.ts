import type { HttpFault } from './http-faults.ts';

/** A refusal by the HTTP layer. */
export class HttpError extends Error {
  override readonly name = 'HttpError';
  readonly fault: HttpFault;

  constructor(fault: HttpFault, options?: { cause: unknown }) {
    super(fault.code, options);
    this.fault = fault;
  }
}
