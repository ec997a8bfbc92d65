import type { TrackingCore } from '../trackingCore.ts';
import type { GitCore } from '../../../repositories/repositories.ts';
import { html } from 'hono/html';
import { invalidRecord, recordNotFound, unreadable } from '../../../core/errors.ts';
import { formTokenField, type Markup } from '../../../web/layout.ts';
import { shortened } from '../../../web/shownText.ts';
import { peopleOf } from '../../profiles/profiles.ts';
import { findUserByName } from '../../users/users.ts';
import { issuesById } from '../../issues/issues.ts';
import type { ProjectPageRequest } from '../../projectAccess/projectAccess.ts';
import { issuePath } from '../api/presentError.ts';
import { assignError, linkIssue, mergeAsUser, splitAsUser } from '../edits/editErrors.ts';
import type { EditKind } from '../edits/editStore.ts';
import { errorsOfUndo, undoEdit } from '../edits/undoEdit.ts';
import { mappedLatest } from '../merge/mergeErrors.ts';
import type { ErrorDetail } from '../read/errorDetail.ts';
import { findError, type TrackedError } from '../read/readErrors.ts';

type ErrorCore = GitCore & TrackingCore;

const MAX_MERGED = 100;
const SHOWN_GROUPINGS = 20;

const undoTexts: Readonly<Record<EditKind, string>> = {
  status: 'Undo the change of the status',
  assignee: 'Undo the change of the assignee',
  issue: 'Undo the change of the issue',
  merge: 'Undo the merge',
  split: 'Undo the split',
};

/** Assignee and issue of an error, as items of a description list. */
export function responsibilityItems(core: TrackingCore, error: TrackedError, request: ProjectPageRequest): Markup {
  const person = peopleOf(core, request.baseUrl)(error.assignee_id);
  const issue =
    error.issue_id === null || !request.can.readIssues ? undefined : issuesById(core, [error.issue_id]).get(error.issue_id);
  return html`${person === null ? '' : html`<dt>Assigned to</dt><dd><a href="/${person.username}"><bdi>${person.name}</bdi></a></dd>`}
${
  issue === undefined
    ? ''
    : html`<dt>Issue</dt><dd><a href="${issuePath(issue)}">#${issue.iid} <bdi>${shortened(issue.title)}</bdi></a> <span class="muted">${issue.state}</span></dd>`
}`;
}

/** Forms that assign, link, merge, split and undo. */
export function editForms(
  core: TrackingCore,
  action: string,
  { error, groupings }: ErrorDetail,
  request: ProjectPageRequest,
): Markup {
  const token = request.formToken();
  const form = (
    fields: Markup,
    text: string,
  ): Markup => html`<form method="post" action="${action}">${formTokenField(token)}${fields}
<div class="actions start"><button class="second" type="submit">${text}</button></div></form>`;
  const field = (
    name: string,
    label: string,
    value: string,
  ): Markup => html`<div class="field"><label for="${name}">${label}</label>
<input id="${name}" name="${name}" type="text" value="${value}" autocomplete="off" autocapitalize="none" spellcheck="false"></div>`;
  const assignee = peopleOf(core, request.baseUrl)(error.assignee_id)?.username ?? '';
  const issue = error.issue_id === null ? undefined : issuesById(core, [error.issue_id]).get(error.issue_id);
  const filled = groupings.filter((one) => one.event_count > 0);
  return html`${
    error.edit_id === null || error.edit_kind === null
      ? ''
      : form(html`<input type="hidden" name="undo" value="${error.edit_id}">`, undoTexts[error.edit_kind])
  }
<details><summary>Assign or link with an issue</summary>
${form(field('assignee', 'Username of the assignee', assignee), 'Assign')}
${form(field('issue', 'Number of the issue', issue === undefined ? '' : String(issue.iid)), 'Link')}
</details>
<details><summary>Merge or split</summary>
${form(field('merge', 'Numbers or addresses of errors to merge into this one', ''), 'Merge')}
${
  filled.length < 2
    ? ''
    : filled.slice(0, SHOWN_GROUPINGS).map((one) => {
        const hash = Buffer.from(one.hash).toString('hex');
        const events = `${one.event_count} ${one.event_count === 1 ? 'event' : 'events'}`;
        return form(
          html`<input type="hidden" name="split" value="${hash}"><p>${
            one.title === undefined ? '' : html`<bdi>${shortened(one.title)}</bdi> `
          }<code>${hash.slice(0, 12)}</code> ${events}</p>`,
          'Split off',
        );
      })
}
</details>`;
}

/** Handles these forms. Each sends one field. Returns the fingerprint of the error that has the data afterwards. */
export async function handleEdit(core: ErrorCore, request: ProjectPageRequest, find: () => TrackedError): Promise<number> {
  const { form, caller } = request;
  if (caller === undefined) throw recordNotFound('changing errors requires signing in');
  const editor = { found: request, caller };
  const field = (name: string): string | undefined => form.get(name)?.trim();
  const [assignee, issue, merge, split, undo] = ['assignee', 'issue', 'merge', 'split', 'undo'].map(field);
  if (assignee !== undefined) {
    assignError(core, find(), assignee === '' ? null : userNamed(core, assignee));
    return find().fingerprint;
  }
  if (issue !== undefined) {
    linkIssue(core, editor, find(), issue === '' ? null : numberIn(issue.replace(/^#/, ''), 'issue'));
    return find().fingerprint;
  }
  if (merge !== undefined) {
    const others = (): TrackedError[] => errorsNamed(core, request.project.id, merge);
    const latestOf = await mappedLatest(core, [find(), ...others()]);
    mergeAsUser(core, editor, find(), others(), latestOf);
    return find().fingerprint;
  }
  if (split !== undefined) {
    const latestOf = await mappedLatest(core, [find()]);
    return splitAsUser(core, find(), Buffer.from(split, 'hex'), latestOf);
  }
  if (undo !== undefined) {
    const latestOf = await mappedLatest(core, errorsOfUndo(core, find()));
    return undoEdit(core, editor, find(), numberIn(undo, 'undo'), latestOf);
  }
  throw unreadable('one of the fields assignee, issue, merge, split and undo is required');
}

function userNamed(core: TrackingCore, name: string): number {
  const user = findUserByName(core, name.replace(/^@/, ''));
  if (user === undefined) throw invalidRecord({ assignee: ['is no user'] });
  return user.id;
}

/** Returns the errors of a text with their numbers or the addresses of their pages. */
function errorsNamed(core: TrackingCore, projectId: number, text: string): TrackedError[] {
  const numbers = text
    .split(/[\s,]+/)
    .filter((one) => one !== '')
    .map((one) => /^(?:.*\/error_tracking\/)?(\d{1,15})(?:\/.*)?$/.exec(one)?.[1] ?? '');
  if (numbers.length > MAX_MERGED) throw invalidRecord({ merge: [`has more than ${MAX_MERGED} errors`] });
  return [...new Set(numbers)].map((number) => {
    const error = number === '' ? undefined : findError(core, projectId, Number(number));
    if (error === undefined) throw invalidRecord({ merge: ['must be errors of this project'] });
    return error;
  });
}

function numberIn(text: string, name: string): number {
  if (!/^\d{1,15}$/.test(text)) throw unreadable(`the field ${name} must be a number`);
  return Number(text);
}
