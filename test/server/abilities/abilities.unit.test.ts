import assert from 'node:assert/strict';
import fc from 'fast-check';
import {
  abilitiesOf,
  accessLevels,
  featureAccesses,
  holdsRole,
  readableIssuesSql,
  type Access,
  visibilities,
  visibleProjectsSql,
} from '../../../server/features/abilities/abilities.ts';
import { endPlatform } from '../../../server/createPlatform.ts';
import { createTestPlatform } from '../../support/server.ts';

const nobody: Access = { isSignedIn: false, isExternal: false, isAdministrator: false, level: 0 };
const stranger: Access = { ...nobody, isSignedIn: true };
const external: Access = { ...stranger, isExternal: true };
const administrator: Access = { ...stranger, isAdministrator: true };
const member = (level: number): Access => ({ ...stranger, level });
const open = { visibility: 'public', issues_access: 'enabled', archived: 0 } as const;

describe('the permissions of a user in a project', () => {
  it('project permissions without a membership depend on the visibility', () => {
    const seen = (visibility: 'private' | 'internal' | 'public'): boolean[] =>
      [nobody, stranger, external, administrator, member(accessLevels.guest)].map(
        (access) => abilitiesOf({ ...open, visibility }, access).readProject,
      );
    assert.deepEqual(seen('public'), [true, true, true, true, true]);
    assert.deepEqual(seen('internal'), [false, true, false, true, true]);
    assert.deepEqual(seen('private'), [false, false, false, true, true]);
  });

  it('project permissions let guests of a private project read issues but not code', () => {
    const can = abilitiesOf({ ...open, visibility: 'private' }, member(accessLevels.guest));
    assert.partialDeepStrictEqual(can, { readIssues: true, readCode: false, readMergeRequests: false, readConfidential: false });
    const reporter = abilitiesOf({ ...open, visibility: 'private' }, member(accessLevels.reporter));
    assert.partialDeepStrictEqual(reporter, { readCode: true, readMergeRequests: true, readConfidential: true });
  });

  it('project permissions let an external guest of an internal project read issues but not code', () => {
    const can = abilitiesOf({ ...open, visibility: 'internal' }, { ...external, level: accessLevels.guest });
    assert.partialDeepStrictEqual(can, { readProject: true, readIssues: true, readCode: false });
  });

  it('project permissions close members-only issues to others, and disabled issues to everyone', () => {
    const reads = (issues_access: 'disabled' | 'private' | 'enabled'): boolean[] =>
      [stranger, member(accessLevels.guest), administrator].map(
        (access) => abilitiesOf({ ...open, issues_access }, access).readIssues,
      );
    assert.deepEqual(reads('enabled'), [true, true, true]);
    assert.deepEqual(reads('private'), [false, true, true]);
    assert.deepEqual(reads('disabled'), [false, false, false]);
  });

  it('project permissions allow no changes without an account or in an archived project', () => {
    assert.equal(abilitiesOf(open, stranger).writeIssues, true);
    assert.equal(abilitiesOf(open, nobody).writeIssues, false);
    assert.equal(abilitiesOf({ ...open, archived: 1 }, administrator).writeIssues, false);
  });

  it('project permissions include the role of every lower level', () => {
    assert.equal(holdsRole(member(accessLevels.developer), 'reporter'), true);
    assert.equal(holdsRole(member(accessLevels.developer), 'maintainer'), false);
    assert.equal(holdsRole(administrator, 'owner'), true);
  });
});

describe('the SQL conditions', () => {
  // Evaluates the conditions on one row of each kind made of literals, so that they are tested without stored data.
  const platform = createTestPlatform();
  after(() => endPlatform(platform));

  const holds = (condition: string, row: Readonly<Record<string, string | number | null>>): boolean =>
    platform.store.get<{ seen: number | null }>(
      `WITH p (visibility, issues_access) AS (VALUES ($visibility, $issuesAccess)), m (access_level) AS (VALUES ($level)),
         i (id, confidential, author_id) AS (VALUES (0, $confidential, $author))
       SELECT (${condition}) AS seen FROM p, m, i WHERE $viewer >= 0`,
      row,
    )?.seen === 1;

  it('the SQL conditions of permissions match the permissions exactly', () => {
    const standings = fc.record({
      isSignedIn: fc.boolean(),
      isExternal: fc.boolean(),
      isAdministrator: fc.boolean(),
      level: fc.constantFrom(0, ...Object.values(accessLevels)),
    });
    fc.assert(
      fc.property(
        standings,
        fc.constantFrom(...visibilities),
        fc.constantFrom(...featureAccesses),
        fc.boolean(),
        fc.boolean(),
        (drawn, visibility, issuesAccess, confidential, isAuthor) => {
          const access = drawn.isSignedIn ? drawn : { ...nobody };
          const can = abilitiesOf({ visibility, issues_access: issuesAccess, archived: 0 }, access);
          const row = {
            visibility,
            issuesAccess,
            level: access.level === 0 ? null : access.level,
            confidential: confidential ? 1 : 0,
            author: isAuthor ? 7 : 8,
            viewer: access.isSignedIn ? 7 : 0,
          };
          assert.equal(holds(visibleProjectsSql(access), row), can.readProject);
          const reads = can.readIssues && (!confidential || can.readConfidential || (access.isSignedIn && isAuthor));
          assert.equal(holds(readableIssuesSql(access), row), reads);
        },
      ),
      { numRuns: 500 },
    );
  });
});
