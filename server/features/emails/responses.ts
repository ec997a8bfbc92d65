import * as z from 'zod';
import { id, moment, named } from '../../http/responses.ts';

export const email = named('Email', () =>
  z.strictObject({
    id: id(),
    email: z.string(),
    confirmed_at: moment().nullable(),
  }),
);
