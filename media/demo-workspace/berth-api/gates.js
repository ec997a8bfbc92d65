export async function openGate(name) {
  const answer = await fetch(`http://gates.local/${name}/open`, { signal: AbortSignal.timeout(2000) });
  return answer.json();
}

export function lockAll(gates) {
  return gates.map((gate) => gate.lock());
}

export function readCode({ code }) {
  if (!/^\d{6}$/.test(code)) throw new SyntaxError(`The code of a gate has six digits, not ${code.length}`);
  return Number(code);
}

export function lampOf(gate) {
  return gate.lamps[0].color;
}

export function resetGate(gate) {
  if (gate.motor > 80) throw new RangeError(`The motor of gate ${gate.name} has ${gate.motor} degrees`);
  gate.state = 'closed';
}

export function lastOpened(gate) {
  return new Date(gate.openedAt).toISOString();
}
