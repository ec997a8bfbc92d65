import type { Availability } from '../../core/profile.ts';
import type { ResponseSchema } from '../../http/responses.ts';
import type { ContainerRoute } from '../projectAccess/projectAccess.ts';
import type { ProjectRole } from '../abilities/abilities.ts';
import type { HookContainer } from './store.ts';

/** The differences between hooks of projects and hooks of groups. */
export interface HooksOf<Found> {
  /** Path of the list. */
  readonly path: '/api/v4/projects/:id/hooks' | '/api/v4/groups/:id/hooks';
  readonly route: ContainerRoute<Found>;
  readonly role: ProjectRole;
  readonly body: ResponseSchema;
  readonly availability: Availability;
  containerOf(found: Found): HookContainer;
  /** Returns the projects whose events the hooks are called for. */
  projectsOf(found: Found): readonly number[];
}
