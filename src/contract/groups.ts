import { integerMember, isJsonObject, stringMember } from './json.ts';

/** Members of a group that every list of groups contains. */
export interface GroupBasic {
  readonly id: number;
  readonly name: string;
  /** `group/subgroup` */
  readonly full_path: string;
  readonly web_url: string;
}

export function readGroupBasic(value: unknown): GroupBasic | undefined {
  if (!isJsonObject(value)) return undefined;
  const id = integerMember(value, 'id');
  const path = stringMember(value, 'full_path');
  if (id === undefined || path === undefined) return undefined;
  return { id, name: stringMember(value, 'name') ?? path, full_path: path, web_url: stringMember(value, 'web_url') ?? '' };
}
