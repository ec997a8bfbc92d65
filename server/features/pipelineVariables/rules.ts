export const variableTypes = ['env_var', 'file'] as const;
export type VariableType = (typeof variableTypes)[number];

export interface PipelineVariable {
  readonly key: string;
  readonly value: string;
  readonly type: VariableType;
  readonly raw: boolean;
}

/** Returns true if a text can be the key of a variable. */
export function isVariableKey(text: string): boolean {
  return /^\w{1,255}$/.test(text);
}
