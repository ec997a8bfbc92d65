import { writeAuditEvent } from '../../../server/features/audit/auditEvents.ts';
import { type AuditEntity } from '../../../server/features/audit/rules.ts';
import { updateProject } from '../../../server/features/projects/manageProjects.ts';
import { removeMember } from '../../../server/features/members/projectMembers.ts';
import { type FoundProject } from '../../../server/features/projectAccess/access.ts';
import type { Examples } from './example.ts';
import { admin, type Fixture, groupWithAda, inGroup, inProject, projectWithAda } from './fixture.ts';

/** Returns a project with audit events of every format that projects have. */
function auditedProject(fixture: Fixture): FoundProject {
  const { server, root, ada } = fixture;
  const found = projectWithAda(fixture);
  updateProject(server.platform, found, { description: 'Watched' });
  removeMember(server.platform, found.project, ada.id, { user: root, access: found.access });
  return found;
}

const customAuditEvent = { event_name: 'lamp_replaced', custom_message: 'Replaced lamp 7', ip_address: '192.0.2.7' };

/** Returns the id of a new audit event. */
function auditEventOf({ server, root }: Fixture, type: AuditEntity['type'], id: number): string {
  const entity = { type, id, name: 'a place', path: 'a/place' };
  const target = { type: 'Lamp', id: 7, details: 'Lamp 7' };
  const event = {
    name: 'lamp_replaced',
    message: 'Replaced lamp 7',
    entity,
    target,
    action: {},
    authorId: root.id,
    address: null,
  };
  return String(writeAuditEvent(server.platform, event));
}

export const auditExamples: Examples = {
  'GET /api/v4/audit_events': (fixture) => ({
    token: admin,
    params: { entity_type: 'Project', entity_id: auditedProject(fixture).project.id },
  }),
  'GET /api/v4/audit_events/:id': (fixture) => ({
    token: admin,
    path: { id: auditEventOf(fixture, 'Gitlab::Audit::InstanceScope', 1) },
  }),
  'POST /api/v4/audit_events': () => ({ token: admin, params: customAuditEvent }),
  'GET /api/v4/groups/:id/audit_events': (fixture) => ({ token: admin, path: inGroup(groupWithAda(fixture)) }),
  'GET /api/v4/groups/:id/audit_events/:audit_event_id': (fixture) => ({
    token: admin,
    path: { ...inGroup(fixture.group), audit_event_id: auditEventOf(fixture, 'Group', fixture.group.group.id) },
  }),
  'POST /api/v4/groups/:id/audit_events': ({ group }) => ({ token: admin, path: inGroup(group), params: customAuditEvent }),
  'GET /api/v4/projects/:id/audit_events': (fixture) => ({ token: admin, path: inProject(auditedProject(fixture)) }),
  'GET /api/v4/projects/:id/audit_events/:audit_event_id': (fixture) => ({
    token: admin,
    path: { ...inProject(fixture.project), audit_event_id: auditEventOf(fixture, 'Project', fixture.project.project.id) },
  }),
  'POST /api/v4/projects/:id/audit_events': ({ project }) => ({
    token: admin,
    path: inProject(project),
    params: customAuditEvent,
  }),
};
