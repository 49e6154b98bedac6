/** What stands in a field of a form: a decimal amount, a number, an address, or one of some choices. */
export type FormInput = 'amount' | 'number' | 'address' | readonly FormChoice[];

/** A choice by the value that clients give for it. */
export interface FormChoice {
  readonly value: string | boolean;
  readonly label: string;
}

/** A field in which people say something about how a gig is earned. */
export interface FormField {
  /** A noun, which also begins a sentence about what is wrong with it. */
  readonly label: string;
  readonly input: FormInput;
  /** What is taken where it stays empty; absent when it must not. A choice has it at first. */
  readonly usual?: string;
  /** What it means, in a sentence or two. */
  readonly hint?: string;
}

/** Fields that are one object in the interface. */
export interface FormGroup {
  readonly group: Readonly<Record<string, FormField>>;
  /** Whether the object is given with nothing in it; it is left out then when absent. */
  readonly isNeeded?: boolean;
  /** Whether a field counts, by what the others hold; all do when absent. */
  readonly counts?: (key: string, filled: Readonly<Record<string, unknown>>) => boolean;
}

/** What is known of a gig when its reward is spoken of. Amounts are base units, the duration milliseconds. */
export interface RewardToSpend {
  readonly rewardAmount: bigint;
  readonly duration: number;
}

/** How a form offers a rule. */
export interface RuleForm<Name extends string, Rule> {
  /** The choice, in some words. */
  readonly choice: string;
  /** The fields that clients give, in the order in which they are asked for. */
  readonly fields: Readonly<Record<Name, FormField | FormGroup>>;
  /** What is taken for empty fields of the rule and of the gates where the API would take something else. */
  readonly instead?: {
    readonly gates?: Readonly<Record<string, number>>;
    /** @param amount the reward as it was typed */
    fields?(amount: string): Readonly<Partial<Record<Name, string>>>;
  };
  /** What the reward comes to, in a sentence. @param whole writes an amount with its symbol */
  sum?(rule: Rule, reward: RewardToSpend, whole: (amount: bigint) => string): string;
  /** The most that one account gets at a time, in base units. */
  most?(rule: Rule, reward: RewardToSpend): bigint;
}
