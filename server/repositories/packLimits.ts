/** Limits of what a pushed pack may become when git unpacks it, in bytes. */
export interface PackLimits {
  /** Size of one object. */
  readonly object: number;
  /** Size of all objects together. */
  readonly total: number;
}

export const defaultPackLimits: PackLimits = { object: 100 * 1024 * 1024, total: 10 * 1024 ** 3 };
