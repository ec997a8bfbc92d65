import { createClientKey } from '../features/clientKeys/clientKeys.ts';
import { setErrorTracking } from '../features/errorTracking/errorTracking.ts';
import type { Path } from './document.ts';
import type { PlannedProject } from './namespaces.ts';
import { type Plan, projectOf, stepsOf, userOf } from './plan.ts';

/** Plans the error tracking settings of projects and their client keys. */
export function planErrorTracking(plan: Plan, projects: readonly PlannedProject[]): void {
  for (const { project, path: projectPath, creator, step } of projects) {
    const input = project.error_tracking;
    if (input === undefined) continue;
    const path: Path = [...projectPath, 'error_tracking'];
    const needs = [...stepsOf(creator), step];
    const follows = plan.membershipsOf(project.path, creator.username);
    plan.add({
      path,
      at: plan.time([...path, 'created_at'], input.created_at),
      needs,
      follows,
      run: (core) => {
        const found = projectOf(core, path, project.path, userOf(core, path, creator));
        setErrorTracking(core, found.project.id, input.active ?? true);
      },
    });
    for (const [index, key] of (input.client_keys ?? []).entries()) {
      const keyPath: Path = [...path, 'client_keys', index];
      plan.add({
        path: keyPath,
        at: plan.time([...keyPath, 'created_at'], key.created_at),
        needs,
        follows,
        run: (core) => {
          const found = projectOf(core, keyPath, project.path, userOf(core, keyPath, creator));
          createClientKey(core, found.project.id, { publicKey: key.public_key, active: key.active });
        },
      });
    }
  }
}
