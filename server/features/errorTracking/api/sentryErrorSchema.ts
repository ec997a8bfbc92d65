/** Types of GitLab, verbatim (docs/interface.md#graphql). */

/** Members shared by both types of errors. */
const common = /* GraphQL */ `
    "Count of occurrences."
    count: Int!
    "Culprit of the error."
    culprit: String!
    "External URL of the error."
    externalUrl: String!
    "Timestamp when the error was first seen."
    firstSeen: Time!
    "Last 24hr stats of the error."
    frequency: [SentryErrorFrequency!]!
    "ID (global ID) of the error."
    id: ID!
    "Timestamp when the error was last seen."
    lastSeen: Time!
    "Sentry metadata message of the error."
    message: String
    "ID (Sentry ID) of the error."
    sentryId: String!
    "ID of the project (Sentry project)."
    sentryProjectId: ID!
    "Name of the project affected by the error."
    sentryProjectName: String!
    "Slug of the project affected by the error."
    sentryProjectSlug: String!
    "Short ID (Sentry ID) of the error."
    shortId: String!
    "Status of the error."
    status: SentryErrorStatus!
    "Title of the error."
    title: String!
    "Type of the error."
    type: String!
    "Count of users affected by the error."
    userCount: Int!
`;

export const errorTrackingSdl = /* GraphQL */ `
  "A \`GitlabErrorTrackingDetailedErrorID\` is a global ID, such as \`gid://gitlab/Gitlab::ErrorTracking::DetailedError/1\`."
  scalar GitlabErrorTrackingDetailedErrorID

  "State of a Sentry error."
  enum SentryErrorStatus {
    "Error has been ignored."
    IGNORED
    "Error has been resolved."
    RESOLVED
    "Error has been resolved in the next release."
    RESOLVED_IN_NEXT_RELEASE
    "Error is unresolved."
    UNRESOLVED
  }

  type SentryErrorFrequency {
    "Count of errors received since the previously recorded time."
    count: Int!
    "Time the error frequency stats were recorded."
    time: Time!
  }

  "Tags of an error."
  type SentryErrorTags {
    "Severity level of the Sentry Error."
    level: String
    "Logger of the Sentry Error."
    logger: String
  }

  "A Sentry error. A simplified version of SentryDetailedError."
  type SentryError {
${common}  }

  "A Sentry error."
  type SentryDetailedError {
${common}    "External Base URL of the Sentry Instance."
    externalBaseUrl: String!
    "Commit the error was first seen."
    firstReleaseLastCommit: String
    "Release short version the error was first seen."
    firstReleaseShortVersion: String
    "Release version the error was first seen."
    firstReleaseVersion: String
    "SHA of the commit attributed to the error based on the release version."
    gitlabCommit: String
    "Path to the page of the commit attributed to the error."
    gitlabCommitPath: String
    "URL of the issue that the error is linked to."
    gitlabIssuePath: String
    "Error tracking backend."
    integrated: Boolean
    "Commit the error was last seen."
    lastReleaseLastCommit: String
    "Release short version the error was last seen."
    lastReleaseShortVersion: String
    "Release version the error was last seen."
    lastReleaseVersion: String
    "Tags associated with the Sentry Error."
    tags: SentryErrorTags!
  }

  "The connection type for SentryError."
  type SentryErrorConnection {
    edges: [SentryErrorEdge]
    nodes: [SentryError]
    pageInfo: PageInfo!
  }

  "An edge in a connection."
  type SentryErrorEdge {
    cursor: String!
    node: SentryError
  }

  "An object context for a Sentry error stack trace."
  type SentryErrorStackTraceContext {
    "Code of the context."
    code: String!
    "Line number of the context."
    line: Int!
  }

  "An object containing a stack trace entry for a Sentry error."
  type SentryErrorStackTraceEntry {
    "Column in which the Sentry error occurred."
    col: String
    "File in which the Sentry error occurred."
    fileName: String
    "Function in which the Sentry error occurred."
    function: String
    "Line number in which the Sentry error occurred."
    line: String
    "Context of the Sentry error."
    traceContext: [SentryErrorStackTraceContext!]
  }

  "An object containing a stack trace for a Sentry error: callers first, and last where it failed."
  type SentryErrorStackTrace {
    "Time the stack trace was received by Sentry."
    dateReceived: String!
    "ID of the Sentry error."
    issueId: String!
    "Stack trace entries for the Sentry error."
    stackTraceEntries: [SentryErrorStackTraceEntry!]!
  }

  "An object containing a collection of Sentry errors, and a detailed error."
  type SentryErrorCollection {
    "Detailed version of a Sentry error on the project."
    detailedError("ID of the Sentry issue." id: GitlabErrorTrackingDetailedErrorID!): SentryDetailedError
    "Stack Trace of Sentry Error."
    errorStackTrace("ID of the Sentry issue." id: GitlabErrorTrackingDetailedErrorID!): SentryErrorStackTrace
    "Collection of Sentry Errors, only unresolved ones, twenty at a time."
    errors(
      "Return the elements in the list that come after the specified cursor."
      after: String
      "Return the elements in the list that come before the specified cursor."
      before: String
      "Returns the first _n_ elements from the list; pages have their own length here."
      first: Int
      "Returns the last _n_ elements from the list; pages have their own length here."
      last: Int
      "Search query for the Sentry error details."
      searchTerm: String
      "Attribute to sort on. Options are frequency, first_seen, last_seen. last_seen is default."
      sort: String
    ): SentryErrorConnection
    "External URL for Sentry."
    externalUrl: String
  }

  extend type Project {
    "Detailed version of a Sentry error on the project."
    sentryDetailedError("ID of the Sentry issue." id: GitlabErrorTrackingDetailedErrorID!): SentryDetailedError
    "Paginated collection of Sentry errors on the project."
    sentryErrors: SentryErrorCollection
  }
`;
