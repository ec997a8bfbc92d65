import type { Member } from './memberships.ts';
import type { member as memberResponse } from './responses.ts';
import type { Core } from '../../core/core.ts';
import { findUser } from '../users/users.ts';
import { presentUserBasic } from '../profiles/profiles.ts';
import type { ResponseOf } from '../../http/responses.ts';
import { isoDate, isoTime } from '../../core/clock.ts';

export function presentMember(core: Core, member: Member, baseUrl: string): ResponseOf<typeof memberResponse> {
  const user = findUser(core, member.user_id);
  if (user === undefined) throw new Error(`the user ${member.user_id} of a membership does not exist`);
  const creator = member.created_by === null ? undefined : findUser(core, member.created_by);
  return {
    ...presentUserBasic(core, user, baseUrl),
    access_level: member.access_level,
    created_at: isoTime(member.created_at),
    ...(creator === undefined ? {} : { created_by: presentUserBasic(core, creator, baseUrl) }),
    expires_at: member.expires_at === null ? null : isoDate(member.expires_at),
    membership_state: 'active',
  };
}
