import type { Feature } from '../../http/feature.ts';
import { auditRoutes } from './routes.ts';
import { recordAudit } from './auditEvents.ts';

export { fillAuditEventBlocks, moveAuditEventsOfErrors, renameAuditedClientKey } from './demoStore.ts';

/** Audit events. */
export const audit: Feature = { routes: auditRoutes, subscribe: recordAudit };
