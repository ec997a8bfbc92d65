import { findUser } from '../../server/features/users/accounts.ts';
import { commentOnIssue, createIssue, type Issue } from '../../server/features/issues/manageIssues.ts';
import type { Platform } from '../../server/platform.ts';
import { createProject } from '../../server/features/projects/manageProjects.ts';
import { decideAll } from '../../server/features/notifications/work.ts';
import { type FoundProject } from '../../server/features/projectAccess/access.ts';

/**
 * Creates `count` events of root in ten projects through the same functions as the API, and decides who is notified of them, so that a
 * server on this data has nothing left to do.
 */
export function fillActivity(platform: Platform, count: number): void {
  const root = findUser(platform, 1);
  if (root === undefined) throw new Error('user root is missing');
  const projects: FoundProject[] = [];
  platform.store.transaction(() => {
    for (let number = 0; number < 10; number += 1) {
      projects.push(
        createProject(platform, root, { name: `Bench ${number}`, visibility: number % 2 === 0 ? 'public' : 'private' }),
      );
    }
    let made = projects.length;
    let issue: Issue | undefined;
    for (let number = 0; made < count; number += 1, made += 1) {
      const project = projects[Math.floor(number / 50) % projects.length];
      if (project === undefined) throw new Error('project is missing');
      if (issue === undefined || number % 50 === 0)
        issue = createIssue(platform, project, root, { title: `Signal ${number} is late` });
      else
        commentOnIssue(platform, project, issue, root, {
          body: `Seen again on track ${number % 12}; the relay was checked and is sound.`,
        });
    }
    decideAll(platform);
  });
}
