import { integerMember, isJsonObject, stringMember } from './json.ts';

/** Members of a project that every list of projects contains, even with `simple=true`. */
export interface ProjectBasic {
  readonly id: number;
  readonly name: string;
  /** `group/subgroup/project` */
  readonly path_with_namespace: string;
  /** `Group / Subgroup / Project` */
  readonly name_with_namespace: string;
  readonly web_url: string;
  readonly description: string | null;
  readonly [member: string]: unknown;
}

export function readProjectBasic(value: unknown): ProjectBasic | undefined {
  if (!isJsonObject(value)) return undefined;
  const id = integerMember(value, 'id');
  const path = stringMember(value, 'path_with_namespace');
  if (id === undefined || path === undefined) return undefined;
  return {
    ...value,
    id,
    name: stringMember(value, 'name') ?? path,
    path_with_namespace: path,
    name_with_namespace: stringMember(value, 'name_with_namespace') ?? path,
    web_url: stringMember(value, 'web_url') ?? '',
    description: stringMember(value, 'description') ?? null,
  };
}
