export async function charge({ card, amount }) {
  const answer = await fetch('http://bank.local/charges', { method: 'POST', body: JSON.stringify({ card, amount }) });
  if (!answer.ok) throw new Error(`The bank answered ${answer.status}`);
  return answer.json();
}

export function refund(payment) {
  if (payment.refunded) throw new Error(`Payment ${payment.id} was refunded before`);
  return { ...payment, refunded: true };
}

export function exchangeRate({ currency, rates }) {
  return rates[currency].rate;
}

export function invoice(payment) {
  return BigInt(payment.amount * 100).toString();
}

export function settle(payments) {
  return payments.reduce((sum, { amount }) => sum + amount);
}

export function parseCard(body) {
  return JSON.parse(body.card);
}
