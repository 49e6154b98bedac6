import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';

/** Asks the person at a terminal, or reads the lines of a pipe. */
export interface Questions {
  /** Shows the prompt and returns the next line without the blanks around it; null when the input has ended. */
  ask(prompt: string, options?: { readonly isSecret?: boolean }): Promise<string | null>;
  close(): void;
}

export interface QuestionsOptions {
  readonly input: NodeJS.ReadableStream;
  readonly output: NodeJS.WritableStream;
  /** Whether a person types the answers: what is secret is then not shown. */
  readonly isTerminal: boolean;
}

/** Reads the input from here on, until it is closed. */
export function createQuestions({ input, output, isTerminal }: QuestionsOptions): Questions {
  // What is typed before its question may be a secret.
  let isHidden = isTerminal;
  let isEchoed = false;
  const shown = new Writable({
    write(chunk, _, done) {
      if (!isHidden) output.write(chunk);
      done();
    },
  });
  const lines = createInterface({ input, output: shown, terminal: isTerminal, historySize: 0 });
  let isClosed = false;
  lines.once('close', () => {
    isClosed = true;
  });
  // What follows a line in one paste is typed before its question.
  lines.on('line', () => {
    isEchoed ||= !isHidden;
    isHidden = isTerminal;
  });
  const answers = lines[Symbol.asyncIterator]();
  return {
    async ask(prompt, { isSecret = false } = {}) {
      isEchoed = false;
      lines.setPrompt(prompt);
      output.write(prompt);
      // A pipe may have ended while its lines still wait here.
      if (!isClosed) lines.resume();
      isHidden = isSecret && isTerminal;
      const { value, done } = await answers.next();
      isHidden = isTerminal;
      // Nothing else has ended the line.
      if (!isEchoed || !isTerminal) output.write('\n');
      return done === true ? null : value.trim();
    },
    close: () => lines.close(),
  };
}
