import * as z from 'zod';
import { deprecatedMember, id, moment, named } from '../../http/responses.ts';

export const securitySettingsResponse = named('ProjectSecuritySettings', () =>
  z.strictObject({
    project_id: id(),
    created_at: moment(),
    updated_at: moment(),
    secret_push_protection_enabled: z.boolean(),
    pre_receive_secret_detection_enabled: deprecatedMember('pre-receive-secret-detection', z.boolean()),
  }),
);
