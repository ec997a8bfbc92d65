import * as z from 'zod';
import { boolean, declare, hash, integer, MAX_ITEMS, oneOf, type Parameter } from '../../http/params.ts';
import { type GrantInput, levelsOf } from './manageProtectedRefs.ts';
import type { ProtectedAction } from './store.ts';

const members = () => ({
  id: integer(),
  access_level: integer(),
  user_id: integer(),
  group_id: integer(),
  deploy_key_id: integer(),
  _destroy: boolean(),
});

/** A list of users, groups, deploy keys and access levels: a JSON array, or members with indexes in a form. */
export function grants(): Parameter<readonly GrantInput[] | undefined> {
  const itemSchema = hash(members());
  const schema = z.unknown().transform((raw, context): readonly GrantInput[] | undefined => {
    const invalid = (message: string): never => {
      context.addIssue({ code: 'custom', message });
      return z.NEVER;
    };
    if (raw === undefined || raw === null || raw === '') return undefined;
    const isNumbered = typeof raw === 'object' && !Array.isArray(raw) && Object.keys(raw).every((key) => /^\d+$/.test(key));
    const list: unknown = isNumbered ? Object.values(raw) : raw;
    if (!Array.isArray(list)) return invalid('is invalid');
    if (list.length > MAX_ITEMS) return invalid(`has too many values (maximum is ${MAX_ITEMS})`);
    const inputs: GrantInput[] = [];
    for (const item of list) {
      const read = itemSchema.safeParse(item);
      if (!read.success || read.data === undefined) return invalid('is invalid');
      inputs.push(read.data);
    }
    return inputs;
  });
  const integerMember = { kind: 'integer', required: false } as const;
  return declare(schema, {
    kind: 'objects',
    required: false,
    members: {
      id: integerMember,
      access_level: integerMember,
      user_id: integerMember,
      group_id: integerMember,
      deploy_key_id: integerMember,
      _destroy: { kind: 'boolean', required: false },
    },
  });
}

/** An access level that a rule can have for the action. */
export function level(action: ProtectedAction): Parameter<number | undefined> {
  const values = levelsOf(action).map(String);
  const schema = oneOf(values)().transform((text) => (text === undefined ? undefined : Number(text)));
  return declare(schema, { kind: 'enum', required: false, values });
}
