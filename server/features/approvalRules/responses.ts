import * as z from 'zod';
import { groupResponse } from '../groups/groups.ts';
import { count, id, named } from '../../http/responses.ts';
import { userBasic } from '../profiles/profiles.ts';

export const approvalRule = named('ApprovalRule', () =>
  z.strictObject({
    id: id(),
    name: z.string(),
    rule_type: z.enum(['regular', 'any_approver']),
    report_type: z.null(),
    eligible_approvers: z.array(userBasic()),
    approvals_required: count(),
    users: z.array(userBasic()),
    groups: z.array(groupResponse()),
    contains_hidden_groups: z.boolean(),
    protected_branches: z.array(z.never()),
    applies_to_all_protected_branches: z.boolean(),
  }),
);
