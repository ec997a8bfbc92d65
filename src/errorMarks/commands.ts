import type { ErrorCode } from '../errorCode/code.ts';
import { commands } from '../ids.ts';
import type { ErrorMarks } from './view.ts';

/** Commands that move between the marked lines of the active editor, and one for what the user has chosen for stack frames. */
export function errorMarkCommands(marks: () => Promise<ErrorMarks>, code: () => Promise<ErrorCode>) {
  return {
    [commands.errorMarksNext]: async () => (await marks()).goTo('next'),
    [commands.errorMarksPrevious]: async () => (await marks()).goTo('previous'),
    [commands.errorMarksForgetFolders]: async () => (await code()).forgetFolders(),
  };
}
