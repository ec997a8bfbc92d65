import * as z from 'zod';
import { declare, type Parameter } from '../../http/params.ts';

/** Weights as sent, by storage. A value that is no integer is NaN. */
export type SentWeights = ReadonlyMap<string, number>;

/** The weights of storages: `repository_storages_weighted[default]=50`. Empty values are left out. */
export function weights(): Parameter<SentWeights | undefined> {
  const schema = z.unknown().transform((raw, context): SentWeights | undefined => {
    if (raw === undefined || raw === null || raw === '') return undefined;
    if (typeof raw !== 'object' || Array.isArray(raw)) {
      context.addIssue({ code: 'custom', message: 'is invalid' });
      return z.NEVER;
    }
    const sent = Object.entries(raw).filter(([, value]) => value !== null && value !== '');
    if (sent.length === 0) return undefined;
    return new Map(sent.map(([name, value]) => [name, numberOf(value)]));
  });
  return declare(schema, { kind: 'object', required: false, members: {} });
}

function numberOf(value: unknown): number {
  if (typeof value === 'number' && Number.isInteger(value)) return value;
  return typeof value === 'string' && /^[+-]?\d+$/.test(value) ? Number(value) : Number.NaN;
}

/** Returns the validation errors of weights, with the texts of GitLab. */
export function weightErrors(sent: SentWeights, storages: readonly string[], largest: number): string[] {
  const unknown = [...sent.keys()].filter((name) => !storages.includes(name));
  return [
    ...(unknown.length === 0 ? [] : [`can't include: ${unknown.join(', ')}`]),
    ...[...sent].flatMap(([name, value]) => {
      if (Number.isNaN(value)) return [`value for '${name}' must be an integer`];
      return value < 0 || value > largest ? [`value for '${name}' must be between 0 and ${largest}`] : [];
    }),
  ];
}
