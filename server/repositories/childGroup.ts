import { type ChildProcess, type ChildProcessByStdio, spawn } from 'node:child_process';
import { Socket } from 'node:net';
import os from 'node:os';
import type { Readable, Writable } from 'node:stream';

/** A program with everything that it has started. */
export interface ChildGroup {
  readonly child: ChildProcessByStdio<Writable, Readable, Readable>;
  /** Asks all processes of the group to end, and kills those that have not ended after two seconds. */
  end(): void;
  /** Kills all processes of the group. */
  kill(): void;
}

export interface ChildGroups {
  start(
    program: string,
    args: readonly string[],
    options: { readonly env: Readonly<Record<string, string>>; readonly cwd: string | undefined },
  ): ChildGroup;
  /** Kills all groups. */
  stop(): void;
}

/** Time in which a program can end itself and remove its temporary files, in milliseconds. */
const GRACE = 2000;
const IS_WINDOWS = process.platform === 'win32';

/**
 * Reads lines with the numbers of process groups that begin (+) and have ended (-). When its input ends, which it also does when the server
 * is killed, it ends the groups that are left.
 */
const WATCH = `groups=' '
while read -r sign group; do
  case $sign in
    +) groups="$groups$group " ;;
    -) groups="\${groups%%" $group "*} \${groups#*" $group "}" ;;
  esac
done
for group in $groups; do kill -TERM "-$group"; done
[ -z "\${groups# }" ] || sleep 2
for group in $groups; do kill -KILL "-$group"; done`;

/**
 * Starts programs that must not outlive the server. A program can start others, which do not end with it: git upload-pack starts git
 * pack-objects. Each program has a process group of its own, in which nothing is left when the program has ended. Where there are no process
 * groups, all descendants are ended instead. Programs have a lower priority than the server.
 */
export function createChildGroups(): ChildGroups {
  const running = new Set<ChildGroup>();
  const watch = IS_WINDOWS ? undefined : createWatch();

  const start: ChildGroups['start'] = (program, args, { env, cwd }) => {
    const child = spawn(program, args, {
      env,
      ...(cwd === undefined ? {} : { cwd }),
      detached: !IS_WINDOWS,
      shell: false,
      windowsHide: true,
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    const { pid } = child;
    let timer: NodeJS.Timeout | undefined;
    const kill = (): void => signalGroup(child, 'SIGKILL');
    const group: ChildGroup = {
      child,
      kill,
      end: () => {
        signalGroup(child, 'SIGTERM');
        timer ??= setTimeout(kill, GRACE).unref();
      },
    };
    if (pid === undefined) return group;
    running.add(group);
    watch?.add(pid);
    lowerPriority(pid);
    child.once('exit', () => {
      clearTimeout(timer);
      // Programs that this one has started may still run.
      if (!IS_WINDOWS) signalPosixGroup(pid, 'SIGKILL');
      running.delete(group);
      watch?.remove(pid);
    });
    return group;
  };

  return {
    start,
    stop: () => {
      for (const group of running) group.kill();
      watch?.stop();
    },
  };
}

function signalGroup({ pid, exitCode, signalCode }: ChildProcess, signal: 'SIGTERM' | 'SIGKILL'): void {
  if (pid === undefined || exitCode !== null || signalCode !== null) return;
  if (IS_WINDOWS)
    spawn('taskkill', ['/pid', String(pid), '/T', '/F'], { stdio: 'ignore', windowsHide: true }).on('error', () => undefined);
  else signalPosixGroup(pid, signal);
}

function signalPosixGroup(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-pid, signal);
  } catch {
    // Nothing is left in the group.
  }
}

function lowerPriority(pid: number): void {
  try {
    os.setPriority(pid, os.constants.priority.PRIORITY_BELOW_NORMAL);
  } catch {
    // The program has ended already, or the system does not allow it.
  }
}

interface Watch {
  add(group: number): void;
  remove(group: number): void;
  stop(): void;
}

/** Starts a shell with the first group. It ends the groups that a killed server leaves. */
function createWatch(): Watch {
  let shell: ChildProcessByStdio<Writable, null, null> | undefined;
  const started = (): ChildProcessByStdio<Writable, null, null> => {
    const child = spawn('/bin/sh', ['-c', WATCH], { env: {}, detached: true, stdio: ['pipe', 'ignore', 'ignore'] });
    const forget = (): void => {
      if (shell === child) shell = undefined;
    };
    child.once('error', forget).once('exit', forget);
    child.stdin.on('error', forget);
    child.unref();
    if (child.stdin instanceof Socket) child.stdin.unref();
    return child;
  };
  return {
    add: (group) => {
      shell ??= started();
      shell.stdin.write(`+ ${group}\n`);
    },
    remove: (group) => {
      shell?.stdin.write(`- ${group}\n`);
    },
    stop: () => {
      shell?.stdin.end();
      shell = undefined;
    },
  };
}
