import * as z from 'zod';
import { isoDate } from '../../core/clock.ts';
import { checked, date, declare, filled, hash, integer, MAX_ITEMS, type Parameter, required } from '../../http/params.ts';

/** A purchased pack of minutes. The day is `YYYY-MM-DD`. */
export interface SentPack {
  readonly minutes: number;
  readonly expiresOn: string;
  readonly purchase: string;
}

/** A number that is not negative. */
export const amount = (): Parameter<number | undefined> =>
  checked(integer(), (value) => value === undefined || value >= 0, 'is invalid');

/** Limits of a namespace that a request can set. */
export const limitParameters = () => ({
  shared_runners_minutes_limit: amount(),
  extra_shared_runners_minutes_limit: amount(),
  additional_purchased_storage_size: amount(),
  additional_purchased_storage_ends_on: date(),
});

/** A required list of packs: a JSON array, or members with indexes in a form. */
export function packs(): Parameter<readonly SentPack[]> {
  const itemSchema = hash({ number_of_minutes: required(integer), expires_at: required(date), purchase_xid: filled() });
  const schema = z.unknown().transform((raw, context): readonly SentPack[] => {
    const invalid = (message: string): never => {
      context.addIssue({ code: 'custom', message });
      return z.NEVER;
    };
    if (raw === undefined || raw === null || raw === '') return invalid('is missing');
    const isNumbered = typeof raw === 'object' && !Array.isArray(raw) && Object.keys(raw).every((key) => /^\d+$/.test(key));
    const list: unknown = isNumbered ? Object.values(raw) : raw;
    if (!Array.isArray(list)) return invalid('is invalid');
    if (list.length > MAX_ITEMS) return invalid(`has too many values (maximum is ${MAX_ITEMS})`);
    const sent: SentPack[] = [];
    for (const item of list) {
      const read = itemSchema.safeParse(item);
      if (!read.success || read.data === undefined || read.data.number_of_minutes < 0) return invalid('is invalid');
      const { number_of_minutes: minutes, expires_at: end, purchase_xid: purchase } = read.data;
      sent.push({ minutes, expiresOn: isoDate(end), purchase });
    }
    return sent;
  });
  return declare(schema, {
    kind: 'objects',
    required: true,
    members: {
      number_of_minutes: { kind: 'integer', required: true },
      expires_at: { kind: 'date', required: true },
      purchase_xid: { kind: 'string', required: true },
    },
  });
}
