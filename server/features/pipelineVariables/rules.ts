export const variableTypes = ['env_var', 'file'] as const;
export type VariableType = (typeof variableTypes)[number];

/** Returns true if a text can be the key of a variable. */
export function isVariableKey(text: string): boolean {
  return /^\w{1,255}$/.test(text);
}
