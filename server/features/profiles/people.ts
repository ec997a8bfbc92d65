import type { ResponseOf } from '../../http/responses.ts';
import type { Core } from '../../core/core.ts';
import type { userBasic } from './responses.ts';
import { accountLocks } from '../attempts/attempts.ts';
import { personById } from '../users/users.ts';
import { presentUserBasic } from './present.ts';

type Person = ResponseOf<typeof userBasic>;

/** Returns a function that presents users in their short form and caches the result; null for deleted users. */
export function peopleOf(core: Core, baseUrl: string): (id: number | null) => Person | null {
  const cache = new Map<number, Person | null>();
  const isLocked = accountLocks(core);
  return (id) => {
    if (id === null) return null;
    let person = cache.get(id);
    if (person === undefined) {
      const user = personById(core.store, id);
      person = user === undefined ? null : presentUserBasic(core, user, baseUrl, isLocked);
      cache.set(id, person);
    }
    return person;
  };
}
