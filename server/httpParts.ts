import { actAs, authenticate, ownerOfToken, sessionCaller } from './features/authentication/authentication.ts';
import { findUserByName } from './features/users/users.ts';
import { openSession } from './features/signIn/signIn.ts';
import { authenticateJob, isAdmitted } from './features/jobTokens/jobTokens.ts';
import { unreadMails } from './features/mail/mail.ts';
import { sentAccessToken } from './features/oauth/oauth.ts';
import { throttles } from './features/settings/settings.ts';
import type { HttpParts } from './http/httpParts.ts';
import type { Platform } from './platform.ts';

/** Returns what requests need of the features: who sent them, and what every page shows. */
export function httpPartsOf(platform: Platform): HttpParts {
  const { emulation, flows, requestLog, ownRequests, bodyBudget, recordedReads, deprecatedCalls, mediaDir } = platform;
  return {
    core: platform,
    emulation,
    requestLog,
    bodyBudget,
    recordedReads,
    deprecatedCalls,
    authentication: {
      authenticate: (sent, requirement, context) => {
        const userId = ownRequests.userOf(sent.token);
        if (userId !== undefined) return sessionCaller(platform, userId, context);
        return authenticate(platform, sent, requirement, context, sentAccessToken(platform, sent));
      },
      authenticateJob: (token, context) => authenticateJob(platform, token, context),
      admits: ({ credential }, project, isRead) => isAdmitted(platform, credential, project, isRead),
      actAs: (sender, target, { baseUrl }) => actAs(platform, sender, target, baseUrl),
      recordUse: (tokenId, { method, path, now }) => flows.recordUse(tokenId, method, path, now),
      ownerOfToken: (sent) => ownRequests.userOf(sent.token) ?? ownerOfToken(platform, sent, sentAccessToken(platform, sent)),
      openSession: (context) => openSession(platform, context),
    },
    site: {
      mediaDir,
      unreadMails: (userId) => unreadMails(platform, userId),
      hasUser: (username) => findUserByName(platform, username) !== undefined,
    },
    throttles: () => throttles(platform),
  };
}
