import { userBasic } from '../profiles/profiles.ts';
import { moment, named } from '../../http/responses.ts';
import * as z from 'zod';

/** A user who starred a project, and since when. */
export const starrer = named('Starrer', () => z.strictObject({ starred_since: moment(), user: userBasic() }));
