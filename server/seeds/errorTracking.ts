import { createClientKey } from '../clientKeys/clientKeys.ts';
import { setErrorTracking } from '../errorTracking/errorTracking.ts';
import type { Path } from './document.ts';
import type { PlannedProject } from './places.ts';
import { type Plan, projectOf, stepsOf, userOf } from './plan.ts';

/** Which projects track errors, and the keys with which SDKs send them. */
export function planErrorTracking(plan: Plan, projects: readonly PlannedProject[]): void {
  for (const { project, path: projectPath, creator, step } of projects) {
    const wish = project.error_tracking;
    if (wish === undefined) continue;
    const path: Path = [...projectPath, 'error_tracking'];
    const needs = [...stepsOf(creator), step];
    const follows = plan.membershipsOf(project.path, creator.username);
    plan.add({
      path,
      at: plan.time([...path, 'created_at'], wish.created_at),
      needs,
      follows,
      run: (platform) => {
        const found = projectOf(platform, path, project.path, userOf(platform, path, creator));
        setErrorTracking(platform, found.project.id, wish.active ?? true);
      },
    });
    for (const [index, key] of (wish.client_keys ?? []).entries()) {
      const place: Path = [...path, 'client_keys', index];
      plan.add({
        path: place,
        at: plan.time([...place, 'created_at'], key.created_at),
        needs,
        follows,
        run: (platform) => {
          const found = projectOf(platform, place, project.path, userOf(platform, place, creator));
          createClientKey(platform, found.project.id, { publicKey: key.public_key, active: key.active });
        },
      });
    }
  }
}
