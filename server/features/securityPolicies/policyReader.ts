// Thread that reads one policy file, because parsing a long one takes seconds.
import { parentPort, workerData } from 'node:worker_threads';
import { policiesIn, type Policy, type PolicyReading, type ScanPolicy } from './rules.ts';

/** Maximum number of values of a policy file. Values of aliases count each time. */
const MAX_VALUES = 100_000;

async function readPolicyFile(text: string): Promise<PolicyReading> {
  const { readYaml, writeYaml } = await import('../../support/yaml.ts');
  const reading = readYaml(text, MAX_VALUES);
  if ('problems' in reading) {
    const [first] = reading.problems;
    return { problem: first === undefined ? 'it cannot be read' : `line ${first.line}: ${first.text}` };
  }
  const policies = policiesIn(reading.root.value);
  if ('problem' in policies) return { problem: `${policies.path.join('.') || 'the file'}: ${policies.problem}` };
  const shown = ({ name, description, enabled }: Policy): Policy => ({ name, description, enabled });
  return {
    scanExecution: policies.scanExecution.map((policy) => ({
      ...shown(policy),
      rules: policy.rules.map(shownRule),
      actions: policy.actions.map(({ scan }) => ({ scan })),
      yaml: writeYaml(policy),
    })),
    approval: policies.approval.map((policy) => ({ ...shown(policy), yaml: writeYaml(policy) })),
  };
}

function shownRule(rule: ScanPolicy['rules'][number]): ScanPolicy['rules'][number] {
  const { type, branches, branch_type, branch_exceptions: exceptions } = rule;
  return {
    type,
    ...(branches === undefined ? {} : { branches }),
    ...(branch_type === undefined ? {} : { branch_type }),
    ...(exceptions === undefined
      ? {}
      : { branch_exceptions: exceptions.map((one) => (typeof one === 'string' ? one : one.name)) }),
  };
}

async function run(): Promise<void> {
  const reading = await readPolicyFile(String(workerData));
  parentPort?.postMessage(reading);
}

void run();
