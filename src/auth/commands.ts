import { commands } from '../ids.ts';
import type { Instances } from '../instances/instances.ts';
import type { Sessions } from './sessions.ts';
import type { SignIn } from './signIn.ts';

export function authCommands(signIn: SignIn, sessions: Sessions, instances: Instances) {
  return {
    [commands.signIn]: async () => {
      await signIn.signIn(instances.current());
    },
    [commands.signOut]: async () => {
      const { instanceActions } = await import('../instances/instanceActions.ts');
      await instanceActions().signOutCurrent({ signIn, sessions, instances });
    },
  };
}
