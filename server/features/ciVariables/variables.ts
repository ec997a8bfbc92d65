import { conflict, invalidRecord, notFound } from '../../core/errors.ts';
import type { Core } from '../../core/core.ts';
import { seal, unseal } from '../../core/sealing.ts';
import { isLongerThan } from '../../support/textLength.ts';
import { isVariableKey, type VariableType } from '../pipelineVariables/pipelineVariables.ts';
import { maskRefusal } from './rules.ts';
import { insertVariable, type VariableContainer, type VariableRow, variablesByKey, writeVariable } from './store.ts';

// Variables of projects and groups. Their values are sealed, because many are secrets.

export type Variable = VariableRow;

/** Maximum length of a value, in characters. */
const MAX_VALUE = 10_000;
const MAX_TEXT = 255;

export interface VariableInput {
  readonly value?: string | undefined;
  readonly type?: VariableType | undefined;
  readonly protected?: boolean | undefined;
  readonly masked?: boolean | undefined;
  readonly raw?: boolean | undefined;
  readonly environmentScope?: string | undefined;
  readonly description?: string | undefined;
}

export interface NewVariable extends VariableInput {
  readonly key: string;
  readonly value: string;
  /** True if the value is masked and never returned. */
  readonly hidden?: boolean | undefined;
}

const sealedAs = (container: VariableContainer, key: string): string =>
  'projectId' in container
    ? `variable ${key} of project ${container.projectId}`
    : `variable ${key} of group ${container.groupId}`;

/** Returns the value of a variable. It is empty if it was sealed with another key, as after a copy of the data. */
export function valueOf(core: Core, container: VariableContainer, { key, sealed_value: sealed }: Variable): string {
  return unseal(core, sealedAs(container, key), sealed) ?? '';
}

/** @throws {Invalid} For validation errors. */
export function createVariable(core: Core, container: VariableContainer, input: NewVariable): Variable {
  const { key, environmentScope = '*' } = input;
  const isHidden = input.hidden === true;
  const row = {
    key,
    sealed_value: '',
    variable_type: input.type ?? 'env_var',
    environment_scope: environmentScope,
    protected: input.protected === true ? 1 : 0,
    masked: input.masked === true || isHidden ? 1 : 0,
    hidden: isHidden ? 1 : 0,
    raw: input.raw === true ? 1 : 0,
    description: input.description ?? null,
  } as const;
  check(row, input.value);
  return core.store.transaction(() => {
    demandFree(core, container, key, environmentScope);
    insertVariable(core.store, container, { ...row, sealed_value: seal(core, sealedAs(container, key), input.value) });
    return findVariable(core, container, key, environmentScope);
  });
}

/** @throws {Invalid} For validation errors. */
export function updateVariable(core: Core, container: VariableContainer, variable: Variable, input: VariableInput): Variable {
  const value = input.value ?? valueOf(core, container, variable);
  const flag = (sent: boolean | undefined, before: 0 | 1): 0 | 1 => ((sent ?? before === 1) ? 1 : 0);
  const changed = {
    ...variable,
    sealed_value: seal(core, sealedAs(container, variable.key), value),
    variable_type: input.type ?? variable.variable_type,
    environment_scope: input.environmentScope ?? variable.environment_scope,
    protected: flag(input.protected, variable.protected),
    masked: variable.hidden === 1 ? 1 : flag(input.masked, variable.masked),
    raw: flag(input.raw, variable.raw),
    description: input.description ?? variable.description,
  } as const;
  check(changed, value);
  return core.store.transaction(() => {
    if (changed.environment_scope !== variable.environment_scope) {
      demandFree(core, container, variable.key, changed.environment_scope);
    }
    writeVariable(core.store, changed);
    return findVariable(core, container, variable.key, changed.environment_scope);
  });
}

/** @throws {Invalid} If there is a variable with this key and scope. */
function demandFree({ store }: Core, container: VariableContainer, key: string, scope: string): void {
  if (!variablesByKey(store, container, key).some((row) => row.environment_scope === scope)) return;
  throw invalidRecord({ key: [`(${key}) has already been taken`] });
}

/** @throws {Invalid} For validation errors. */
function check(row: Omit<Variable, 'id'>, value: string): void {
  const valueErrors = [
    ...(isLongerThan(value, MAX_VALUE) ? [`is too long (maximum is ${MAX_VALUE} characters)`] : []),
    ...(row.masked === 1 ? maskRefusal(value, row.raw === 1) : []),
  ];
  const errors = {
    ...(isVariableKey(row.key) ? {} : { key: ["can contain only letters, digits and '_'."] }),
    ...(valueErrors.length > 0 ? { value: valueErrors } : {}),
    ...(/^[\w \-/*.]{1,255}$/.test(row.environment_scope)
      ? {}
      : { environment_scope: ["can contain only letters, digits, '-', '_', '/', '$', '{', '}', '.', and spaces, and '*'"] }),
    ...(isLongerThan(row.description ?? '', MAX_TEXT)
      ? { description: [`is too long (maximum is ${MAX_TEXT} characters)`] }
      : {}),
  };
  if (Object.keys(errors).length > 0) throw invalidRecord(errors);
}

/**
 * Returns the variable with a key.
 *
 * @throws {NotFound | Refused} If there is none, and if there are several and the scope is undefined.
 */
export function findVariable({ store }: Core, container: VariableContainer, key: string, scope: string | undefined): Variable {
  const found = variablesByKey(store, container, key).filter((row) => scope === undefined || row.environment_scope === scope);
  if (found.length > 1) {
    throw conflict("There are multiple variables with provided parameters. Please use 'filter[environment_scope]'");
  }
  const [variable] = found;
  if (variable === undefined) throw notFound('projectId' in container ? 'Variable' : 'GroupVariable');
  return variable;
}
