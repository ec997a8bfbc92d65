import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import type { decide } from '../../../server/features/notifications/rules.ts';
import { isJsonObject } from '../../../src/contract/json.ts';
import { cases, detailsOf } from './cases.ts';
import { verdictOf } from './verdict.ts';

// Changes single rules in the source of the modules that decide. Every change must contradict at least one case.

const root = path.join(import.meta.dirname, '../../..');

const files = {
  levels: 'src/contract/notifications.ts',
  candidates: 'server/features/notifications/candidates.ts',
  rules: 'server/features/notifications/rules.ts',
} as const;

interface Mutation {
  readonly file: keyof typeof files;
  readonly from: string;
  readonly to: string;
}

const mutation =
  (file: keyof typeof files) =>
  (from: string, to: string): Mutation => ({ file, from, to });
const levels = mutation('levels');
const candidates = mutation('candidates');
const rules = mutation('rules');

/** Removes one of several entries of a line or block. */
const without = (change: (from: string, to: string) => Mutation, whole: string, parts: readonly string[]): Mutation[] =>
  parts.map((part) => change(whole, whole.replace(part, '')));

const NOT_WATCHED = "'push_to_merge_request',\n  'issue_due',\n  'success_pipeline',\n  'approver',";
const ALWAYS_PARTICIPATING = "['failed_pipeline', 'fixed_pipeline', 'moved_project']";
const ON_BY_DEFAULT = "new Set(['failed_pipeline', 'fixed_pipeline'])";
const MENTION = "return type === 'mention' || event === 'moved_project';";
const PARTICIPATING = "return type === 'participating' || type === 'mention' || alwaysParticipating.has(event);";
const WATCH = "return type !== 'watch' || !notWatched.has(event);";
const CUSTOM = "return type === 'mention' || event === 'moved_project' || isSwitchedOn(switches, event);";
const PARTICIPANTS = "['author', 'assignee', 'reviewer', 'commenter', 'mentioned', 'mentioned_here']";
const TO_ACTOR =
  "  'issue_due',\n  'failed_pipeline',\n  'fixed_pipeline',\n  'success_pipeline',\n  'moved_project',\n]);\n\n/** Returns true if the event is mailed";
const REASONS = "['own_activity', 'assigned', 'review_requested', 'mentioned', 'subscribed']";

/** All mutations. Each changes one rule of docs/interface.md#notification-mail. */
export const mutations: readonly Mutation[] = [
  // Which setting applies.
  levels("chain.find(({ level }) => level !== 'global') ?? last", 'last'),
  levels("chain.find(({ level }) => level !== 'global') ?? last", "chain.findLast(({ level }) => level !== 'global') ?? last"),
  levels("chain.find(({ level }) => level !== 'global') ?? last", 'chain[0]'),
  // Switches.
  ...without(levels, ON_BY_DEFAULT, ["'failed_pipeline', ", ", 'fixed_pipeline'"]),
  levels(ON_BY_DEFAULT, "new Set(['failed_pipeline', 'fixed_pipeline', 'success_pipeline'])"),
  levels('switches[event] ?? onByDefault.has(event)', 'switches[event]'),
  levels('switches[event] ?? onByDefault.has(event)', 'switches[event] || onByDefault.has(event)'),
  levels("return event === 'fixed_pipeline' && switches.success_pipeline === true;", 'return false;'),
  levels("return event === 'fixed_pipeline' && switches.success_pipeline", 'return switches.success_pipeline'),
  levels(
    "return event === 'fixed_pipeline' && switches.success_pipeline",
    "return event === 'fixed_pipeline' && switches.failed_pipeline",
  ),
  // Levels.
  ...without(levels, NOT_WATCHED, ["'push_to_merge_request',", "'issue_due',", "'success_pipeline',", "'approver',"]),
  levels(NOT_WATCHED, `'new_note', ${NOT_WATCHED}`),
  ...without(levels, ALWAYS_PARTICIPATING, ["'failed_pipeline', ", "'fixed_pipeline', ", ", 'moved_project'"]),
  levels(ALWAYS_PARTICIPATING, "['failed_pipeline', 'fixed_pipeline', 'moved_project', 'success_pipeline']"),
  levels(ALWAYS_PARTICIPATING, "['failed_pipeline', 'fixed_pipeline', 'moved_project', 'new_release']"),
  levels("if (type === 'subscription') return true;", ''),
  levels(
    "case 'disabled':\n    case 'global':\n      return false;",
    "case 'disabled':\n      return type === 'mention';\n    case 'global':\n      return false;",
  ),
  levels(
    "case 'disabled':\n    case 'global':\n      return false;",
    "case 'disabled':\n      return false;\n    case 'global':\n      return type === 'mention';",
  ),
  levels(
    "case 'disabled':\n    case 'global':\n      return false;",
    "case 'disabled':\n      return event === 'moved_project';\n    case 'global':\n      return false;",
  ),
  levels(MENTION, "return type === 'mention';"),
  levels(MENTION, "return event === 'moved_project';"),
  levels(MENTION, "return type === 'participating' || type === 'mention' || event === 'moved_project';"),
  levels(PARTICIPATING, "return type === 'mention' || alwaysParticipating.has(event);"),
  levels(PARTICIPATING, "return type === 'participating' || alwaysParticipating.has(event);"),
  levels(PARTICIPATING, "return type === 'participating' || type === 'mention';"),
  levels(PARTICIPATING, 'return true;'),
  levels(WATCH, 'return true;'),
  levels(WATCH, "return type !== 'watch';"),
  levels(WATCH, 'return !notWatched.has(event);'),
  levels(CUSTOM, "return event === 'moved_project' || isSwitchedOn(switches, event);"),
  levels(CUSTOM, "return type === 'mention' || isSwitchedOn(switches, event);"),
  levels(CUSTOM, "return type === 'mention' || event === 'moved_project';"),
  levels(
    CUSTOM,
    "return type === 'mention' || type === 'participating' || event === 'moved_project' || isSwitchedOn(switches, event);",
  ),
  levels(CUSTOM, 'return true;'),
  // Candidates of events without a thread.
  levels("failed_pipeline: 'watch',", ''),
  levels("fixed_pipeline: 'watch',", ''),
  levels("success_pipeline: 'watch',", "success_pipeline: 'custom',"),
  levels("approver: 'watch',", "approver: 'custom',"),
  levels("new_release: 'custom',", ''),
  levels("moved_project: 'custom',", ''),
  candidates('isConcerned(details) ? [{ type, reason: null }] : []', '[{ type, reason: null }]'),
  candidates("if (event === 'new_release') return access.level >= accessLevels.guest;", ''),
  candidates(
    "'new_release') return access.level >= accessLevels.guest",
    "'new_release') return access.level >= accessLevels.reporter",
  ),
  candidates("'new_release') return access.level >= accessLevels.guest", "'new_release') return true"),
  candidates(
    "'moved_project') return access.level >= accessLevels.maintainer",
    "'moved_project') return access.level >= accessLevels.developer",
  ),
  candidates(
    "'moved_project') return access.level >= accessLevels.maintainer",
    "'moved_project') return access.level >= accessLevels.owner",
  ),
  candidates(
    "'moved_project') return access.level >= accessLevels.maintainer",
    "'moved_project') return access.isAdministrator || access.level >= accessLevels.maintainer",
  ),
  candidates("event === 'approver' ? 'approver' : 'pipeline_user'", "'pipeline_user'"),
  candidates("event === 'approver' ? 'approver' : 'pipeline_user'", "'approver'"),
  candidates("event === 'approver' ? 'approver' : 'pipeline_user'", "event === 'approver' ? 'reviewer' : 'pipeline_user'"),
  // Candidates of threads.
  ...without(candidates, PARTICIPANTS, ["'author', ", "'assignee', ", "'reviewer', ", "'commenter', ", "'mentioned', "]),
  candidates(PARTICIPANTS, "['author', 'assignee', 'reviewer', 'commenter', 'mentioned', 'mentioned_here', 'previous']"),
  candidates(PARTICIPANTS, "['author', 'assignee', 'reviewer', 'commenter', 'mentioned', 'mentioned_here', 'label_subscriber']"),
  candidates("if (details.isEdit && !details.roles.includes('newly_mentioned')) return [];", ''),
  candidates('if (details.isEdit && ', 'if ('),
  candidates('...ofThread(details), ...ofEvent(details)', '...ofEvent(details)'),
  candidates('...ofThread(details), ...ofEvent(details)', '...ofThread(details)'),
  candidates(', ...ofSubscription(details)]', ']'),
  candidates("scope.kind !== 'global' || access.level >= accessLevels.guest", 'true'),
  candidates("scope.kind !== 'global' || access.level >= accessLevels.guest", 'access.level >= accessLevels.guest'),
  candidates(
    "scope.kind !== 'global' || access.level >= accessLevels.guest",
    "scope.kind !== 'global' || access.level >= accessLevels.reporter",
  ),
  candidates("scope.kind !== 'global' || access.level >= accessLevels.guest", "scope.kind !== 'global'"),
  candidates("level === 'watch' || level === 'custom'", "level === 'watch'"),
  candidates("level === 'watch' || level === 'custom'", "level === 'custom'"),
  candidates("level === 'watch' || level === 'custom'", "level !== 'disabled'"),
  candidates("case 'new_issue':\n    case 'new_merge_request':", "case 'new_merge_request':"),
  candidates("case 'new_issue':\n    case 'new_merge_request':", "case 'new_issue':"),
  candidates(
    "case 'new_issue':\n    case 'new_merge_request':",
    "case 'new_issue':\n    case 'close_issue':\n    case 'new_merge_request':",
  ),
  candidates("...is(roles.includes('newly_mentioned') ? 'newly_mentioned' : 'mentioned_here', 'mention', 'mentioned'),", ''),
  candidates("roles.includes('newly_mentioned') ? 'newly_mentioned' : 'mentioned_here'", "'mentioned_here'"),
  candidates("roles.includes('newly_mentioned') ? 'newly_mentioned' : 'mentioned_here'", "'newly_mentioned'"),
  candidates("...is('assignee', 'participating', 'assigned'),", ''),
  candidates("...is('assignee', 'participating', 'assigned'),", "...is('assignee', 'mention', 'assigned'),"),
  candidates("...is('label_subscriber', 'subscription', 'subscribed'),", ''),
  candidates(
    "...is('label_subscriber', 'subscription', 'subscribed'),",
    "...is('label_subscriber', 'participating', 'subscribed'),",
  ),
  candidates("return is('mentioned_here', 'mention', 'mentioned');", 'return [];'),
  candidates("return is('mentioned_here', 'mention', 'mentioned');", "return is('mentioned', 'mention', 'mentioned');"),
  candidates("case 'reassign_issue':\n    case 'reassign_merge_request':", "case 'reassign_merge_request':"),
  candidates("case 'reassign_issue':\n    case 'reassign_merge_request':", "case 'reassign_issue':"),
  candidates("...is('previous', 'mention', null), ...is('assignee'", "...is('assignee'"),
  candidates(
    "...is('previous', 'mention', null), ...is('assignee'",
    "...is('previous', 'participating', null), ...is('assignee'",
  ),
  candidates("...is('assignee', 'mention', 'assigned')]", ']'),
  candidates("...is('assignee', 'mention', 'assigned')]", "...is('reviewer', 'mention', 'assigned')]"),
  candidates("...is('assignee', 'mention', 'assigned')]", "...is('assignee', 'participating', 'assigned')]"),
  candidates("case 'change_reviewer_merge_request':", ''),
  candidates("...is('previous', 'mention', null), ...is('reviewer'", "...is('reviewer'"),
  candidates("...is('reviewer', 'mention', 'review_requested')]", "...is('reviewer', 'mention', 'assigned')]"),
  candidates("...is('reviewer', 'mention', 'review_requested')]", "...is('reviewer', 'participating', 'review_requested')]"),
  candidates("subscribed === true ? [{ type: 'subscription'", "subscribed !== null ? [{ type: 'subscription'"),
  candidates("subscribed === true ? [{ type: 'subscription'", "subscribed === true ? [{ type: 'participating'"),
  // Own activity.
  ...without(candidates, TO_ACTOR, [
    "'issue_due',",
    "'failed_pipeline',",
    "'fixed_pipeline',",
    "'success_pipeline',",
    "'moved_project',",
  ]),
  candidates(TO_ACTOR, `'new_release',${TO_ACTOR}`),
  candidates(" || (event === 'merge_merge_request' && wasAutoMerged)", ''),
  candidates("(event === 'merge_merge_request' && wasAutoMerged)", "event === 'merge_merge_request'"),
  candidates("(event === 'merge_merge_request' && wasAutoMerged)", 'wasAutoMerged'),
  rules('if (!details.isActor) return undefined;', 'return undefined;'),
  rules('return details.ownActivity\n    ? ', 'return !details.ownActivity\n    ? '),
  rules('if (isMailedToActor(details)) return { outcome', 'if (false) return { outcome'),
  // Access.
  candidates('if (container === null) return isAuthor || ', 'if (container === null) return '),
  candidates("isSnippetOpen(target, viewer) ? undefined : 'snippet'", "true ? undefined : 'snippet'"),
  candidates('|| access.isAdministrator || isSnippetOpen(target, viewer) ?', '|| access.isAdministrator ?'),
  candidates(
    "if (!access.isAdministrator && !access.isRelated && access.level === 0 && !isOpenTo(container, viewer)) return 'group';",
    '',
  ),
  candidates('if (!access.isAdministrator && !access.isRelated', 'if (!access.isRelated'),
  candidates('&& !access.isRelated && access.level === 0', '&& access.level === 0'),
  candidates('&& !access.isRelated && access.level === 0', '&& !access.isRelated'),
  candidates('&& access.level === 0 && !isOpenTo(container, viewer)', '&& access.level === 0'),
  candidates("if (target.isConfidential && !isReporter) return 'confidential';", ''),
  candidates("if (!can.readProject) return 'project';", ''),
  candidates("if (!can.readIssues) return 'issues';", ''),
  candidates(
    'if (target.isConfidential && !isReporter && !isAuthor',
    'if (false && target.isConfidential && !isReporter && !isAuthor',
  ),
  candidates("!isReporter && !isAuthor && !roles.includes('assignee')", '!isReporter && !isAuthor'),
  candidates("!isReporter && !isAuthor && !roles.includes('assignee')", "!isReporter && !roles.includes('assignee')"),
  candidates("!isReporter && !isAuthor && !roles.includes('assignee')", "!isAuthor && !roles.includes('assignee')"),
  candidates("if (target.type === 'MergeRequest' && !can.readMergeRequests) return 'merge_requests';", ''),
  candidates("target.type === 'Snippet' && !isAuthor && !can.readPrivateSnippets", 'false && !can.readPrivateSnippets'),
  candidates(
    "target.type === 'Snippet' && !isAuthor && !can.readPrivateSnippets",
    "target.type === 'Snippet' && !can.readPrivateSnippets",
  ),
  candidates('!can.readPrivateSnippets && !isSnippetOpen(target, viewer)', '!isSnippetOpen(target, viewer)'),
  candidates('!can.readPrivateSnippets && !isSnippetOpen(target, viewer)', '!can.readPrivateSnippets'),
  candidates("return target.isInternal && !isReporter ? 'internal' : undefined;\n  }\n", 'return undefined;\n  }\n'),
  candidates("return target.isInternal && !isReporter ? 'internal' : undefined;\n}", 'return undefined;\n}'),
  candidates('access.isAdministrator || access.level >= accessLevels.reporter', 'access.level >= accessLevels.reporter'),
  candidates(
    'access.isAdministrator || access.level >= accessLevels.reporter',
    'access.isAdministrator || access.level >= accessLevels.guest',
  ),
  candidates(
    'access.isAdministrator || access.level >= accessLevels.reporter',
    'access.isAdministrator || access.level >= accessLevels.developer',
  ),
  rules('return obstacle === undefined\n', 'return true\n'),
  // The other rules and their order.
  rules('return details.isActive\n', 'return true\n'),
  rules("['candidate', candidate],", ''),
  rules("['active', active],", ''),
  rules("['access', access],", ''),
  rules("['own_activity', ownActivity],", ''),
  rules("['already_mailed', alreadyMailed],", ''),
  rules("['subscription', subscription],", ''),
  rules("['level', level],", ''),
  rules(
    "['own_activity', ownActivity],\n  ['already_mailed', alreadyMailed],\n  ['subscription', subscription],",
    "['already_mailed', alreadyMailed],\n  ['subscription', subscription],\n  ['own_activity', ownActivity],",
  ),
  rules("['candidate', candidate],\n  ['active', active],", "['active', active],\n  ['candidate', candidate],"),
  rules('if (!details.wasMailed) return undefined;', 'return undefined;'),
  rules('if (details.subscribed === false) {', 'if (false) {'),
  rules("return candidacies.some(({ type }) => type === 'mention')\n      ? ", 'return false\n      ? '),
  rules("return candidacies.some(({ type }) => type === 'mention')\n      ? ", 'return true\n      ? '),
  rules("if (!candidacies.some(({ type }) => type === 'subscription')) return undefined;", 'return undefined;'),
  rules("if (subscribed === false && type !== 'mention') return false;", ''),
  rules("if (subscribed === false && type !== 'mention') return false;", 'if (subscribed === false) return false;'),
  rules("return passing.some(({ type }) => type !== 'subscription')\n", 'return true\n'),
  rules("return passing.some(({ type }) => type !== 'subscription')\n", 'return false\n'),
  // Reasons.
  rules("if (details.event === 'merge_when_pipeline_succeeds') return null;", ''),
  rules("if (details.isActor && details.ownActivity && !isMailedToActor(details)) return 'own_activity';", ''),
  rules('details.isActor && details.ownActivity && !isMailedToActor(details)', 'details.isActor && details.ownActivity'),
  rules('details.isActor && details.ownActivity && !isMailedToActor(details)', 'details.ownActivity'),
  candidates(REASONS, "['own_activity', 'review_requested', 'mentioned', 'assigned', 'subscribed']"),
  candidates(REASONS, "['own_activity', 'assigned', 'review_requested', 'subscribed', 'mentioned']"),
  candidates(REASONS, "['own_activity', 'subscribed', 'mentioned', 'assigned', 'review_requested']"),
  candidates(REASONS, "['own_activity', 'assigned', 'mentioned', 'subscribed']"),
];

type Decide = typeof decide;

/** Loads the rules from changed sources. */
async function loadMutated({ file, from, to }: Mutation, folder: string): Promise<Decide> {
  for (const [name, relative] of Object.entries(files)) {
    const source = readFileSync(path.join(root, relative), 'utf8');
    assert.ok(name !== file || source.split(from).length === 2, `${relative} has to contain this once: ${from}`);
    const changed = name === file ? source.replace(from, () => to) : source;
    const target = path.join(folder, relative);
    mkdirSync(path.dirname(target), { recursive: true });
    writeFileSync(target, withAbsoluteImports(changed, path.dirname(relative)));
  }
  const loaded: unknown = await import(pathToFileURL(path.join(folder, files.rules)).href);
  assert.ok(isJsonObject(loaded) && isDecide(loaded['decide']));
  return loaded['decide'];
}

/** Makes a module import everything but the copied files from the repository. */
function withAbsoluteImports(source: string, folder: string): string {
  return source.replaceAll(/ from '(\.[^']+)'/g, (whole, specifier: string) => {
    const imported = path.join(folder, specifier);
    const isCopied = Object.values(files).some((file) => path.normalize(file) === imported);
    return isCopied ? whole : ` from '${pathToFileURL(path.join(root, imported)).href}'`;
  });
}

function isDecide(value: unknown): value is Decide {
  return typeof value === 'function';
}

/** Returns true if a case contradicts the changed rules. */
async function isNoticed(change: Mutation): Promise<boolean> {
  const folder = mkdtempSync(path.join(tmpdir(), 'signalbox-rules-'));
  try {
    writeFileSync(path.join(folder, 'package.json'), '{"type":"module"}');
    const decideMutated = await loadMutated(change, folder);
    return cases.some((one) => verdictOf(decideMutated(detailsOf(one))) !== one.expected);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Declares a test for each of these mutations. */
export function describeMutations(some: readonly Mutation[]): void {
  describe('mutations of the rules of notification mail', () => {
    for (const change of some) {
      const text = (code: string): string => code.replaceAll(/\s+/g, ' ');
      it(`a case notices "${text(change.to)}" instead of "${text(change.from)}" in ${files[change.file]}`, async () => {
        assert.ok(await isNoticed(change), 'no case contradicts this change');
      });
    }
  });
}
