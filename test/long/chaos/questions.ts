/** A question that the paying process asks in one life. `nth` counts its method since the last commit or offer, from 1. */
export interface Question {
  readonly commits: number;
  readonly sends: number;
  readonly method: string;
  readonly nth: number;
  /** Counted from 1, in the order of arrival. */
  readonly number: number;
  /** Which offer of signed bytes it is, counted from 1; null for any other question. */
  readonly send: number | null;
}

/**
 * Where in a life a question is asked, such as `12.1.eth_call.3`. A run that waits longer for a block asks more questions
 * there, and the places before and after stay the same.
 */
function placeOf({ commits, sends, method, nth }: Question): string {
  return [commits, sends, method, nth].join('.');
}

/** Whether a life has reached a place. A life that never asks that question reaches it with the next commit or offer. */
export function isAt({ commits, sends, method, nth }: Question, place: string): boolean {
  const [ofCommits, ofSends, ofMethod, ofNth] = place.split('.');
  const ahead = commits - Number(ofCommits) || sends - Number(ofSends);
  return ahead > 0 || (ahead === 0 && method === ofMethod && nth >= Number(ofNth));
}

export const SEND = 'eth_sendRawTransaction';

/** Counts the questions of one life, at all its endpoints. */
export interface QuestionCounter {
  committed(): void;
  asked(method: string): Question;
  readonly all: readonly Question[];
}

/** Counts from the beginning of a life. */
export function countQuestions(): QuestionCounter {
  let commits = 0;
  let sends = 0;
  const all: Question[] = [];
  const counts = new Map<string, number>();
  return {
    all,
    committed() {
      commits += 1;
    },
    asked(method) {
      if (method === SEND) sends += 1;
      const here = `${commits}.${sends}.${method}`;
      const nth = (counts.get(here) ?? 0) + 1;
      counts.set(here, nth);
      const send = method === SEND ? sends : null;
      const question = { commits, sends, method, nth, number: all.length + 1, send };
      all.push(question);
      return question;
    },
  };
}

const FACTOR = 3;

/**
 * The places where a disturbance may make a difference: of questions of one method between two changes of the ledger and the
 * chain, which a process repeats for as long as it waits for a block, the first, third, ninth and so on.
 */
export function placesOf(questions: readonly Question[]): string[] {
  return questions.filter(({ nth }) => isPower(nth)).map(placeOf);
}

function isPower(number: number): boolean {
  return number === 1 || (number % FACTOR === 0 && isPower(number / FACTOR));
}
