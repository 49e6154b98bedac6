import type { Questions } from './questions.ts';

/** Where the program is and where it is used, for the commands that set it up. */
export interface Setup {
  /** Where `.env` is, and the database unless it is named: the working folder. */
  readonly folder: string;
  /** Where `package.json` and `.env.example` of this program are. */
  readonly program: string;
  /** The URL of the package registry; null for the one that npm is set to. */
  readonly registry: string | null;
  readonly questions: () => Questions;
  /** Runs another command with settings that the environment does not have yet. */
  readonly run: (args: readonly string[], settings: Readonly<Record<string, string>>) => Promise<number>;
}
