/** Longest title of an issue. */
const LONGEST_TITLE = 255;

export function titleComplaints(title: string): string[] {
  if (title.trim() === '') return ["can't be blank"];
  return [...title].length > LONGEST_TITLE ? [`is too long (maximum is ${LONGEST_TITLE} characters)`] : [];
}

/** Done and all tasks of a Markdown task list: lines that begin with a list mark and a box. */
export function taskCounts(text: string): { readonly count: number; readonly completed_count: number } {
  const boxes = [...text.matchAll(/^\s*(?:[-+*]|\d+[.)])\s+\[([ xX~])\]\s/gm)].map((match) => match[1]);
  return { count: boxes.length, completed_count: boxes.filter((box) => box === 'x' || box === 'X').length };
}

/** Who an issue may be assigned to, as a filter reads it: a person's number, `None` or `Any` in any case, or 0 for `None`. */
export function readAssignee(text: string): number | 'None' | 'Any' | undefined {
  const word = text.trim().toLowerCase();
  if (word === 'none' || word === '0') return 'None';
  if (word === 'any') return 'Any';
  return /^\d{1,15}$/.test(word) ? Number(word) : undefined;
}

/** What a person may do to an issue that they see. */
export interface IssueAbilities {
  /** Change title and description, close and reopen. */
  readonly update: boolean;
  /** Change labels, assignees, due date and confidentiality. */
  readonly administer: boolean;
}

export function issueAbilities(person: {
  readonly canWrite: boolean;
  readonly isReporter: boolean;
  readonly isAuthor: boolean;
  readonly isAssignee: boolean;
}): IssueAbilities {
  const administer = person.canWrite && person.isReporter;
  return { administer, update: administer || (person.canWrite && (person.isAuthor || person.isAssignee)) };
}
