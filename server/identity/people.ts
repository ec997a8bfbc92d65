import type { ResponseOf } from '../http/responses.ts';
import type { Platform } from '../platform.ts';
import type { userBasic } from './responses.ts';
import { presentUserBasic } from './present.ts';
import { userById } from './store.ts';

type Person = ResponseOf<typeof userBasic>;

/** Presents people in their short form, once each however often they are shown. Null for one who is gone. */
export function peopleOf(platform: Platform, baseUrl: string): (id: number | null) => Person | null {
  const known = new Map<number, Person | null>();
  return (id) => {
    if (id === null) return null;
    let person = known.get(id);
    if (person === undefined) {
      const user = userById(platform.store, id);
      person = user === undefined ? null : presentUserBasic(platform, user, baseUrl);
      known.set(id, person);
    }
    return person;
  };
}
