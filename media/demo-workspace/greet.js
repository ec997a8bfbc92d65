/** Greets somebody; without a name, everybody. */
export function greet(name) {
  return `Hello, ${name?.trim() || 'everybody'}!`;
}
