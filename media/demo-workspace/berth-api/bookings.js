import { query } from './database.js';

export async function book(wish) {
  const rows = await query('INSERT INTO bookings (berth, boat) VALUES ($1, $2)', [wish.berth, wish.boat]);
  return rows[0];
}

export function cancel(booking) {
  if (booking.begin < Date.now()) throw new Error(`Booking ${booking.id} has begun and cannot be cancelled`);
  return { ...booking, state: 'cancelled' };
}

export function extend(booking) {
  return { ...booking, until: booking.until.plus({ days: 1 }) };
}

export function receipt(booking) {
  return `${booking.boat.name}: ${booking.nights} nights`;
}

export function confirmAll(bookings) {
  for (const booking of bookings) booking.state = 'confirmed';
}

export function checkIn(booking) {
  if (booking.state !== 'confirmed') throw new Error(`Booking ${booking.id} is ${booking.state}`);
  return { ...booking, state: 'here' };
}
