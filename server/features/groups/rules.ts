import { inspected } from '../../support/rubyHash.ts';
import { isReservedName } from '../accountRules/accountRules.ts';
import { isMoreVisible, type Visibility } from '../abilities/abilities.ts';

/** Maximum length of the name and path of a group, in characters. */
const MAX_LENGTH = 255;
/** Maximum nesting depth of groups. */
export const MAX_DEPTH = 20;
const NAME_MESSAGE =
  "can contain only letters, digits, emoji, '_', '.', dash, space, parenthesis. It must start with letter, digit, emoji or '_'.";
const PATH_MESSAGE =
  "can contain only letters, digits, '_', '-' and '.'. Cannot start with '-' or end in '.', '.git' or '.atom'.";

/** Returns the validation errors of a group's name, with the messages of the API. */
export function nameErrors(name: string): string[] {
  if (name.trim() === '') return ["can't be blank"];
  if (name.length > MAX_LENGTH) return [`is too long (maximum is ${MAX_LENGTH} characters)`];
  return /^[\p{L}\p{N}\p{Extended_Pictographic}_][\p{L}\p{N}\p{Pd}\p{M}\p{Extended_Pictographic}\u200d_(). -]*$/u.test(name)
    ? []
    : [NAME_MESSAGE];
}

export function pathErrors(path: string, isTopLevel: boolean): string[] {
  if (path === '') return ["can't be blank"];
  if (path.length > MAX_LENGTH) return [`is too long (maximum is ${MAX_LENGTH} characters)`];
  if (!/^[A-Za-z0-9_.][A-Za-z0-9_.-]*$/.test(path) || /\.$|\.(?:git|atom)$/i.test(path)) return [PATH_MESSAGE];
  return isTopLevel && isReservedName(path) ? [`${path} is a reserved name`] : [];
}

/** Returns the validation errors of a group's visibility with respect to its parent, subgroups and projects. */
export function visibilityErrors(
  visibility: Visibility,
  neighbours: { readonly parent: Visibility | null; readonly hasProjectBeyond: boolean; readonly hasSubgroupBeyond: boolean },
): string[] {
  const { parent } = neighbours;
  return [
    ...(parent !== null && isMoreVisible(visibility, parent)
      ? [`${visibility} is not allowed since the parent group has a ${parent} visibility.`]
      : []),
    ...(neighbours.hasProjectBeyond
      ? [`${visibility} is not allowed since this group contains projects with higher visibility.`]
      : []),
    ...(neighbours.hasSubgroupBeyond ? [`${visibility} is not allowed since there are sub-groups with higher visibility.`] : []),
  ];
}

export type ValidationErrors = Readonly<Record<string, readonly string[]>>;

/** Returns the API message for an invalid new group, with the errors in the form of a Ruby hash (docs/interface.md#groups-and-namespaces). */
export function failedToSave(validationErrors: ValidationErrors): string {
  return `Failed to save group ${inspected(validationErrors)}`;
}
