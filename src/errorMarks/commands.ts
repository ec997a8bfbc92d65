import { commands } from '../ids.ts';
import type { ErrorMarks } from './view.ts';

/** Commands that move between the marked lines of the active editor. */
export function errorMarkCommands(marks: () => Promise<ErrorMarks>) {
  return {
    [commands.errorMarksNext]: async () => (await marks()).goTo('next'),
    [commands.errorMarksPrevious]: async () => (await marks()).goTo('previous'),
  };
}
