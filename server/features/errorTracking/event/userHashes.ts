import { hash } from 'node:crypto';
import { keyFor, type KeyOwner } from '../../../core/sealing.ts';
import type { EventUser } from './trackedEvent.ts';

/** Returns a function that hashes users with a key of this server. Hashes can only be compared with each other. */
export function userHasher(owner: KeyOwner): (user: EventUser | undefined) => Buffer | undefined {
  let key: string | undefined;
  return (user) => {
    // Users are distinguished by ID, else user name, else email, else IP address (docs/interface.md#event-payloads).
    const [kind, value] =
      user?.id !== undefined
        ? ['id', user.id]
        : user?.username !== undefined
          ? ['name', user.username]
          : user?.email !== undefined
            ? ['email', user.email]
            : ['address', user?.address];
    if (value === undefined) return undefined;
    // The key is created only when a server receives errors.
    key ??= keyFor(owner, 'users of tracked errors');
    // A hexadecimal digest takes half the time of a buffer, which would need separate memory.
    return Buffer.from(hash('sha256', `${key}:${kind}:${value}`, 'hex').slice(0, 24), 'hex');
  };
}
