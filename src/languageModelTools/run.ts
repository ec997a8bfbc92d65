import type { Client } from '../api/client.ts';
import type { ActivityScope } from '../activity/choices.ts';
import { NO_FILTER } from '../activity/filter.ts';
import { listOfPerson, listOfProject } from '../activity/lists.ts';
import { readActivityEvent } from '../contract/activity.ts';
import type { ErrorDetail, ShownFrame } from '../contract/errorDetail.ts';
import type { SharedFrame } from '../errorCode/sharedCode.ts';
import { createDetailSource } from '../errorPanel/detailSource.ts';
import type { ProjectAddress } from '../errorTracking/source.ts';
import { createErrorSources, type ResourceChoice } from '../errorTracking/sources.ts';
import { languageModelTools, type LanguageModelToolName } from '../ids.ts';
import { sleep } from '../support/sleep.ts';
import { type ErrorInput, readErrorInput, readListActivityInput, readListErrorsInput } from './input.ts';
import { activityText, errorListText, errorText, groupingText } from './texts.ts';

/** Number of frames of the application whose code is looked for in the workspace. */
const MAX_FRAMES = 4;

export interface ToolContext {
  /** Client of the signed-in account. */
  readonly client: Client;
  readonly choice: ResourceChoice;
  /** Project that the views show. */
  readonly project: ProjectAddress | undefined;
  /** Returns the code of the workspace around the line of a frame, or why it is left out; undefined if no file matches. */
  readonly codeOf: (project: ProjectAddress, frame: ShownFrame) => Promise<SharedFrame | undefined>;
  readonly now: () => Date;
}

/** Returns the result of a tool. Rejects with an error whose message tells the model what to change or what failed. */
type Run = (context: ToolContext, input: unknown, signal: AbortSignal) => Promise<string>;

export const tools: Readonly<Record<LanguageModelToolName, Run>> = {
  [languageModelTools.listErrors]: listErrors,
  [languageModelTools.showError]: showError,
  [languageModelTools.explainGrouping]: explainGrouping,
  [languageModelTools.listActivity]: listActivity,
};

async function listErrors(context: ToolContext, input: unknown, signal: AbortSignal): Promise<string> {
  const { project, ...query } = readListErrorsInput(input);
  const target = projectOf(context, project);
  const source = createErrorSources(context.choice, sleep)(context.client, target);
  const { items, next, isDisabled, isMissing } = await source.list({ order: 'last_seen', level: undefined, ...query }, signal);
  if (isMissing === true) return 'This instance has no error tracking.';
  if (isDisabled) return `Error tracking is disabled for the project ${target.path}.`;
  return errorListText(target.path, items, next !== undefined);
}

async function showError(context: ToolContext, input: unknown, signal: AbortSignal): Promise<string> {
  const { target, detail } = await readError(context, readErrorInput(input), signal);
  const frames = (detail.latestEvent?.data?.exceptions[0]?.frames ?? []).filter(({ inApp }) => inApp !== false);
  const code = await Promise.all(frames.slice(0, MAX_FRAMES).map((frame) => context.codeOf(target, frame)));
  return errorText(
    target.path,
    detail,
    code.filter((found) => found !== undefined),
  );
}

async function explainGrouping(context: ToolContext, input: unknown, signal: AbortSignal): Promise<string> {
  const { detail } = await readError(context, readErrorInput(input), signal);
  return groupingText(detail);
}

async function listActivity(context: ToolContext, input: unknown, signal: AbortSignal): Promise<string> {
  const { isMine, project } = readListActivityInput(input);
  const mine: ActivityScope = { kind: 'mine' };
  const target = isMine ? undefined : projectOf(context, project);
  const list =
    target === undefined
      ? listOfPerson(mine, NO_FILTER, context.now())
      : listOfProject({ id: undefined, path: target.path }, NO_FILTER, context.now());
  const [query] = list.queries;
  const { items } = await context.client.list(list.path, readActivityEvent, query ?? {}, signal);
  return activityText(target === undefined ? 'of the signed-in user' : `in ${target.path}`, items);
}

async function readError(
  context: ToolContext,
  { project, id }: ErrorInput,
  signal: AbortSignal,
): Promise<{ readonly target: ProjectAddress; readonly detail: ErrorDetail }> {
  const target = projectOf(context, project);
  const { detail } = await createDetailSource(() => context.client, target, id, context.choice).detail(signal);
  return { target, detail };
}

function projectOf({ project }: ToolContext, path: string | undefined): ProjectAddress {
  if (path !== undefined && path.toLowerCase() !== project?.path.toLowerCase()) return { id: path, path };
  if (project === undefined)
    throw new Error(
      'No project is selected in Signalbox. Pass the full path of a project as "project", such as "group/project".',
    );
  return project;
}
