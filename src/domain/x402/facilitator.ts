/** The answer of a facilitator about a payment. Only the chain says whether it is settled. */
export interface Settlement {
  readonly success: boolean;
  /** Why not, cleaned; null where it says nothing. */
  readonly reason: string | null;
}

/** A program that sends payments to their chain for the gas tank. */
export interface Facilitator {
  /** Asks once. @throws AdapterError when there is no answer that can be read: the payment may be settled */
  settle(request: object): Promise<Settlement>;
}
