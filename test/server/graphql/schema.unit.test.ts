import assert from 'node:assert/strict';
import { endPlatform } from '../../../server/createPlatform.ts';
import { createEndpoint } from '../../../server/graphql/graphql.ts';
import { base } from '../../../server/graphql/routes.ts';
import { graphqlParts } from '../../../server/graphqlParts.ts';
import { createTestPlatform } from '../../support/server.ts';

/** Types of GitLab (docs/interface.md#graphql): field, type, arguments. */
const ERROR = `count Int!, culprit String!, externalUrl String!, firstSeen Time!, frequency [SentryErrorFrequency!]!, id ID!,
  lastSeen Time!, message String, sentryId String!, sentryProjectId ID!, sentryProjectName String!, sentryProjectSlug String!,
  shortId String!, status SentryErrorStatus!, title String!, type String!, userCount Int!`;
const DETAILED = `${ERROR}, externalBaseUrl String!, firstReleaseLastCommit String, firstReleaseShortVersion String,
  firstReleaseVersion String, lastReleaseLastCommit String, lastReleaseShortVersion String, lastReleaseVersion String,
  gitlabCommit String, gitlabCommitPath String, gitlabIssuePath String, integrated Boolean, tags SentryErrorTags!`;

const TYPES: Readonly<Record<string, string>> = {
  SentryErrorCollection: `errors(after: String, before: String, first: Int, last: Int, searchTerm: String, sort: String) SentryErrorConnection,
    detailedError(id: GitlabErrorTrackingDetailedErrorID!) SentryDetailedError,
    errorStackTrace(id: GitlabErrorTrackingDetailedErrorID!) SentryErrorStackTrace, externalUrl String`,
  SentryError: ERROR,
  SentryDetailedError: DETAILED,
  SentryErrorFrequency: 'time Time!, count Int!',
  SentryErrorTags: 'level String, logger String',
  SentryErrorStackTrace: 'dateReceived String!, issueId String!, stackTraceEntries [SentryErrorStackTraceEntry!]!',
  SentryErrorStackTraceEntry:
    'fileName String, function String, line String, col String, traceContext [SentryErrorStackTraceContext!]',
  SentryErrorStackTraceContext: 'line Int!, code String!',
  SentryErrorConnection: 'edges [SentryErrorEdge], nodes [SentryError], pageInfo PageInfo!',
  SentryErrorEdge: 'cursor String!, node SentryError',
  PageInfo: 'endCursor String, hasNextPage Boolean!, hasPreviousPage Boolean!, startCursor String',
  ProjectConnection: 'edges [ProjectEdge], nodes [Project], pageInfo PageInfo!',
};
const STATUSES = ['IGNORED', 'RESOLVED', 'RESOLVED_IN_NEXT_RELEASE', 'UNRESOLVED'];

describe('the GraphQL schema', () => {
  let sdl: string;
  before(() => {
    const platform = createTestPlatform();
    try {
      const endpoint = createEndpoint({
        sdl: [base, ...graphqlParts(platform)].map((part) => part.sdl),
        query: {},
        mutation: {},
        members: { deprecation: () => ({ state: 'current', reason: '' }), isSince: () => true },
        messageOf: () => undefined,
        report: () => undefined,
      });
      sdl = endpoint.sdl().replaceAll(/^\s*"""[\s\S]*?"""$/gm, '');
    } finally {
      endPlatform(platform);
    }
  });

  /** Returns the lines of a type without descriptions, with arguments on one line. */
  const members = (kind: string, name: string): string[] => {
    const [, block = ''] = new RegExp(`^${kind} ${name}(?: implements \\w+)? \\{\\n([\\s\\S]*?)^\\}`, 'm').exec(sdl) ?? [];
    return block
      .replaceAll(/\(\s+([\s\S]*?)\s+\)/g, (_, args: string) => `(${args.split(/\s*\n+\s*/).join(', ')})`)
      .split('\n')
      .map((line) => line.trim())
      .filter((line) => line !== '')
      .toSorted();
  };
  /** Converts `field Type` to SDL: `field: Type`. */
  const written = (table: string): string[] =>
    table
      .split(/,\s*(?![^(]*\))/)
      .map((field) => field.trim().replace(/^(\w+(?:\([^)]*\))?) /, '$1: '))
      .toSorted();

  for (const [name, table] of Object.entries(TYPES)) {
    it(`the GraphQL type ${name} has the fields, arguments and types of GitLab and no others`, () => {
      assert.deepEqual(members('type', name), written(table));
    });
  }

  it('the GraphQL enum of statuses of an error has the values of GitLab', () => {
    assert.deepEqual(members('enum', 'SentryErrorStatus'), STATUSES);
  });

  it('the GraphQL type Project has sentryErrors and the older sentryDetailedError', () => {
    const fields = members('type', 'Project');
    assert.ok(fields.includes('sentryErrors: SentryErrorCollection'));
    assert.ok(fields.includes('sentryDetailedError(id: GitlabErrorTrackingDetailedErrorID!): SentryDetailedError'));
  });

  it('the GraphQL root has these fields', () => {
    assert.deepEqual(
      members('type', 'Query').map((line) => line.replace(/\(.*\)/, '')),
      [
        'ciMinutesUsage: CiMinutesNamespaceMonthlyUsageConnection',
        'containerRepository: ContainerRepositoryDetails',
        'currentUser: CurrentUser',
        'group: Group',
        'namespace: Namespace',
        'project: Project',
        'projects: ProjectConnection',
        'runnerPlatforms: RunnerPlatformConnection',
        'runnerSetup: RunnerSetup',
      ],
    );
    assert.ok(
      sdl.includes('project(fullPath: ID!): Project') || members('type', 'Query').includes('project(fullPath: ID!): Project'),
    );
  });
});
