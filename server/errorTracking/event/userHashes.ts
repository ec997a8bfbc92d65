import { hash } from 'node:crypto';
import { keyFor, type KeyOwner } from '../../sealing.ts';
import type { EventUser } from './event.ts';

/** Hashes users for what is counted of them, with a key of this server: only whether two are the same can be seen. */
export function userHasher(owner: KeyOwner): (user: EventUser | undefined) => Buffer | undefined {
  let key: string | undefined;
  return (user) => {
    // Distinct by id, else name, else e-mail, else address (docs/interface.md#event-payloads).
    const [kind, value] =
      user?.id !== undefined
        ? ['id', user.id]
        : user?.username !== undefined
          ? ['name', user.username]
          : user?.email !== undefined
            ? ['email', user.email]
            : ['address', user?.address];
    if (value === undefined) return undefined;
    // A server that nobody sends errors to needs no key.
    key ??= keyFor(owner, 'users of tracked errors');
    // Digits are had in half the time of a buffer, which would have memory of its own.
    return Buffer.from(hash('sha256', `${key}:${kind}:${value}`, 'hex').slice(0, 24), 'hex');
  };
}
